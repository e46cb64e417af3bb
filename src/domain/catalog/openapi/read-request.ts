import { unknownField } from '../../../core/closest.js';
import { readDocument, readSpec, type StoredSpec } from './read-spec.js';
import { SpecRefusal } from './refusal.js';

/** What a JSON body asks for: this document, or the one at an address. */
export type SpecRequest = { readonly spec: StoredSpec } | { readonly url: string };

/**
 * Reads the JSON body `{spec}` or `{url}`. It may be as large as a document, so it is parsed in the worker too (S48).
 * @returns null if it is not JSON
 * @throws SpecRefusal
 */
export function readRequest(body: string, maxBytes: number): SpecRequest | null {
  let parsed: unknown;
  try {
    parsed = body.trim() === '' ? {} : JSON.parse(body);
  } catch {
    return null;
  }
  if (parsed === null || typeof parsed !== 'object' || Array.isArray(parsed)) {
    throw new SpecRefusal('The body must be an object with spec or url.');
  }
  const { spec, url, ...others } = parsed as { spec?: unknown; url?: unknown };
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw new SpecRefusal(unknownField(unknown, ['spec', 'url']), unknown);
  if ((spec === undefined) === (url === undefined)) throw new SpecRefusal('Send either spec or url.');
  if (url !== undefined) {
    if (typeof url !== 'string') throw new SpecRefusal('url must be a string.', 'url');
    return { url };
  }
  if (typeof spec === 'string') return { spec: readSpec(spec, maxBytes) };
  return { spec: readDocument(spec, maxBytes) };
}
