import { parseCookie, stringifySetCookie } from 'cookie';

/** A cookie other than that of the session. */
export interface PlainCookie {
  readonly name: string;
  /** Letters, digits and `-_.` only; empty to delete the cookie. */
  readonly value: string;
  /** Lifetime in seconds; until the browser closes if absent. */
  readonly maxAge?: number;
  readonly path: string;
}

/**
 * The first of several cookies with the same name: one with a broader path, perhaps set by another site of the domain,
 * comes later.
 */
export function readCookies(header: string | readonly string[] | undefined): ReadonlyMap<string, string> {
  const cookies = parseCookie(header?.toString() ?? '', { decode: (value) => value });
  return new Map(Object.entries(cookies as Record<string, string>));
}

/**
 * A complete `Set-Cookie` line, always HttpOnly (S37). `Lax`: sent when another site, such as an identity provider,
 * links here.
 */
export function setCookie(cookie: PlainCookie, https: boolean): string {
  return stringifySetCookie(
    { ...cookie, httpOnly: true, secure: https, sameSite: 'lax' },
    { encode: (value) => value },
  );
}
