import { HostNotAllowedError } from '../http/index.js';
import { ForbiddenError, PortalError } from '../core/index.js';

/** The kinds of errors that pages distinguish, each with the messages `failure.<template>`. */
export type FailureTemplate =
  | 'forbidden'
  | 'viewing'
  | 'view-over'
  | 'missing'
  | 'conflict'
  | 'stale'
  | 'too-large'
  | 'malformed'
  | 'host'
  | 'limited'
  | 'gateway'
  | 'unavailable'
  | 'internal';

export interface Failure {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly template: FailureTemplate;
}

const BY_STATUS: Readonly<Record<number, FailureTemplate>> = {
  400: 'malformed',
  401: 'forbidden',
  403: 'forbidden',
  404: 'missing',
  405: 'missing',
  409: 'conflict',
  412: 'stale',
  413: 'too-large',
  415: 'malformed',
  422: 'malformed',
  429: 'limited',
  502: 'gateway',
  503: 'unavailable',
  504: 'gateway',
};

/** Refused because an admin views the portal as a developer, or did until now. */
export class ViewingError extends ForbiddenError {
  constructor(readonly template: 'viewing' | 'view-over') {
    super();
  }
}

export function failureOf(error: unknown): Failure {
  const { status, headers } = error instanceof PortalError ? error : new PortalError();
  const own = error instanceof ViewingError ? error.template : error instanceof HostNotAllowedError ? 'host' : null;
  const template = own ?? BY_STATUS[status] ?? 'internal';
  return { status, headers, template };
}
