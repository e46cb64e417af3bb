import { AsyncLocalStorage } from 'node:async_hooks';

/** What services may know about the request behind a call; CLI and jobs pass their own. */
export interface RequestInfo {
  /** Also in the `X-Request-Id` answer header and in every log line. */
  readonly requestId: string;
  /** The client's address, resolved through the configured number of trusted proxies (S17); empty outside a request. */
  readonly ip: string;
  /** At most 255 characters, without control characters. */
  readonly userAgent: string;
}

/** Who makes a change: a signed-in account, a machine with a service token, an anonymous visitor, the operator at the command line, or the system. */
export interface ActingPerson {
  readonly type: 'developer' | 'admin' | 'service' | 'visitor' | 'operator' | 'system';
  /** null unless developer, admin or service. */
  readonly id: number | null;
  readonly name: string | null;
  readonly email: string | null;
}

/** The actor of the current work, and the request it came through. */
export interface ActorContext {
  readonly person: ActingPerson;
  /** null outside a request. */
  readonly request: RequestInfo | null;
}

const NOBODY = { id: null, name: null, email: null };
const SYSTEM: ActorContext = { person: { type: 'system', ...NOBODY }, request: null };
/** An actor who is not signed in. */
export const VISITOR: ActingPerson = { type: 'visitor', ...NOBODY };
const OPERATOR: ActorContext = { person: { type: 'operator', ...NOBODY }, request: null };

const present = new AsyncLocalStorage<ActorContext>();

/** Runs `work`, and everything that it starts, as this actor. Set by the surfaces, read by the audit log. */
export function runAs<T>(acting: ActorContext, work: () => T): T {
  return present.run(acting, work);
}

/** For commands: runs as the operator at the command line. */
export function runAsOperator<T>(work: () => T): T {
  return present.run(OPERATOR, work);
}

/** The current actor; the system when none was set. */
export function currentActorContext(): ActorContext {
  return present.getStore() ?? SYSTEM;
}

/** The permission of admin routes that any signed-in admin may use for their own account. */
export const OWN_ACCOUNT = 'own-account';
