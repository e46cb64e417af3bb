import { adminRecord, userRecord, type AdminRecord, type UserRecord } from '../accounts/index.js';
import type { RecordTable } from '../../database/index.js';
import type { AuthContext } from './actor.js';

/** Identifies an account: ids of developers and admins overlap, so an id always needs its context. */
export interface AccountRef {
  readonly context: AuthContext;
  readonly id: number;
}

interface Account {
  readonly id: number;
  readonly email: string;
  /**
   * The account's epoch when it proved itself. No session begins or lives on with an older epoch than the account's, so
   * a concurrent password change beats a login.
   */
  readonly authEpoch: number;
}

export interface ConsumerAccount extends Account {
  readonly context: 'consumer';
  readonly user: UserRecord;
}

export interface AdminAccount extends Account {
  readonly context: 'admin';
  readonly admin: AdminRecord;
}

/** An account that may sign in, in either context. */
export type AuthAccount = ConsumerAccount | AdminAccount;

type AccountFields = typeof userRecord extends RecordTable<infer C> ? Pick<C, 'id' | 'email' | 'authEpoch'> : never;

/** What the records of both kinds of account have in common. */
export function accountRecord(context: AuthContext): RecordTable<AccountFields> {
  return context === 'admin' ? adminRecord : userRecord;
}

/** S25: `pending` developers may sign in (what they may do then is decided elsewhere), inactive accounts may not. */
export function maySignIn(account: AuthAccount): boolean {
  return (account.context === 'admin' ? account.admin.status : account.user.status) !== 'inactive';
}
