import type { Response } from 'express';
import { prepareBody } from './send-body.js';

/** The ingredients of a response, before it is written. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

/**
 * Writes an answer. @throws ServiceUnavailableError, before anything is written, when too many large bodies are being
 * sent
 */
export function write(response: Response, { status, headers, body }: Answer): void {
  const send = prepareBody(response, body);
  response.statusCode = status;
  response.set(headers);
  send();
}

/** A response without Express's ETag of the bytes: clients get the version of the record instead. */
export function json(status: number, body: object, headers: Readonly<Record<string, string>> = {}): Answer {
  const text = JSON.stringify(body);
  const type = 'application/json; charset=utf-8';
  const length = String(Buffer.byteLength(text));
  return { status, headers: { ...headers, 'content-type': type, 'content-length': length }, body: text };
}
