import type { AccountRef, AuthAccount } from '../../index.js';

/** What an account may prove beside its password. */
export const FACTOR_TYPES = ['totp', 'email'] as const;
export type FactorType = (typeof FACTOR_TYPES)[number];

/** Recovery codes stand in for a lost factor; they are none themselves. */
export type ProofType = FactorType | 'recovery_code';

/** A factor of an account, as its owner sees it. */
export interface Factor {
  readonly type: FactorType;
  readonly confirmedAt: Date;
}

/** What an account has set up. */
export interface MfaState {
  /** Asked at every login once there is one. */
  readonly factors: readonly Factor[];
  /** The policy of its context asks for a factor. */
  readonly required: boolean;
  /** Recovery codes that were not used yet. */
  readonly recoveryCodesLeft: number;
}

/** The account in keys and log lines: ids of developers and admins overlap. */
export function accountKey({ context, id }: AccountRef): string {
  return `${context}:${id}`;
}

type WithoutEpoch<Account> = Account extends AuthAccount ? Omit<Account, 'authEpoch'> : never;
/** What mails need to know of an account. */
export type MailedAccount = WithoutEpoch<AuthAccount>;

export function fullNameOf(account: MailedAccount): string {
  return account.context === 'admin' ? account.admin.name : `${account.user.firstName} ${account.user.lastName}`;
}
