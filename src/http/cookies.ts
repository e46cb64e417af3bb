import { parseCookie, stringifySetCookie } from 'cookie';

/** A cookie of ours that is no session. */
export interface PlainCookie {
  readonly name: string;
  /** Letters, digits and `-_.` only; empty takes the cookie away. */
  readonly value: string;
  /** Seconds; until the browser closes when absent. */
  readonly maxAge?: number;
  readonly path: string;
}

/** Of several of a name the first: one of a broader path, which another site of the domain may have set, comes later. */
export function readCookies(header: string | readonly string[] | undefined): ReadonlyMap<string, string> {
  const cookies = parseCookie(header?.toString() ?? '', { decode: (value) => value });
  return new Map(Object.entries(cookies as Record<string, string>));
}

/**
 * A whole `Set-Cookie` line. No script of ours reads what the server sets (S37). `Lax`: it comes along when another site
 * leads to us, such as an identity provider.
 */
export function setCookie(cookie: PlainCookie, https: boolean): string {
  return stringifySetCookie(
    { ...cookie, httpOnly: true, secure: https, sameSite: 'lax' },
    { encode: (value) => value },
  );
}
