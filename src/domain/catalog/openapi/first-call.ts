import { arrayOf, objectOf, type JsonObject, type Lookup } from './lookup.js';
import { requirementsOf, schemesOf, type IndexedScheme } from './security.js';

/** The example call shown to a developer who is new to an API. */
export interface FirstCall {
  /** Relative to the server's address; safe in a shell. */
  readonly path: string;
  /** All required credentials; empty if the document requires none. */
  readonly proofs: readonly CallProof[];
  /** URL fragment of the operation in the reference; null without an operation. */
  readonly anchor: string | null;
  /** The example that the document gives of a good answer; null without one: nothing is made up. */
  readonly answer: AnswerExample | null;
}

export interface AnswerExample {
  readonly status: string;
  /** JSON, cut at the end of a line where it is long. */
  readonly text: string;
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
  readonly entry: {
    readonly method: string;
    readonly path: string;
    readonly anchor: string;
    readonly isWebhook: boolean;
  };
  readonly operation: JsonObject;
}

const GOOD_STATUS = /^2(?:\d\d|XX)$/;
const JSON_TYPE = /[/+]json\b/i;
const LONGEST_ANSWER = 2_000;
const MOST_LINES = 20;
const PLAIN_PATH = /^\/[\w.~{}/-]*$/;
const PLAIN_NAME = /^[\w.-]{1,100}$/;

/** Among GET operations, the first without path parameters that has an example of its answer, else the first. */
export function firstCallOf(document: JsonObject, operations: readonly Candidate[], lookup: Lookup): FirstCall {
  const readable = operations.filter(({ entry: { method, path, isWebhook } }) => {
    return method === 'get' && !isWebhook && PLAIN_PATH.test(path);
  });
  const plain = readable.filter(({ entry }) => !entry.path.includes('{'));
  const first = plain.find(({ operation }) => answerOf(operation, lookup)) ?? plain[0] ?? readable[0];
  return {
    path: first?.entry.path ?? '/',
    proofs: proofsOf(first?.operation ?? {}, document, lookup),
    anchor: first?.entry.anchor ?? null,
    answer: first ? answerOf(first.operation, lookup) : null,
  };
}

function answerOf({ responses }: JsonObject, lookup: Lookup): AnswerExample | null {
  for (const [status, value] of Object.entries(objectOf(responses))) {
    if (!GOOD_STATUS.test(status)) continue;
    const example = exampleIn(lookup.object(value), lookup);
    const text = example === undefined ? undefined : JSON.stringify(example, null, 2);
    if (text !== undefined) return { status, text: shorten(text) };
  }
  return null;
}

function exampleIn(response: JsonObject, lookup: Lookup): unknown {
  const content = objectOf(response.content);
  const type = Object.keys(content).find((name) => JSON_TYPE.test(name));
  const media = type === undefined ? {} : lookup.object(content[type]);
  const [named] = Object.values(objectOf(media.examples));
  const schema = lookup.object(media.schema ?? response.schema);
  return [
    media.example,
    lookup.object(named).value,
    objectOf(response.examples)['application/json'],
    schema.example,
    arrayOf(schema.examples)[0],
  ].find((example) => example !== undefined);
}

function shorten(text: string): string {
  const lines = text.slice(0, LONGEST_ANSWER).split('\n');
  if (text.length <= LONGEST_ANSWER && lines.length <= MOST_LINES) return text;
  return [...lines.slice(0, Math.min(lines.length - 1, MOST_LINES)), '…'].join('\n');
}

/** Of several alternatives, the first that requires something, as in the reference. */
export function proofsOf(operation: JsonObject, document: JsonObject, lookup: Lookup): CallProof[] {
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
