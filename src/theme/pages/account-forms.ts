import { normaliseEmail } from '../../domain/accounts/index.js';
import type { LoginChallenge } from '../../domain/auth/index.js';
import type { PageRequest } from '../../http/index.js';
import { ValidationError, type FieldErrors } from '../../core/index.js';
import { challengeCookie } from '../cookies.js';
import { field, readOptionalField } from '../form.js';
import { definePage, Redirect, View, type Page, type Visit } from '../page.js';
import { ownPath } from '../format/safe-links.js';

const REQUIRED = 'Please fill in this field.';
const NO_ADDRESS = 'The e-mail address is not valid.';
const DIFFERENT = 'The two passwords are not the same.';

/** Path below the prefix to show after a form that required a sign-in; null for the usual page (S46). */
export function returnPath({ request, prefix }: Visit<unknown>): string | null {
  const sent =
    request.method === 'POST' ? readOptionalField(request, 'return_to') : request.query.get('return_to')?.at(-1);
  const own = ownPath(sent, prefix);
  return own === null ? null : own.slice(prefix.length) || '/';
}

/** The same, as a form field carries it. */
export function returnField(visit: Visit<unknown>): string | null {
  const path = returnPath(visit);
  return path === null ? null : visit.prefix + path;
}

/**
 * Redirects to the page that a challenge names; the browser is signed in only once the challenge is met. Null if it
 * names none.
 */
export function challengePage(visit: Visit<unknown>, { page }: LoginChallenge): Redirect | null {
  if (!page) return null;
  const back = returnField(visit);
  const query = back === null ? '' : `?return_to=${encodeURIComponent(back)}`;
  const cookie = challengeCookie(page.token, page.lifetime, visit.prefix);
  return new Redirect(page.path + query, undefined, { cookies: [cookie] });
}

/**
 * The page after a form that sent a mail.
 * @param key `<key>.title`, `<key>.text`
 */
export function noticePage(path: string, key: string, { resend = false } = {}): Page {
  const view = new View('notice', { notice: key, resend }, { title: `${key}.title` });
  return definePage({ audience: 'everyone', method: 'get', path, handle: () => Promise.resolve(view) });
}

interface FormRules {
  /** The form has two fields for a new password. */
  readonly confirmed?: true;
  /** `email` will be stored, so it must be a valid address. */
  readonly newEmail?: true;
}

/**
 * Checks what can be checked from the form alone, all at once; the rest is checked where it is stored.
 * @throws ValidationError
 */
export function requireFields(request: PageRequest, names: readonly string[], rules: FormRules = {}): void {
  const errors: FieldErrors = {};
  for (const name of names) if (field(request, name).trim() === '') errors[name] = [REQUIRED];
  const isSame = field(request, 'password') === field(request, 'password_confirmation');
  if (rules.confirmed && !isSame) errors.password_confirmation ??= [DIFFERENT];
  if (rules.newEmail && normaliseEmail(field(request, 'email')) === null) errors.email ??= [NO_ADDRESS];
  if (Object.keys(errors).length > 0) throw new ValidationError(errors);
}
