import type { Request } from 'express';
import {
  MalformedRequestError,
  workOnce,
  type IdempotencyStore,
  type IdempotentCall,
  type CachedAnswer,
} from '../core/index.js';
import type { Answer } from './answer/answer.js';
import type { Actor, Route } from './route.js';

const HEADER = 'Idempotency-Key';
/** A structured field string (RFC 9651), as the draft requires, or the bare value that most clients send. */
const QUOTED = /^"([\x20-\x21\x23-\x5b\x5d-\x7e]{1,255})"$/;
const BARE = /^[A-Za-z0-9._~:/+=-]{1,255}$/;

/**
 * The client's idempotency key, if any; the same with or without quotes.
 * @throws MalformedRequestError naming the header
 */
export function readIdempotencyKey(request: Pick<Request, 'headers'>): string | undefined {
  const header = request.headers['idempotency-key'];
  if (header === undefined) return undefined;
  const text = String(header).trim();
  const key = QUOTED.exec(text)?.[1] ?? BARE.exec(text)?.[0];
  if (key === undefined) {
    const sentence = 'Send one value of 1 to 255 characters, for example a UUID in double quotes.';
    throw new MalformedRequestError({ errors: { [HEADER]: [sentence] } });
  }
  return key;
}

/** The part of a request that is identical when it is sent again; members of objects may come in another order. */
export function idempotentCall(
  { idempotent, context, method }: Pick<Route, 'idempotent' | 'context' | 'method'>,
  request: Pick<Request, 'originalUrl'>,
  key: string,
  actor: Actor | null,
  bodies: { readonly raw: unknown; readonly valid: unknown },
): IdempotentCall {
  const owner = typeof idempotent === 'function' ? idempotent(bodies.valid as never) : String(actor?.id);
  const [path = ''] = request.originalUrl.split('?', 1);
  return { scope: `${context} ${owner}`, key, content: JSON.stringify([method, path, sortKeys(bodies.raw)]) };
}

const REPLAYED = { 'Idempotency-Replayed': 'true' };

/**
 * Does the work once: a retry gets the first response or, if the first request died, continues from there. An error
 * leaves no trace of work that was not done, so the client may retry with the same key, after a validation error also
 * with another body.
 */
export async function runOnce(
  store: IdempotencyStore,
  call: IdempotentCall,
  work: () => Promise<Answer>,
): Promise<Answer> {
  const begun = await store.begin(call);
  if ('status' in begun) return { ...begun, headers: { ...begun.headers, ...REPLAYED } };
  let answer: Answer;
  try {
    answer = await workOnce(begun, work);
  } catch (error) {
    await begun.release();
    throw error;
  }
  await begun.keep(toCachedAnswer(answer));
  return begun.notes.length === 0 ? answer : { ...answer, headers: { ...answer.headers, ...REPLAYED } };
}

function toCachedAnswer({ status, headers, body }: Answer): CachedAnswer {
  return { status, headers, body: body.toString() };
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (value === null || typeof value !== 'object') return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sortKeys(member)]));
}
