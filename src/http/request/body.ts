import { isUtf8 } from 'node:buffer';
import express, { type Request, type Response } from 'express';
import { MalformedRequestError, type PortalError } from '../../core/index.js';
import { PayloadTooLargeError, UnsupportedMediaTypeError } from '../errors.js';

/** Limits of S49; the number of bytes is `http.bodyLimit`. */
const MAX_DEPTH = 32;
const MAX_KEYS = 1000;
const MAX_STRING = 256 * 1024;
/** `"\\ud800"` in JSON: an unpaired surrogate, which is not text (RFC 8259 §8.2). */
const HALF_CHARACTER = /\p{Surrogate}/gu;
/** Names that could reach a prototype once the value is merged into another (S51). */
const FORBIDDEN_KEYS = ['__proto__', 'constructor', 'prototype'];

export type BodyReader = (request: Request, response: Response) => Promise<unknown>;

/**
 * Reads a JSON body of at most `limit` bytes (counted after inflation). An empty body is `{}`.
 * @throws UnsupportedMediaTypeError, PayloadTooLargeError, MalformedRequestError
 */
export function createBodyReader(limit: number): BodyReader {
  const parse = express.json({ limit, strict: false, type: () => true, verify: refuseBytes });
  return async (request, response) => {
    if (!hasBody(request)) return {};
    if (!isJson(request)) throw new UnsupportedMediaTypeError();
    await refuseDeclaredLength(request, limit);
    await new Promise<void>((resolve, reject) => {
      parse(request, response, (error?: unknown) => (error ? reject(bodyError(error)) : resolve()));
    });
    const body = request.body as unknown;
    return body === undefined ? {} : clean(body);
  };
}

/** How long a refused body is still read: a client that is cut off while sending may never see the response. */
const LINGER_MS = 1000;

/**
 * Refuses a body whose declared length exceeds the limit. The parser would first receive all of it.
 * @throws PayloadTooLargeError
 */
export async function refuseDeclaredLength(request: Request, limit: number): Promise<void> {
  if (!(Number(request.headers['content-length'] ?? 0) > limit)) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, LINGER_MS);
    request.once('close', resolve).once('end', () => {
      clearTimeout(timer);
      resolve();
    });
    request.resume();
  });
  throw new PayloadTooLargeError();
}

export function hasBody(request: Request): boolean {
  const length = request.headers['content-length'];
  return request.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

export function isJson(request: Request): boolean {
  const type = (request.headers['content-type'] ?? '').split(';', 1)[0] ?? '';
  return /^application\/(?:[a-z0-9.+-]+\+)?json$/i.test(type.trim());
}

// Before JSON.parse: 98 kB of nested arrays exhaust the stack in later code, and an ordinary walk would too. The bytes are
// UTF-8 (RFC 8259 §8.1) or refused: in UTF-16 or UTF-7, which the parser would decode too, nesting can hide from the count.
function refuseBytes(_request: unknown, _response: unknown, body: Buffer, charset: string): void {
  // Plain errors: body-parser sets `status` on what is thrown here, which a PortalError does not allow.
  if (charset !== 'utf-8') throw Object.assign(new Error('not UTF-8'), { type: 'charset.unsupported' });
  if (!isUtf8(body)) throw new Error('broken UTF-8');
  if (nestsDeeperThan(body, MAX_DEPTH)) throw new Error('nested too deep');
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Whether JSON text nests arrays and objects deeper than `limit`. */
export function nestsDeeperThan(json: Buffer, limit: number): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < json.length; index += 1) {
    const byte = json[index];
    if (inString) {
      if (byte === BACKSLASH) index += 1;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === 0x5b || byte === 0x7b) {
      depth += 1;
      if (depth > limit) return true;
    } else if (byte === 0x5d || byte === 0x7d) depth -= 1;
  }
  return false;
}

function clean(body: unknown): unknown {
  let keys = 0;
  const walk = (value: unknown): void => {
    if (typeof value === 'string' && value.length > MAX_STRING) throw new MalformedRequestError();
    if (value === null || typeof value !== 'object') return;
    if (!Array.isArray(value))
      for (const name of FORBIDDEN_KEYS) if (Object.hasOwn(value, name)) deleteKey(value, name);
    for (const [name, item] of Object.entries(value)) {
      keys += 1;
      if (keys > MAX_KEYS) throw new MalformedRequestError();
      if (typeof item === 'string') (value as Record<string, unknown>)[name] = repairText(item);
      walk(item);
    }
  };
  walk(body);
  return body;
}

// A text column would store it as U+FFFD, and a JSON column of MariaDB refuses it.
function repairText(text: string): string {
  return text.replace(HALF_CHARACTER, '\ufffd');
}

function deleteKey(value: object, name: string): void {
  delete (value as Record<string, unknown>)[name];
}

export function bodyError(error: unknown): PortalError {
  const type = (error as { type?: unknown }).type;
  if (type === 'entity.too.large') return new PayloadTooLargeError();
  if (type === 'encoding.unsupported' || type === 'charset.unsupported') return new UnsupportedMediaTypeError();
  return new MalformedRequestError({ cause: error });
}
