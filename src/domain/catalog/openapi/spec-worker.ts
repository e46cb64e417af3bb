import { parentPort } from 'node:worker_threads';
import { stringify } from 'yaml';
import { diffSpecs, type SpecDiff } from './diff/diff-documents.js';
import type { SunsetPolicy } from './diff/diff-lifecycle.js';
import { readArazzo } from './arazzo.js';
import { buildActionIndex, buildIndex, type IndexParts } from './build-index.js';
import { readDocument, readSpec } from './read-spec.js';
import type { StoredSpec } from './stored-spec.js';
import type { JsonObject } from './lookup.js';
import { SpecRefusal } from './refusal.js';
import { isStoredSdl } from './sdl.js';
import { writeReference, type WrittenOrder } from './written/write-reference.js';
import { sayUnknownField } from '../../../core/closest.js';

/** A task for the thread. */
export type SpecTask =
  | { readonly kind: 'read'; readonly text: string; readonly maxBytes: number }
  /** The same of an Arazzo document. */
  | { readonly kind: 'read-workflows'; readonly text: string; readonly maxBytes: number }
  | { readonly kind: 'read-request'; readonly body: string; readonly maxBytes: number }
  | { readonly kind: 'to-yaml'; readonly document: string }
  | { readonly kind: 'index'; readonly document: string }
  | { readonly kind: 'compare'; readonly old: string; readonly present: string; readonly policy: SunsetPolicy }
  | { readonly kind: 'write'; readonly pieces: Uint8Array; readonly order: WrittenOrder };

/** A message from the thread: `ready` once its code is loaded, then one of the others. */
export type SpecAnswer =
  | { readonly kind: 'ready' }
  | { readonly kind: 'read'; readonly spec: StoredSpec }
  | { readonly kind: 'request'; readonly request: SpecRequest | null }
  | { readonly kind: 'yaml'; readonly text: string }
  | { readonly kind: 'index'; readonly parts: IndexParts }
  | { readonly kind: 'written'; readonly text: string }
  | { readonly kind: 'compared'; readonly diff: SpecDiff }
  | { readonly kind: 'refused'; readonly reason: string; readonly field: SpecRefusal['field'] };

async function answer(task: SpecTask): Promise<SpecAnswer> {
  try {
    if (task.kind === 'read') return { kind: 'read', spec: await readSpec(task.text, task.maxBytes) };
    if (task.kind === 'read-workflows') return { kind: 'read', spec: readArazzo(task.text, task.maxBytes) };
    if (task.kind === 'read-request') return { kind: 'request', request: await readRequest(task.body, task.maxBytes) };
    if (task.kind === 'index') return { kind: 'index', parts: await indexDocument(task.document) };
    if (task.kind === 'compare') {
      if ([task.old, task.present].some(isStoredSdl)) {
        throw new SpecRefusal('Only OpenAPI and Swagger documents are compared; one of these is GraphQL.');
      }
      const [old, present] = [task.old, task.present].map((text) => JSON.parse(text) as JsonObject);
      return { kind: 'compared', diff: diffSpecs(old ?? {}, present ?? {}, task.policy) };
    }
    if (task.kind === 'write') {
      const pieces = new TextDecoder().decode(task.pieces);
      return { kind: 'written', text: await writeReference(pieces, task.order) };
    }
    return {
      kind: 'yaml',
      text: stringify(JSON.parse(task.document), { lineWidth: 120, aliasDuplicateObjects: false }),
    };
  } catch (error) {
    // This thread's stack was exhausted by a document nested deeper than any upload may be.
    if (error instanceof RangeError) return { kind: 'refused', reason: 'The document nests too deep.', field: 'spec' };
    if (error instanceof SpecRefusal) return { kind: 'refused', reason: error.message, field: error.field };
    throw error;
  }
}

// Most threads never need the package for GraphQL.
async function indexDocument(document: string): Promise<IndexParts> {
  if (!isStoredSdl(document)) return buildIndex(document);
  const { describeGraphql } = await import('./graphql/describe-schema.js');
  const schema = describeGraphql(document);
  return buildActionIndex('graphql', schema.document, schema.actions);
}

/** The buffers to transfer instead of copying them. */
function buffersOf({ index, bytes, search }: IndexParts): ArrayBuffer[] {
  const { starts, postings, owners, offsets, texts } = search;
  return [index, bytes, starts, postings, owners, offsets, texts].map(({ buffer }) => buffer as ArrayBuffer);
}

parentPort?.on('message', (task: SpecTask) => {
  void answer(task).then((reply) => {
    parentPort?.postMessage(reply, reply.kind === 'index' ? buffersOf(reply.parts) : []);
  });
});
parentPort?.postMessage({ kind: 'ready' } satisfies SpecAnswer);

/** The content of a JSON body: a document, or the address of one. */
type SpecRequest = { readonly spec: StoredSpec } | { readonly url: string };

/**
 * Reads the JSON body `{spec}` or `{url}`. It may be as large as a document, so it is parsed in the worker too (S48).
 * @returns null if it is not JSON
 * @throws SpecRefusal
 */
async function readRequest(body: string, maxBytes: number): Promise<SpecRequest | null> {
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
  if (unknown !== undefined) throw new SpecRefusal(sayUnknownField(unknown, ['spec', 'url']), unknown);
  if ((spec === undefined) === (url === undefined)) throw new SpecRefusal('Send either spec or url.');
  if (url !== undefined) {
    if (typeof url !== 'string') throw new SpecRefusal('url must be a string.', 'url');
    return { url };
  }
  if (typeof spec === 'string') return { spec: await readSpec(spec, maxBytes) };
  return { spec: await readDocument(spec, maxBytes) };
}
