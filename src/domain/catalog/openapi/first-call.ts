import type { JsonObject, Lookup } from './lookup.js';
import { requirementsOf, schemesOf, type DigestScheme } from './security.js';

/** What a developer who is new to an API asks for first. */
export interface FirstCall {
  /** Below the address of the server; its letters mean nothing to a shell. */
  readonly path: string;
  /** What proves who calls, all of it; empty where the document asks for nothing. */
  readonly proofs: readonly CallProof[];
}

export interface CallProof {
  /**
   * Where it goes. `bearer` is the `Authorization` header; `token` the same, with a token that the API itself issues; `other`
   * what no plain request shows.
   */
  readonly kind: 'header' | 'query' | 'cookie' | 'bearer' | 'basic' | 'token' | 'other';
  /** Of the header, query parameter or cookie. */
  readonly name: string;
}

interface Candidate {
  readonly entry: { readonly method: string; readonly path: string; readonly isWebhook: boolean };
  readonly operation: JsonObject;
}

const PLAIN_PATH = /^\/[\w.~{}/-]*$/;
const PLAIN_NAME = /^[\w.-]{1,100}$/;

/** The first operation that can be read and has no parameters in its path, else the first that can be read. */
export function firstCallOf(document: JsonObject, operations: readonly Candidate[], lookup: Lookup): FirstCall {
  const readable = operations.filter(({ entry: { method, path, isWebhook } }) => {
    return method === 'get' && !isWebhook && PLAIN_PATH.test(path);
  });
  const first = readable.find(({ entry }) => !entry.path.includes('{')) ?? readable[0];
  return { path: first?.entry.path ?? '/', proofs: proofsOf(first?.operation ?? {}, document, lookup) };
}

/** Of several ways in the first that asks for something, as in the reference. */
function proofsOf(operation: JsonObject, document: JsonObject, lookup: Lookup): CallProof[] {
  const ways = requirementsOf(operation.security ?? document.security);
  const way = ways.find((one) => one.length > 0) ?? [];
  const schemes = new Map(schemesOf(document, lookup).map((scheme) => [scheme.name, scheme]));
  return way.map(({ name }) => proofOf(schemes.get(name)));
}

function proofOf(scheme: DigestScheme | undefined): CallProof {
  if (scheme?.type === 'apiKey') return keyOf(scheme);
  if (scheme?.type === 'http' && scheme.scheme === 'basic') return { kind: 'basic', name: '' };
  if (scheme?.type === 'http' && scheme.scheme === 'bearer') return { kind: 'bearer', name: '' };
  if (scheme?.type === 'oauth2' || scheme?.type === 'openIdConnect') return { kind: 'token', name: '' };
  return { kind: 'other', name: '' };
}

function keyOf({ in: place, param }: DigestScheme): CallProof {
  const kinds = ['header', 'query', 'cookie'] as const;
  const kind = kinds.find((one) => one === place);
  return kind && PLAIN_NAME.test(param) ? { kind, name: param } : { kind: 'other', name: '' };
}
