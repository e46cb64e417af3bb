import { NotFoundError, PortalError } from '../core/index.js';

export class RouteNotFoundError extends NotFoundError {
  static override readonly code = 'route_not_found';
  static override readonly publicMessage = 'Route not found.';
}

export class MethodNotAllowedError extends PortalError {
  static override readonly code = 'method_not_allowed';
  static override readonly status = 405;
  static override readonly publicMessage = 'Method not allowed.';

  constructor(allowed: readonly string[]) {
    super({ headers: { Allow: allowed.join(', ') } });
  }
}

export class PayloadTooLargeError extends PortalError {
  static override readonly code = 'payload_too_large';
  static override readonly status = 413;
  static override readonly publicMessage = 'Payload too large.';
}

export class UnsupportedMediaTypeError extends PortalError {
  static override readonly code = 'unsupported_media_type';
  static override readonly status = 415;
  static override readonly publicMessage = 'Unsupported media type.';
}

export class HostNotAllowedError extends PortalError {
  static override readonly code = 'host_not_allowed';
  static override readonly status = 400;
  static override readonly publicMessage = 'Host not allowed.';
}
