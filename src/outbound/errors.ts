import { ServiceUnavailableError } from '../core/index.js';

/** `refused`: the rules forbid the address. The others: what the answer, or the lack of one, was. */
export type OutboundFailure = 'refused' | 'too-large' | 'too-slow' | 'failed';

/** A request to a URL from outside failed. Never contains any of the response. */
export class OutboundError extends ServiceUnavailableError {
  constructor(
    readonly failure: OutboundFailure,
    detail: string,
    cause?: unknown,
  ) {
    super(5, { detail, cause });
  }
}
