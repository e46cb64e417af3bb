import { PortalError, ServiceUnavailableError } from '../core/index.js';

/**
 * What a driver throws, and nothing else. A surface answers 502 unless the domain knows better: the client did nothing
 * wrong, the portal and its gateway do not understand each other.
 */
export class GatewayError extends PortalError {
  static override readonly code: string = 'gateway_error';
  static override readonly status: number = 502;
  static override readonly publicMessage: string = 'Gateway error.';
}

/** The addressed developer, app, key or grant is not there. */
export class GatewayNotFoundError extends GatewayError {
  static override readonly code = 'gateway_not_found';
}

/** Something else already has that name or id. */
export class GatewayConflictError extends GatewayError {
  static override readonly code = 'gateway_conflict';
}

/** The gateway understood and said no, or answered something that makes no sense. */
export class GatewayRefusedError extends GatewayError {
  static override readonly code = 'gateway_refused';
}

/** The gateway cannot be reached or has no capacity; nothing was changed. */
export class GatewayUnavailableError extends ServiceUnavailableError {
  static override readonly code = 'gateway_unavailable';
}

/** No answer in time. What was asked for may have been done. */
export class GatewayTimeoutError extends GatewayError {
  static override readonly code = 'gateway_timeout';
  static override readonly status = 504;
  static override readonly publicMessage = 'Gateway timeout.';
}
