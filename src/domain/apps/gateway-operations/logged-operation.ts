import { type ActingPerson } from '../../../core/index.js';

/** What a change does. `developer`: everything about an account as a whole. */
export type OperationKind =
  | 'app.create'
  | 'app.update'
  | 'app.status'
  | 'app.delete'
  | 'app.products'
  | 'key.create'
  | 'key.rotate'
  | 'key.status'
  | 'key.delete'
  | 'key.end'
  | 'grant.add'
  | 'grant.status'
  | 'grant.remove'
  | 'developer';

/** The records that a change is about. */
export interface OperationTarget {
  readonly userId: number;
  readonly appId: number | null;
  readonly credentialId: number | null;
  readonly productId: number | null;
}

/** What recovery needs to know beside the records; as JSON, never a key or a secret. */
export type OperationPayload = Readonly<Record<string, unknown>>;

/** Row of `portal_gateway_intents`. */
export interface LoggedOperation extends OperationTarget {
  readonly id: number;
  readonly kind: OperationKind;
  /**
   * `running`: gateway and portal may differ. `check`: taken back, but the call whose answer was lost may yet arrive
   * there, so that it is taken back once more later (R15).
   */
  readonly state: 'running' | 'check';
  readonly payload: OperationPayload;
  readonly attempts: number;
  readonly lastError: string | null;
  /** Not looked at before. */
  readonly dueAt: Date;
  readonly createdAt: Date;
}

/** In the payload: on whose behalf the change is finished, when its process could not. */
export function readActingPerson({ payload }: LoggedOperation): ActingPerson | null {
  return (payload.acting as ActingPerson | undefined) ?? null;
}
