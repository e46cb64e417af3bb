import { ServiceUnavailableError } from '../core/index.js';

/** `refused`: the rules forbid the address. The others: what the answer, or the lack of one, was. */
export type OutboundFailure = 'refused' | 'too-large' | 'too-slow' | 'failed';

/** A request to an address that somebody else named came to nothing. What was answered is never part of it. */
export class OutboundError extends ServiceUnavailableError {
  constructor(
    readonly failure: OutboundFailure,
    detail: string,
    cause?: unknown,
  ) {
    super(5, { detail, cause });
  }
}
