import type { AdminRecord, UserRecord } from '../accounts/index.js';

/** The two authentication contexts of the specification. */
export type AuthContext = 'consumer' | 'admin';

interface SignedIn {
  readonly id: number;
  /** The sign-in (row of `portal_sessions`) that this request belongs to. */
  readonly sid: string;
  /** When the account last proved its password or factor in this sign-in; a refresh does not move it (S80). */
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
