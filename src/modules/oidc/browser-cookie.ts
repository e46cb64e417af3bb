import type { PlainCookie } from '../../http/index.js';
import { TRANSACTION_LIFETIME } from './transactions.js';

export const BROWSER_COOKIE = 'portal-oidc';

/** Binds a way to a provider and back to the browser that began it (S81); an empty value takes the cookie away. */
export function browserCookie(value: string, path: string): PlainCookie {
  return { name: BROWSER_COOKIE, value, path, maxAge: value === '' ? 0 : TRANSACTION_LIFETIME };
}
