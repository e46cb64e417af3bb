import type { Response } from 'express';
import { holdBody, LARGE_BODY } from './large-bodies.js';

/** Small enough to observe the progress of a slow reader; see `http.sendTimeout`. */
const PIECE = 32_768;

/** A body that is ready to be sent and already counted. */
type Sending = () => void;

/**
 * Prepares a body for sending: a large one is counted, and sent in pieces, each once the client has received the one
 * before. Nothing is written before the returned function is called.
 * @throws ServiceUnavailableError if too many large bodies are being sent
 */
export function prepareBody(response: Response, body: string | Buffer): Sending {
  const isBodiless = response.req.method === 'HEAD';
  if (isBodiless || body.length < LARGE_BODY) return () => response.end(isBodiless ? undefined : body);
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  holdBody(response, bytes);
  return () => {
    if (!response.hasHeader('Content-Length')) response.setHeader('Content-Length', bytes.length);
    sendPieces(response, bytes);
  };
}

// The pieces are views of one buffer, so only unsent data is queued, however large the whole is. One piece per turn of
// the event loop: a system that accepts megabytes at once would block everyone else.
function sendPieces(response: Response, body: Buffer): void {
  let at = 0;
  const next = () => {
    if (response.destroyed) return;
    const piece = body.subarray(at, at + PIECE);
    at += PIECE;
    if (at >= body.length) response.end(piece);
    else response.write(piece, () => setImmediate(next));
  };
  next();
}
