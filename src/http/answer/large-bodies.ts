import type { Response } from 'express';
import { ServiceUnavailableError } from '../../core/index.js';

/** Bodies of at least this size are sent in pieces and counted; smaller ones cost no more than any other request. */
export const LARGE_BODY = 65_536;
/** Seconds after which a client may retry; about as long as receiving a body takes. */
const RETRY_AFTER_S = 5;

/**
 * Memory held by large bodies that are being sent. A buffer with many readers counts once, so shared responses use one
 * buffer; without a limit, clients that do not read would exhaust the memory.
 */
export class LargeBodies {
  /** Memory of a buffer → number of responses that it is being sent in. */
  private readonly readers = new Map<ArrayBufferLike, number>();
  private held = 0;

  /** @param most bytes in total; a single body may be larger */
  constructor(private readonly most: number) {}

  /** Bytes held at the moment. */
  get size(): number {
    return this.held;
  }

  /**
   * Holds the memory of a body until the returned function is called.
   * @throws ServiceUnavailableError if there is no room for it
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

/** Holds a body until it is sent or its client is gone. @throws ServiceUnavailableError */
export function holdBody(response: Response, body: Buffer): void {
  const { largeBodies } = response.app.locals as { largeBodies?: LargeBodies };
  if (response.destroyed) return;
  const release = largeBodies?.hold(body);
  if (release) response.once('close', release);
}
