/** Schemes that a link of a page may have, whoever wrote it (S66). */
const SCHEMES = new Set(['http:', 'https:', 'mailto:']);

/** An address as a link may carry it; null for one that would run something or lead nowhere. */
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
 * A picture as pages may load it: an uploaded one (`files/…` below the API), one of ours, or of an allowed origin. Null
 * for every other, which the policy of the page would refuse.
 */
export function pictureLink(address: string, apiPath: string, origins: readonly string[]): string | null {
  if (address.startsWith('files/')) return safeLink(`${apiPath}/${address}`);
  const link = safeLink(address);
  if (link === null || link.startsWith('/')) return link;
  return origins.includes(new URL(link).origin) ? link : null;
}

/**
 * Where to go after a sign-in, from what a visitor sent: a path of ours below the prefix, else null (S46). Read as a
 * browser reads it, not by its first letters.
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
