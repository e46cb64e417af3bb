import type { PlainCookie } from '../../http/index.js';
import { TRANSACTION_LIFETIME } from './transactions.js';

export const BROWSER_COOKIE = 'portal-oidc';

/** Binds a sign-in flow to the browser that started it (S81); an empty value deletes the cookie. */
export function browserCookie(value: string, path: string): PlainCookie {
  return { name: BROWSER_COOKIE, value, path, maxAge: value === '' ? 0 : TRANSACTION_LIFETIME };
}
