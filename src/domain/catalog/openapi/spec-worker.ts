import { parentPort } from 'node:worker_threads';
import { stringify } from 'yaml';
import { buildIndex, type IndexParts } from './build-index.js';
import { readRequest, type SpecRequest } from './read-request.js';
import { readSpec, type StoredSpec } from './read-spec.js';
import { SpecRefusal } from './refusal.js';

/** What the thread is asked. */
export type SpecTask =
  | { readonly kind: 'read'; readonly text: string; readonly maxBytes: number }
  | { readonly kind: 'read-request'; readonly body: string; readonly maxBytes: number }
  | { readonly kind: 'to-yaml'; readonly document: string }
  | { readonly kind: 'index'; readonly document: string };

/** What it says: `ready` once its code is loaded, then one of the others. */
export type SpecAnswer =
  | { readonly kind: 'ready' }
  | { readonly kind: 'read'; readonly spec: StoredSpec }
  | { readonly kind: 'request'; readonly request: SpecRequest | null }
  | { readonly kind: 'yaml'; readonly text: string }
  | { readonly kind: 'index'; readonly parts: IndexParts }
  | { readonly kind: 'refused'; readonly reason: string; readonly field: SpecRefusal['field'] };

function answer(task: SpecTask): SpecAnswer {
  try {
    if (task.kind === 'read') return { kind: 'read', spec: readSpec(task.text, task.maxBytes) };
    if (task.kind === 'read-request') return { kind: 'request', request: readRequest(task.body, task.maxBytes) };
    if (task.kind === 'index') return { kind: 'index', parts: buildIndex(task.document) };
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

/** Transferred instead of copied. */
function buffersOf({ index, bytes }: IndexParts): ArrayBuffer[] {
  return [index.buffer as ArrayBuffer, bytes.buffer as ArrayBuffer];
}

parentPort?.on('message', (task: SpecTask) => {
  const reply = answer(task);
  parentPort?.postMessage(reply, reply.kind === 'index' ? buffersOf(reply.parts) : []);
});
parentPort?.postMessage({ kind: 'ready' } satisfies SpecAnswer);
