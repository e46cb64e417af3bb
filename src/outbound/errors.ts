import { ServiceUnavailableError } from '../core/index.js';

/**
 * Why a request failed. `refused`: the rules forbid the address. The others describe the response, or the lack of one.
 */
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
