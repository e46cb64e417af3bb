/**
 * Tags of `If-None-Match` without their quotes. A weak tag is as good as a strong one here (RFC 9110, 13.1.2): a proxy that
 * compresses makes ours weak.
 */
export function knownTags(header: string | string[] | undefined): string[] {
  return String(header ?? '')
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//, '').replace(/^"|"$/g, ''))
    .filter((tag) => tag !== '');
}

/** Whether the client already has it. @param tag without quotes */
export function isHeld(header: string | string[] | undefined, tag: string): boolean {
  if (header === undefined) return false;
  const known = knownTags(header);
  return known.includes(tag) || known.includes('*');
}
