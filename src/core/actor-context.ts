import { AsyncLocalStorage } from 'node:async_hooks';
import type { RequestInfo } from './request-info.js';

/** Who stands behind a change: a signed-in account, a visitor without one, the operator at the command line, the program. */
export interface ActingPerson {
  readonly type: 'developer' | 'admin' | 'visitor' | 'operator' | 'system';
  /** null for all but the two kinds of account. */
  readonly id: number | null;
  readonly name: string | null;
  readonly email: string | null;
}

/** On whose behalf the present work is done, and through which request. */
export interface ActorContext {
  readonly person: ActingPerson;
  /** null outside of requests. */
  readonly request: RequestInfo | null;
}

const NOBODY = { id: null, name: null, email: null };
const SYSTEM: ActorContext = { person: { type: 'system', ...NOBODY }, request: null };
/** Who has not signed in. */
export const VISITOR: ActingPerson = { type: 'visitor', ...NOBODY };
const OPERATOR: ActorContext = { person: { type: 'operator', ...NOBODY }, request: null };

const present = new AsyncLocalStorage<ActorContext>();

/** Runs `work`, and everything that it starts, on behalf of somebody. The surfaces say so; records of who did what ask. */
export function runAs<T>(acting: ActorContext, work: () => T): T {
  return present.run(acting, work);
}

/** For commands: the person at the machine's command line. */
export function runAsOperator<T>(work: () => T): T {
  return present.run(OPERATOR, work);
}

/** Who acts now; the program itself where nobody was named. */
export function currentActorContext(): ActorContext {
  return present.getStore() ?? SYSTEM;
}
