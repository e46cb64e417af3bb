import { PortalError, ServiceUnavailableError } from '../core/index.js';

/**
 * The only errors that a driver throws. Responses use 502 unless the domain knows better: the fault lies between the
 * portal and its gateway, not with the client.
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

/** The gateway refused, or its response made no sense. */
export class GatewayRefusedError extends GatewayError {
  static override readonly code = 'gateway_refused';
}

/** The gateway cannot be reached or has no capacity; nothing was changed. */
export class GatewayUnavailableError extends ServiceUnavailableError {
  static override readonly code = 'gateway_unavailable';
}

/** No response in time. The operation may have been carried out. */
export class GatewayTimeoutError extends GatewayError {
  static override readonly code = 'gateway_timeout';
  static override readonly status = 504;
  static override readonly publicMessage = 'Gateway timeout.';
}
