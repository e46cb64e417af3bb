import type { AdminRecord, UserRecord } from '../accounts/index.js';
import type { AuthContext } from './actor.js';

/** Whose account: ids of developers and admins overlap, so the context always belongs to one. */
export interface AccountRef {
  readonly context: AuthContext;
  readonly id: number;
}

interface Account {
  readonly id: number;
  readonly email: string;
  /**
   * As it was when the account proved itself. A sign-in opened with an older epoch than the account's is dead, so a
   * password change that overtakes a login wins.
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

/** State matrix of S25: `pending` developers sign in (what they may do then is another matter), inactive accounts do not. */
export function maySignIn(account: AuthAccount): boolean {
  return (account.context === 'admin' ? account.admin.status : account.user.status) !== 'inactive';
}
