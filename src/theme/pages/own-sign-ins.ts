import type { AdminActor, ConsumerActor } from '../../domain/auth/index.js';
import type { PageRequest } from '../../http/index.js';
import { ServiceUnavailableError, ValidationError } from '../../core/index.js';
import { field } from '../form.js';
import { Redirect, View, type Visit } from '../page.js';
import { requireFields } from './account-forms.js';

const LONGEST_PASSWORD = 512;

/**
 * Changes the own password; this browser stays signed in, under a new session id.
 * @param path below the prefix, of the page that has the form
 * @throws ValidationError, TooManyAttemptsError
 */
export async function changePassword(
  { services, actor, request, session }: Visit<ConsumerActor | AdminActor>,
  path: string,
): Promise<Redirect | View> {
  requireFields(request, ['current_password', 'password', 'password_confirmation'], { confirmed: true });
  const currentPassword = readPassword(request);
  const change = { currentPassword, password: field(request, 'password') };
  const sid = await services.auth.security.changePassword(actor, change, request.info);
  try {
    await session.renew(sid);
  } catch (error) {
    if (!(error instanceof ServiceUnavailableError)) throw error;
    // The change is done: this browser's cookie is now as invalid as any stolen copy, and the account's owner must be told.
    const options = { status: error.status, title: 'password-changed.alone.title' };
    return new View('notice', { notice: 'password-changed.alone' }, options);
  }
  return new Redirect(path, 'password-changed');
}

function readPassword(request: PageRequest): string {
  const password = field(request, 'current_password');
  if (password.length <= LONGEST_PASSWORD) return password;
  throw new ValidationError({ current_password: ['The current password is not correct.'] });
}

const BROWSERS = [
  ['Edge', /\bEdgA?\//],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:Chrome|CriOS)\//],
  ['Safari', /\bSafari\//],
  ['curl', /^curl\//],
] as const;

const SYSTEMS = [
  ['Android', /\bAndroid\b/],
  ['iOS', /\b(?:iPhone|iPad)\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['Linux', /\bLinux\b/],
] as const;

/** `Firefox · Linux`: how people recognise their device; the text itself, truncated, if nothing in it is known. */
export function describeUserAgent(text: string): string {
  const known = [BROWSERS, SYSTEMS].flatMap((table) => table.find(([, sign]) => sign.test(text))?.[0] ?? []);
  return known.length > 0 ? known.join(' · ') : text.slice(0, 60);
}
