import type { OutlineOperation } from '../openapi/build-index.js';

/** Path templates of a document against the paths of calls. */

const LONGEST_PATH = 4_000;

/**
 * The segments of the path of a call, as most servers read it: without query, empty and dot segments, and with letters, digits
 * and `-._~` that need no encoding decoded. null for what cannot be one.
 */
export function segmentsOf(uri: string): readonly string[] | null {
  const path = uri.split(/[?#]/, 1)[0] ?? '';
  if (path.length > LONGEST_PATH) return null;
  const plain = path.replace(/%([2-7][0-9a-f])/gi, (whole, hex: string) => {
    const letter = String.fromCharCode(Number.parseInt(hex, 16));
    return /[A-Za-z0-9\-._~]/.test(letter) ? letter : whole.toUpperCase();
  });
  const segments: string[] = [];
  for (const segment of plain.split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  return segments;
}

/** Finds out whether segments are those of a template: `/payments/{id}`, `/files/{name}.json`. */
export type PathMatcher = (segments: readonly string[]) => boolean;

/** @param prefix literal path before the template; calls that come without it match too */
export function pathMatcher(template: string, prefix = ''): PathMatcher {
  const before = segmentsOf(prefix) ?? [];
  const parts = (segmentsOf(template) ?? []).map(segmentMatcher);
  return (segments) => {
    const isPrefixed = before.length > 0 && before.every((segment, index) => segments[index] === segment);
    return fits(parts, segments) || (isPrefixed && fits(parts, segments.slice(before.length)));
  };
}

function fits(parts: readonly ((segment: string) => boolean)[], segments: readonly string[]): boolean {
  return parts.length === segments.length && parts.every((part, index) => part(segments[index] ?? ''));
}

/** One parameter at most is looked for in a segment, between what stands before and after: no pattern that could be slow. */
function segmentMatcher(part: string): (segment: string) => boolean {
  const [start, end] = [part.indexOf('{'), part.lastIndexOf('}')];
  if (start === -1 || end < start) return (segment) => segment === part;
  const [head, tail] = [part.slice(0, start), part.slice(end + 1)];
  return (segment) => segment.length > head.length + tail.length && segment.startsWith(head) && segment.endsWith(tail);
}

/**
 * The paths of other operations with the same method that calls of a template would match too: a document with
 * `/payments/{id}` and `/payments/latest` means the second where both fit.
 */
export function exceptionsOf(
  { method, path }: { readonly method: string; readonly path: string },
  operations: readonly Pick<OutlineOperation, 'method' | 'path' | 'isWebhook'>[],
): string[] {
  const isCovered = pathMatcher(path);
  return operations
    .filter((other) => !other.isWebhook && other.method.toUpperCase() === method && other.path !== path)
    .filter((other) => isCovered(segmentsOf(other.path) ?? []) && literals(other.path) > literals(path))
    .map((other) => other.path)
    .slice(0, MOST_EXCEPTIONS);
}

const MOST_EXCEPTIONS = 200;

function literals(path: string): number {
  return path.split('/').filter((segment) => segment !== '' && !segment.includes('{')).length;
}
