import { View, type FormState } from '../../../index.js';
import type { FactorType } from '../factor.js';
import type { TotpSetup } from '../totp.js';

interface CodeForm {
  readonly factor: FactorType;
  /** Below the prefix: where the code goes, and where to begin again. */
  readonly action: string;
  readonly back: string;
  readonly returnTo?: string | null;
}

/** Asks for the first code of a factor; with the picture while the authenticator does not know the secret yet. */
export function codeForm(form: CodeForm, state: Partial<FormState> = {}, setup: TotpSetup | null = null): View {
  const { errors, problem, retryAfter, status = 200 } = state;
  const drawn = setup && {
    // In groups of four, as people type it.
    secret: setup.secret.replace(/(.{4})(?=.)/g, '$1 '),
    uri: setup.uri,
    picture: `data:image/svg+xml;base64,${Buffer.from(setup.qrSvg).toString('base64')}`,
  };
  const values = { ...form, setup: drawn, errors, problem, retryAfter };
  return new View('mfa-code', values, { status, title: `mfa-code.${form.factor}.title` });
}

/** Recovery codes, this once. @param next below the prefix */
export function codesView(codes: readonly string[], next: string): View {
  return new View('mfa-codes', { codes, next });
}
