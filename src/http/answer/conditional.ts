/** Tags of `If-None-Match` without their quotes; a weak tag is as good as a strong one here (RFC 9110, 13.1.2). */
export function knownTags(header: string | string[] | undefined): string[] {
  return String(header ?? '')
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//, '').replace(/^"|"$/g, ''))
    .filter((tag) => tag !== '');
}
