import { Redirect, View, type FormState, type Visit } from '../../index.js';
import type { FactorType } from './factor.js';
import type { TotpSetup } from './totp.js';

interface CodeForm {
  readonly factor: FactorType;
  /** Paths below the prefix: where the code is sent, and where to start over. */
  readonly action: string;
  readonly back: string;
  readonly returnTo?: string | null;
}

/** Page that shows recovery codes generated during a login. */
export const CODES_PATH = '/settings/mfa/codes';

/** What the setup page of an authenticator shows once. */
interface DrawnSetup {
  readonly secret: string;
  readonly uri: string;
  /** A `data:` URL. */
  readonly picture: string;
}

/** Redirects to the setup page of an authenticator, which shows the secret once. */
export function leadToSetup(path: string, setup: TotpSetup): Redirect {
  const drawn: DrawnSetup = {
    // In groups of four, as people type it.
    secret: setup.secret.replace(/(.{4})(?=.)/g, '$1 '),
    uri: setup.uri,
    picture: `data:image/svg+xml;base64,${Buffer.from(setup.qrSvg).toString('base64')}`,
  };
  return new Redirect(path, undefined, { once: drawn });
}

/** Asks for the first code of a factor; right after {@link leadToSetup} also shows the secret. */
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
  /** Path below the prefix. */
  readonly next: string;
}

/** Redirects to the page that shows recovery codes once. @param next path below the prefix to continue at */
export function leadToCodes(codes: readonly string[], next: string): Redirect {
  const drawn: DrawnCodes = { codes, next };
  return new Redirect(CODES_PATH, undefined, { once: drawn });
}

export async function codesPage({ session }: Visit<unknown>): Promise<View | Redirect> {
  const drawn = (await session.takeShown()) as DrawnCodes | undefined;
  return drawn ? new View('mfa-codes', { ...drawn }) : new Redirect('/settings/mfa');
}
