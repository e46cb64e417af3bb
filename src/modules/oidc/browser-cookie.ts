import { TRANSACTION_LIFETIME } from './transactions.js';

/** Binds a way to a provider and back to the browser that began it (S81). */
export const BROWSER_COOKIE = 'portal-oidc';

/** A whole `Set-Cookie` line; an empty value takes the cookie away. `Lax`: it comes along when the provider leads back. */
export function browserCookie(value: string, path: string, https: boolean): string {
  const age = value === '' ? 0 : TRANSACTION_LIFETIME;
  return `${BROWSER_COOKIE}=${value}; Path=${path}; Max-Age=${age}; HttpOnly; SameSite=Lax${https ? '; Secure' : ''}`;
}

/** From a `Cookie` header; the first of several counts, the one of the longest path. */
export function browserOf(header: string | readonly string[] | undefined): string | undefined {
  const pairs = (typeof header === 'string' ? header : '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${BROWSER_COOKIE}=`))?.slice(BROWSER_COOKIE.length + 1);
}
