import type { JsonObject, Lookup } from './lookup.js';
import { requirementsOf, schemesOf, type IndexedScheme } from './security.js';

/** The example call shown to a developer who is new to an API. */
export interface FirstCall {
  /** Relative to the server's address; safe in a shell. */
  readonly path: string;
  /** All required credentials; empty if the document requires none. */
  readonly proofs: readonly CallProof[];
}

export interface CallProof {
  /**
   * Where it is sent. `bearer` is the `Authorization` header; `token` the same, with a token that the API itself
   * issues; `other` cannot be shown in a plain request.
   */
  readonly kind: 'header' | 'query' | 'cookie' | 'bearer' | 'basic' | 'token' | 'other';
  /** Name of the header, query parameter or cookie. */
  readonly name: string;
}

interface Candidate {
  readonly entry: { readonly method: string; readonly path: string; readonly isWebhook: boolean };
  readonly operation: JsonObject;
}

const PLAIN_PATH = /^\/[\w.~{}/-]*$/;
const PLAIN_NAME = /^[\w.-]{1,100}$/;

/** The first GET operation without path parameters, else the first GET operation. */
export function firstCallOf(document: JsonObject, operations: readonly Candidate[], lookup: Lookup): FirstCall {
  const readable = operations.filter(({ entry: { method, path, isWebhook } }) => {
    return method === 'get' && !isWebhook && PLAIN_PATH.test(path);
  });
  const first = readable.find(({ entry }) => !entry.path.includes('{')) ?? readable[0];
  return { path: first?.entry.path ?? '/', proofs: proofsOf(first?.operation ?? {}, document, lookup) };
}

/** Of several alternatives, the first that requires something, as in the reference. */
function proofsOf(operation: JsonObject, document: JsonObject, lookup: Lookup): CallProof[] {
  const ways = requirementsOf(operation.security ?? document.security);
  const way = ways.find((one) => one.length > 0) ?? [];
  const schemes = new Map(schemesOf(document, lookup).map((scheme) => [scheme.name, scheme]));
  return way.map(({ name }) => proofOf(schemes.get(name)));
}

function proofOf(scheme: IndexedScheme | undefined): CallProof {
  if (scheme?.type === 'apiKey') return keyOf(scheme);
  if (scheme?.type === 'http' && scheme.scheme === 'basic') return { kind: 'basic', name: '' };
  if (scheme?.type === 'http' && scheme.scheme === 'bearer') return { kind: 'bearer', name: '' };
  if (scheme?.type === 'oauth2' || scheme?.type === 'openIdConnect') return { kind: 'token', name: '' };
  return { kind: 'other', name: '' };
}

function keyOf({ in: place, param }: IndexedScheme): CallProof {
  const kinds = ['header', 'query', 'cookie'] as const;
  const kind = kinds.find((one) => one === place);
  return kind && PLAIN_NAME.test(param) ? { kind, name: param } : { kind: 'other', name: '' };
}
