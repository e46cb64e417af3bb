import { GatewayRefusedError, GatewayTimeoutError, GatewayUnavailableError, type GatewayError } from '../errors.js';

/**
 * Why a call has no answer that could be read.
 * `unreachable`: it never arrived. `throttled`: it was turned away. Nothing happened in both cases.
 * `timeout`, `lost` (the connection broke), `faulty` (the backend says that it failed), `unreadable` (cut off, no JSON,
 * too long): what was asked for may have been done.
 */
export type FailureKind = 'unreachable' | 'throttled' | 'timeout' | 'lost' | 'faulty' | 'unreadable';

interface FailureOptions {
  /** Seconds that the backend asked to wait. */
  readonly retryAfter?: number | null;
  readonly status?: number;
  readonly cause?: unknown;
}

/** Inside of remote drivers only; leaves them as one of the errors of the contract. */
export class CallFailure extends Error {
  readonly retryAfter: number | null;
  readonly status: number | undefined;

  constructor(
    readonly kind: FailureKind,
    message: string,
    { retryAfter = null, status, cause }: FailureOptions = {},
  ) {
    super(message, { cause });
    this.name = 'CallFailure';
    this.retryAfter = retryAfter;
    this.status = status;
  }

  /** Whether what was asked for may have been done. */
  get outcomeIsUnknown(): boolean {
    return this.kind !== 'unreachable' && this.kind !== 'throttled';
  }

  /** Whether it says something about the health of the backend. */
  get countsAsIllness(): boolean {
    return this.kind !== 'throttled';
  }
}

const NO_CAPACITY: readonly (number | undefined)[] = [502, 503];
/** A front end that gave up waiting; what stands behind it may still do what was asked for. */
const NO_PATIENCE = 504;

/** As the contract tells it. */
export function gatewayErrorOf(failure: CallFailure): GatewayError | GatewayUnavailableError {
  const { kind, message: detail, retryAfter, status } = failure;
  switch (kind) {
    case 'unreachable':
    case 'throttled':
      return new GatewayUnavailableError(retryAfter ?? 1, { detail, cause: failure });
    case 'timeout':
    case 'lost':
      return new GatewayTimeoutError({ detail, cause: failure });
    case 'faulty':
      if (status === NO_PATIENCE) return new GatewayTimeoutError({ detail, cause: failure });
      return NO_CAPACITY.includes(status)
        ? new GatewayUnavailableError(retryAfter ?? 1, { detail, cause: failure })
        : new GatewayRefusedError({ detail, cause: failure });
    case 'unreadable':
      return new GatewayRefusedError({ detail, cause: failure });
  }
}

/** `INVALID_ARGUMENT`, `keymanagement.service.ApiProductsRequired`, `oauth.v2.InvalidAccessToken`. */
const CODE = /^[A-Za-z]+(?:[._][A-Za-z]+|[._]v\d)*$/;
const LONGEST = 100;

/** The code of an answer as a log may hold it: empty for what could as well be a key or a secret that is said again (S69). */
export function showCode(code: unknown): string {
  return typeof code === 'string' && code.length <= LONGEST && CODE.test(code) ? code : '';
}
