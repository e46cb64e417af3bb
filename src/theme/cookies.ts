/** Holds the language that a visitor chose. */
export const LOCALE_COOKIE = 'portal-locale';

const YEAR_S = 31_536_000;

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
