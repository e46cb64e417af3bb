/**
 * Scheme, host and port, as in the `Origin` header and in a Content-Security-Policy. URL parsers accept characters in a
 * host (`;`, `,`, `'`, `*`) that are syntax there.
 */
const WEB_ORIGIN = /^https?:\/\/(?:[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63}){0,30}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;

/** For options that hold origins. International names are written as in `Origin`: `xn--…`. */
export const originPattern = (example: string) => ({ regex: WEB_ORIGIN, hint: `exact origins such as ${example}` });

export function isOrigin(text: string): boolean {
  return WEB_ORIGIN.test(text);
}

/** The origin of an absolute http or https URL; null for any other, and for a host with unusual characters. */
export function originOf(address: string): string | null {
  if (!URL.canParse(address)) return null;
  const { origin } = new URL(address);
  return isOrigin(origin) ? origin : null;
}
