import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import type { StreamReply } from './reply.js';

/**
 * Sends a body in chunks. Waits for the first chunk before sending anything, so that an early failure still gets an
 * error answer. If the client disconnects, production stops.
 */
export async function sendStream(request: Request, response: Response, { body, headers }: StreamReply): Promise<void> {
  const pieces = body[Symbol.asyncIterator]();
  const first = await pieces.next();
  response.status(200).set(headers);
  if (request.method === 'HEAD') {
    await pieces.return?.();
    response.end();
    return;
  }
  async function* all(): AsyncGenerator<string | Buffer> {
    try {
      for (let piece = first; piece.done !== true; piece = await pieces.next()) yield piece.value;
    } finally {
      await pieces.return?.();
    }
  }
  try {
    await pipeline(Readable.from(all(), { highWaterMark: 2 }), response);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}
