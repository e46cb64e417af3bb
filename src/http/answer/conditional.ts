import { PreconditionFailedError, type ExpectedVersion } from '../../core/index.js';

/**
 * Tags of `If-None-Match` without their quotes. A weak tag is as good as a strong one here (RFC 9110, 13.1.2): a proxy that
 * compresses makes ours weak.
 */
export function readKnownTags(header: string | string[] | undefined): string[] {
  return String(header ?? '')
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//, '').replace(/^"|"$/g, ''))
    .filter((tag) => tag !== '');
}

/**
 * Whether the client already has this version.
 * @param tag without quotes
 */
export function isHeld(header: string | string[] | undefined, tag: string): boolean {
  if (header === undefined) return false;
  const known = readKnownTags(header);
  return known.includes(tag) || known.includes('*');
}

const TAG = /^"([0-9a-z]{1,11})"$/;

/** The version of a record in a response: when it was last changed. Undefined for data without one. */
export function etagOf(data: unknown): string | undefined {
  const { updated_at: changed } = (data ?? {}) as { updated_at?: unknown };
  return changed instanceof Date ? `"${changed.getTime().toString(36)}"` : undefined;
}

/**
 * The version that `If-Match` requires. Weak tags and lists match nothing that we issued.
 * @throws PreconditionFailedError
 */
export function readIfMatch(header: string | undefined): ExpectedVersion {
  if (header === undefined || header.trim() === '*') return undefined;
  const [, version] = TAG.exec(header.trim()) ?? [];
  if (version === undefined) throw new PreconditionFailedError();
  return new Date(Number.parseInt(version, 36));
}
