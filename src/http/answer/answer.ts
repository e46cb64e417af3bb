import type { Response } from 'express';

/** What an answer is made of before it is written. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

/** Writes an answer as it is. */
export function write(response: Response, { status, headers, body }: Answer): void {
  response.status(status).set(headers).end(body);
}

/** An answer without Express's ETag of the bytes: the one that clients get is the version of the record. */
export function json(status: number, body: object, headers: Readonly<Record<string, string>> = {}): Answer {
  const text = JSON.stringify(body);
  const type = 'application/json; charset=utf-8';
  const length = String(Buffer.byteLength(text));
  return { status, headers: { ...headers, 'content-type': type, 'content-length': length }, body: text };
}
