import { type ActingPerson } from '../../../core/index.js';

/** What a change does. `developer`: everything about an account as a whole. */
export type IntentKind =
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
export interface IntentTarget {
  readonly userId: number;
  readonly appId: number | null;
  readonly credentialId: number | null;
  readonly productId: number | null;
}

/** What recovery needs to know beside the records; as JSON, never a key or a secret. */
export type IntentPayload = Readonly<Record<string, unknown>>;

/** Row of `portal_gateway_intents`. */
export interface IntentRecord extends IntentTarget {
  readonly id: number;
  readonly kind: IntentKind;
  /**
   * `running`: gateway and portal may differ. `check`: taken back, but the call whose answer was lost may yet arrive
   * there, so that it is taken back once more later (R15).
   */
  readonly state: 'running' | 'check';
  readonly payload: IntentPayload;
  readonly attempts: number;
  readonly lastError: string | null;
  /** Not looked at before. */
  readonly dueAt: Date;
  readonly createdAt: Date;
}

/** In the payload: on whose behalf the change is finished, when its process could not. */
export function actingIn({ payload }: IntentRecord): ActingPerson | null {
  return (payload.acting as ActingPerson | undefined) ?? null;
}
