import type { ActingPerson } from '../../core/index.js';
import { fullName, type AdminRecord, type UserRecord } from '../accounts/index.js';

/** How the session was opened: with tokens, or in the browser. */
export type SessionChannel = 'api' | 'theme';

/** The two authentication contexts of the specification. */
export type AuthContext = 'consumer' | 'admin';

interface SignedIn {
  readonly id: number;
  /** The session (row of `portal_sessions`) of this request. */
  readonly sid: string;
  readonly channel: SessionChannel;
  /** When the account last proved its password or factor in this session; a refresh does not change it (S80). */
  readonly authTime: Date;
}

/** A signed-in developer. */
export interface ConsumerActor extends SignedIn {
  readonly context: 'consumer';
  readonly user: UserRecord;
}

/** A signed-in admin. */
export interface AdminActor extends SignedIn {
  readonly context: 'admin';
  readonly admin: AdminRecord;
}

/** The account in the form that the audit log records as actor. */
export function toActingPerson(actor: ConsumerActor | AdminActor): ActingPerson {
  const { id } = actor;
  return actor.context === 'admin'
    ? { type: 'admin', id, name: actor.admin.name, email: actor.admin.email }
    : { type: 'developer', id, name: fullName(actor.user), email: actor.user.email };
}
