import { Redirect, View, type FormState, type Visit } from '../../../index.js';
import type { FactorType } from '../factor.js';
import type { TotpSetup } from '../totp.js';

interface CodeForm {
  readonly factor: FactorType;
  /** Below the prefix: where the code goes, and where to begin again. */
  readonly action: string;
  readonly back: string;
  readonly returnTo?: string | null;
}

/** Where the recovery codes of a sign-in that just drew them are shown. */
export const CODES_PATH = '/settings/mfa/codes';

/** What the page of an authenticator shows once. */
interface DrawnSetup {
  readonly secret: string;
  readonly uri: string;
  /** A data: address. */
  readonly picture: string;
}

/** To the page of an authenticator that does not know its secret yet. */
export function leadToSetup(path: string, setup: TotpSetup): Redirect {
  const drawn: DrawnSetup = {
    // In groups of four, as people type it.
    secret: setup.secret.replace(/(.{4})(?=.)/g, '$1 '),
    uri: setup.uri,
    picture: `data:image/svg+xml;base64,${Buffer.from(setup.qrSvg).toString('base64')}`,
  };
  return new Redirect(path, undefined, { once: drawn });
}

/** Asks for the first code of a factor; with the picture, this once, while the authenticator does not know the secret. */
export async function codePage({ session }: Visit<unknown>, form: CodeForm): Promise<View> {
  const setup = form.factor === 'totp' ? await session.takeShown() : undefined;
  return codeForm(form, {}, setup as DrawnSetup | undefined);
}

export function codeForm(form: CodeForm, state: Partial<FormState> = {}, setup?: DrawnSetup): View {
  const { errors, problem, retryAfter, status = 200 } = state;
  const values = { ...form, setup, text: setup ? 'text' : 'again', errors, problem, retryAfter };
  return new View('mfa-code', values, { status, title: `mfa-code.${form.factor}.title` });
}

interface DrawnCodes {
  readonly codes: readonly string[];
  /** Below the prefix. */
  readonly next: string;
}

/** To the page of recovery codes, which shows them this once. @param next where it leads on, below the prefix */
export function leadToCodes(codes: readonly string[], next: string): Redirect {
  const drawn: DrawnCodes = { codes, next };
  return new Redirect(CODES_PATH, undefined, { once: drawn });
}

export async function codesPage({ session }: Visit<unknown>): Promise<View | Redirect> {
  const drawn = (await session.takeShown()) as DrawnCodes | undefined;
  return drawn ? new View('mfa-codes', { ...drawn }) : new Redirect('/settings/mfa');
}
