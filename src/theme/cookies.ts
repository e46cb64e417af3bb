import { DEVICE_LIFETIME, type AuthContext } from '../domain/auth/index.js';
import { PageResponse, setCookie, type PlainCookie } from '../http/index.js';

/** Holds the language that a visitor chose. */
export const LOCALE_COOKIE = 'portal-locale';

const DEVICE_COOKIES: Readonly<Record<AuthContext, string>> = {
  consumer: 'portal-device',
  admin: 'portal-admin-device',
};
const YEAR_S = 31_536_000;

/** Holds the token of a login that a module has challenged. */
const CHALLENGE_COOKIE = 'portal-challenge';

/** @param prefix of the theme: the cookie is sent nowhere else */
export function challengeCookie(token: string, lifetime: number, prefix: string): PlainCookie {
  return { name: CHALLENGE_COOKIE, value: token, path: prefix, maxAge: lifetime };
}

export function challengeOf(cookies: ReadonlyMap<string, string>): string | null {
  return cookies.get(CHALLENGE_COOKIE) || null;
}

/** Holds the token of a view as a developer. */
const VIEW_COOKIE = 'portal-view';
/** Longer than a view, so that its end is said instead of showing the portal as somebody else sees it. */
const VIEW_COOKIE_S = 2 * 3_600;

/** @param token empty to delete it. @param prefix of the theme: the cookie is sent nowhere else */
export function viewCookie(token: string, prefix: string): PlainCookie {
  return { name: VIEW_COOKIE, value: token, path: prefix, maxAge: token === '' ? 0 : VIEW_COOKIE_S };
}

export function viewTokenOf(cookies: ReadonlyMap<string, string>): string | null {
  return cookies.get(VIEW_COOKIE) || null;
}

/** Holds the token by which a device is known to an account. */
export function deviceCookie(token: string, context: AuthContext): PlainCookie {
  return { name: DEVICE_COOKIES[context], value: token, path: '/', maxAge: DEVICE_LIFETIME };
}

export function deviceIn(cookies: ReadonlyMap<string, string>, context: AuthContext): string | undefined {
  return cookies.get(DEVICE_COOKIES[context]);
}

/** Remembers a language in this browser. */
export function localeCookie(locale: string): PlainCookie {
  return { name: LOCALE_COOKIE, value: locale, path: '/', maxAge: YEAR_S };
}

/** The same response with additional cookies. */
export function withCookies(reply: PageResponse, cookies: readonly PlainCookie[], https: boolean): PageResponse {
  if (cookies.length === 0) return reply;
  const lines = cookies.map((cookie) => setCookie(cookie, https));
  return new PageResponse(reply.status, reply.body, reply.headers, [...reply.cookies, ...lines]);
}
