import { DEVICE_LIFETIME } from '../domain/auth/index.js';
import { PageReply } from '../http/index.js';

/** Holds the language that a visitor chose. */
export const LOCALE_COOKIE = 'portal-locale';

const DEVICE_COOKIE = 'portal-device';
const YEAR_S = 31_536_000;

/** Holds the token of a login that a module has challenged. */
const CHALLENGE_COOKIE = 'portal-challenge';

/** @param prefix of the theme: nothing else sees the cookie */
export function challengeCookie(token: string, lifetime: number, prefix: string): PlainCookie {
  return { name: CHALLENGE_COOKIE, value: token, path: prefix, maxAge: lifetime };
}

export function challengeOf(cookies: ReadonlyMap<string, string>): string | null {
  return cookies.get(CHALLENGE_COOKIE) || null;
}

/** Holds the token by which a device is known to an account. */
export function deviceCookie(token: string): PlainCookie {
  return { name: DEVICE_COOKIE, value: token, path: '/', maxAge: DEVICE_LIFETIME };
}

export function deviceIn(cookies: ReadonlyMap<string, string>): string | undefined {
  return cookies.get(DEVICE_COOKIE);
}

/** A cookie of ours that is no session. */
export interface PlainCookie {
  readonly name: string;
  /** Letters, digits and `-_.` only; empty takes the cookie away. */
  readonly value: string;
  /** Seconds; until the browser closes when absent. */
  readonly maxAge?: number;
  readonly path: string;
}

/** Remembers a language in this browser. */
export function localeCookie(locale: string): PlainCookie {
  return { name: LOCALE_COOKIE, value: locale, path: '/', maxAge: YEAR_S };
}

/** A whole `Set-Cookie` line. No script of ours reads what the server sets (S37). */
export function setCookie({ name, value, maxAge, path }: PlainCookie, https: boolean): string {
  const age = maxAge === undefined ? '' : `; Max-Age=${maxAge}`;
  return `${name}=${value}; Path=${path}${age}; HttpOnly; SameSite=Lax${https ? '; Secure' : ''}`;
}

/** The same answer, setting these as well. */
export function withCookies(reply: PageReply, cookies: readonly PlainCookie[], https: boolean): PageReply {
  if (cookies.length === 0) return reply;
  const lines = cookies.map((cookie) => setCookie(cookie, https));
  return new PageReply(reply.status, reply.body, reply.headers, [...reply.cookies, ...lines]);
}
