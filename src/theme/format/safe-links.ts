/** Permitted schemes of links on pages, whoever wrote them (S66). */
const SCHEMES = new Set(['http:', 'https:', 'mailto:']);

/** A URL that is safe to link to; null for one that would run a script or lead nowhere. */
export function safeLink(address: unknown): string | null {
  if (typeof address !== 'string' || /[\u0000-\u0020\u007f\\]/.test(address)) return null;
  if (address.startsWith('/') && !address.startsWith('//')) return address;
  try {
    return SCHEMES.has(new URL(address).protocol) ? address : null;
  } catch {
    return null;
  }
}

/**
 * The URL of a picture that pages may load: an uploaded one (`files/…` below the API), one of ours, or from an allowed
 * origin. Null for any other, which the policy of the page would block.
 */
export function pictureLink(address: string, apiPath: string, origins: readonly string[]): string | null {
  if (address.startsWith('files/')) return safeLink(`${apiPath}/${address}`);
  const link = safeLink(address);
  if (link === null || link.startsWith('/')) return link;
  return origins.includes(new URL(link).origin) ? link : null;
}

/**
 * The page to show after a sign-in, from what a visitor sent: a path of ours below the prefix, otherwise null (S46).
 * Parsed as a browser would, not by its first characters.
 */
export function ownPath(target: string | undefined, prefix: string): string | null {
  if (target === undefined || target.length > 2_000 || /[\u0000-\u0020\u007f\\]/.test(target)) return null;
  const base = 'http://own.invalid';
  try {
    const url = new URL(target, base);
    const isOurs = url.origin === base && target.startsWith('/') && !target.startsWith('//');
    return isOurs && (url.pathname === prefix || url.pathname.startsWith(`${prefix}/`))
      ? url.pathname + url.search
      : null;
  } catch {
    return null;
  }
}
