/** Field name → what is wrong with it, each a full sentence. Empty when no field is to blame. */
export type FieldErrors = Record<string, string[]>;

export interface PortalErrorOptions {
  /** Replaces the class's public sentence. Shown to clients of status < 500. */
  message?: string;
  errors?: FieldErrors;
  /** For the log only; never leaves the process. */
  detail?: string;
  /** Response headers that belong to this error, for example `Retry-After`. */
  headers?: Record<string, string>;
  cause?: unknown;
}

/**
 * Base of every error that a surface may answer with. `status` is the HTTP status, `publicMessage` is sent to clients,
 * `detail` and `cause` are logged. Surfaces recognise errors by class or `code`, never by their text.
 */
export class PortalError extends Error {
  static readonly code: string = 'internal_error';
  static readonly status: number = 500;
  static readonly publicMessage: string = 'Internal server error.';

  readonly errors: FieldErrors;
  readonly detail: string | undefined;
  readonly headers: Record<string, string>;

  constructor(options: PortalErrorOptions = {}) {
    super(options.message, { cause: options.cause });
    const type = new.target;
    this.name = type.name;
    this.message = options.message ?? type.publicMessage;
    this.errors = options.errors ?? {};
    this.detail = options.detail;
    this.headers = options.headers ?? {};
  }

  get code(): string {
    return (this.constructor as typeof PortalError).code;
  }

  get status(): number {
    return (this.constructor as typeof PortalError).status;
  }
}

export class MalformedRequestError extends PortalError {
  static override readonly code = 'malformed_request';
  static override readonly status = 400;
  static override readonly publicMessage = 'Malformed request.';
}

/** Asks for a bearer token; deliberately gives no reason for refusing the one that was sent. */
export class UnauthenticatedError extends PortalError {
  static override readonly code = 'unauthenticated';
  static override readonly status = 401;
  static override readonly publicMessage = 'Unauthenticated.';

  constructor(options: PortalErrorOptions = {}) {
    super({ ...options, headers: { 'WWW-Authenticate': 'Bearer', ...options.headers } });
  }
}

export class ForbiddenError extends PortalError {
  static override readonly code: string = 'forbidden';
  static override readonly status = 403;
  static override readonly publicMessage: string = 'Forbidden.';
}

/** A missing record and another account's record get the same answer, byte for byte. */
export class NotFoundError extends PortalError {
  static override readonly code: string = 'resource_not_found';
  static override readonly status = 404;
  static override readonly publicMessage: string = 'Resource not found.';
}

/** For `catch`: null instead of something that does not exist. @throws every other error */
export function nullIfMissing(error: unknown): null {
  if (error instanceof NotFoundError) return null;
  throw error;
}

/** The request conflicts with the current state. `errors` names the field of the record that is in the way. */
export class ConflictError extends PortalError {
  static override readonly code: string = 'conflict';
  static override readonly status = 409;
  static override readonly publicMessage: string = 'Conflict.';

  /** Takes no `message`: clients get the contract's, and the reason next to its field. */
  constructor(options: Omit<PortalErrorOptions, 'message'> = {}) {
    super(options);
  }
}

/** The record has changed since the state that the change was based on (`If-Match`). */
export class PreconditionFailedError extends PortalError {
  static override readonly code = 'precondition_failed';
  static override readonly status = 412;
  static override readonly publicMessage = 'Precondition failed.';
}

export class ValidationError extends PortalError {
  static override readonly code = 'validation_failed';
  static override readonly status = 422;
  static override readonly publicMessage = 'Validation failed.';

  constructor(errors: FieldErrors, options: Omit<PortalErrorOptions, 'errors'> = {}) {
    super({ ...options, errors });
  }
}

export class TooManyAttemptsError extends PortalError {
  static override readonly code = 'too_many_attempts';
  static override readonly status = 429;
  static override readonly publicMessage = 'Too many attempts.';

  /** @param retryAfter seconds until another attempt may succeed; rounded up, at least 1. */
  constructor(retryAfter: number, options: PortalErrorOptions = {}) {
    super({ ...options, headers: { 'Retry-After': roundSeconds(retryAfter), ...options.headers } });
  }
}

/** A dependency of this process is down or overloaded; retrying later makes sense. */
export class ServiceUnavailableError extends PortalError {
  static override readonly code: string = 'service_unavailable';
  static override readonly status = 503;
  static override readonly publicMessage: string = 'Service unavailable.';

  /** @param retryAfter seconds; rounded up, at least 1. */
  constructor(retryAfter = 1, options: PortalErrorOptions = {}) {
    super({ ...options, headers: { 'Retry-After': roundSeconds(retryAfter), ...options.headers } });
  }
}

function roundSeconds(seconds: number): string {
  return String(Math.max(1, Math.ceil(seconds)));
}

/** The configuration is invalid. Carries all faults at once; the CLI exits with 78 (EX_CONFIG of sysexits.h). */
export class ConfigurationError extends Error {
  constructor(readonly faults: readonly string[]) {
    super(
      `The configuration has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`,
    );
    this.name = 'ConfigurationError';
  }
}

/** A programming mistake found at start, for example a route without authorization. Aborts the start. */
export class DeclarationError extends Error {
  override readonly name = 'DeclarationError';
}

/** Stack frames in V8's format. */
const FRAME = /^ {4}at (?:[\w$.<>[\] #]+ \()?(?:async )?[^()\n]+:\d+:\d+\)?$/;
const CLASS = /^[A-Za-z_$][\w$]{0,63}$/;
/** `ECONNREFUSED`, `OAUTH_PARSE_ERROR`: symbolic codes; no key looks like this. */
const CODE = /^[A-Z][A-Z_]{1,63}$/;

/**
 * A loggable form of an error from a service, its client or a host's driver: type, code, status and stack frames. Its
 * message may quote requests or responses, and with them keys, secrets and tokens (S69).
 */
export function foreignError(error: unknown): Error {
  const known = (typeof error === 'object' && error !== null ? error : {}) as Readonly<Record<string, unknown>>;
  const name = typeof known.name === 'string' && CLASS.test(known.name) ? known.name : 'Error';
  const status = [known.status, known.statusCode, known.responseCode].find((value) => Number.isSafeInteger(value));
  const code = typeof known.code === 'string' && CODE.test(known.code) ? known.code : undefined;
  const cause: unknown = known.cause instanceof Error && known.cause !== error ? known.cause : undefined;
  const inner = code === undefined && status === undefined && cause !== undefined ? foreignError(cause) : undefined;
  const facts = [code, status, inner && `from ${inner.message}`].filter((fact) => fact !== undefined);
  const copy = new Error([name, ...facts.map(String)].join(' '));
  copy.name = name;
  copy.stack = [`${name}: ${copy.message}`, ...framesOf(error)].join('\n');
  return code === undefined ? copy : Object.assign(copy, { code });
}

/** The stack frames without the message. */
function framesOf(error: unknown): readonly string[] {
  if (!(error instanceof Error) || typeof error.stack !== 'string') return [];
  const text = error.stack.replace(error.message, '');
  return text.split('\n').filter((line) => FRAME.test(line));
}
