import type { RequestHandler, Response } from 'express';
import { ServiceUnavailableError } from '../../core/index.js';

/** Bodies from here on are sent piece by piece and counted; the memory of smaller ones is that of any request. */
export const LARGE_BODY = 65_536;
/** Seconds after which a client may ask again; about as long as somebody reads who reads at all. */
const RETRY_AFTER_S = 5;

/**
 * The memory of large bodies that clients are still reading. A buffer that many read counts once, so what everybody gets is
 * kept in one buffer; without a bound, clients that ask and do not read would fill the memory with the rest.
 */
export class LargeBodies {
  /** Memory of a buffer → how many answers it is being sent in. */
  private readonly readers = new Map<ArrayBufferLike, number>();
  private held = 0;

  /** @param most bytes of all together; a single one may be larger */
  constructor(private readonly most: number) {}

  /** Bytes that are held now. */
  get size(): number {
    return this.held;
  }

  /**
   * Holds the memory of a body until the returned function is called.
   * @throws ServiceUnavailableError when there is no room for it
   */
  hold({ buffer: memory }: Buffer): () => void {
    const others = this.readers.get(memory) ?? 0;
    const more = others === 0 ? memory.byteLength : 0;
    if (more > 0 && this.held > 0 && this.held + more > this.most)
      throw new ServiceUnavailableError(RETRY_AFTER_S, { detail: 'too many large answers wait for their readers' });
    this.held += more;
    this.readers.set(memory, others + 1);
    let isHeld = true;
    return () => {
      if (isHeld) this.release(memory);
      isHeld = false;
    };
  }

  private release(memory: ArrayBufferLike): void {
    const others = (this.readers.get(memory) ?? 1) - 1;
    if (others > 0) return void this.readers.set(memory, others);
    this.readers.delete(memory);
    this.held -= memory.byteLength;
  }
}

/** Counts what is answered from here on. */
export function countLargeBodies(bodies: LargeBodies): RequestHandler {
  return (_request, response, next) => {
    response.locals.largeBodies = bodies;
    next();
  };
}

/** Holds the body of an answer until it is sent, or its reader is gone. @throws ServiceUnavailableError */
export function holdBody(response: Response, body: Buffer): void {
  const { largeBodies } = response.locals as { largeBodies?: LargeBodies };
  if (response.destroyed) return;
  const release = largeBodies?.hold(body);
  if (release) response.once('close', release);
}
