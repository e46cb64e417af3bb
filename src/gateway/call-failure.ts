import { GatewayRefusedError, GatewayTimeoutError, GatewayUnavailableError, type GatewayError } from './errors.js';

/**
 * Why a call has no usable response. `unreachable`: it never arrived. `throttled`: it was rejected. In both cases
 * nothing happened. `timeout`, `lost` (the connection broke), `faulty` (the backend reports a failure), `unreadable`
 * (truncated, not JSON, too long): it may have been carried out.
 */
export type FailureKind = 'unreachable' | 'throttled' | 'timeout' | 'lost' | 'faulty' | 'unreadable';

interface FailureOptions {
  /** Seconds to wait, as requested by the backend. */
  readonly retryAfter?: number | null;
  readonly status?: number;
  readonly cause?: unknown;
}

/** Internal to remote drivers; converted to a contract error before it leaves them. */
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

  /** Whether the call may have been carried out. */
  get outcomeIsUnknown(): boolean {
    return this.kind !== 'unreachable' && this.kind !== 'throttled';
  }

  /** Whether it counts against the health of the backend. */
  get countsAsIllness(): boolean {
    return this.kind !== 'throttled';
  }
}

const NO_CAPACITY: readonly (number | undefined)[] = [502, 503];
/** 504: a front end gave up waiting; its backend may still carry out the call. */
const NO_PATIENCE = 504;

/** The matching error of the contract. */
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

/** An error code in loggable form: empty if it could be an echoed key or secret (S69). */
export function showCode(code: unknown): string {
  return typeof code === 'string' && code.length <= LONGEST && CODE.test(code) ? code : '';
}
