import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import type { StreamReply } from './reply.js';

/**
 * Sends a body piece by piece. The first one is waited for before anything is sent, so that a failure to begin is still
 * answered with an error. A client that leaves ends the producing of the rest.
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
