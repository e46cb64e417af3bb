import type { ActingPerson } from '../../core/index.js';
import { fullName, type AdminRecord, type UserRecord } from '../accounts/index.js';
import type { ServiceTokenRecord } from '../rbac/index.js';

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

/** A signed-in admin, or a machine with a service token, which uses the same routes. */
export interface AdminActor extends SignedIn {
  readonly context: 'admin';
  readonly admin: AdminRecord;
  /**
   * Set for a service token. `id` is then the negative id of the token, so that it never is that of an admin, and
   * `admin` names it, without an address.
   */
  readonly service?: { readonly id: number; readonly name: string };
}

/** Before every sign-in: whatever asks for a recent proof of the password refuses a machine (S80). */
const NEVER = new Date(0);

/** A machine as the admin routes see it. */
export function serviceActor({ id, name, createdAt, updatedAt }: ServiceTokenRecord): AdminActor {
  const admin = { id: -id, name, email: '', status: 'active', lastLoginAt: null, createdAt, updatedAt } as const;
  return {
    ...{ context: 'admin', id: -id, admin, service: { id, name } },
    ...{ sid: `service:${id}`, channel: 'api', authTime: NEVER },
  };
}

/** The account in the form that the audit log records as actor. */
export function toActingPerson(actor: ConsumerActor | AdminActor): ActingPerson {
  const { id } = actor;
  if (actor.context === 'admin' && actor.service) return { type: 'service', ...actor.service, email: null };
  return actor.context === 'admin'
    ? { type: 'admin', id, name: actor.admin.name, email: actor.admin.email }
    : { type: 'developer', id, name: fullName(actor.user), email: actor.user.email };
}
