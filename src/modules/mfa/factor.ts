import type { AccountRef, AuthAccount } from '../../index.js';

/** Second factors beside the password. */
export const FACTOR_TYPES = ['totp', 'email'] as const;
export type FactorType = (typeof FACTOR_TYPES)[number];

/** Recovery codes replace a lost factor, but are no factor. */
export type ProofType = FactorType | 'recovery_code';

/** A factor of an account, as its owner sees it. */
export interface Factor {
  readonly type: FactorType;
  readonly confirmedAt: Date;
}

export interface MfaState {
  /** With at least one, every login asks for a factor. */
  readonly factors: readonly Factor[];
  /** Whether the policy of its context requires a factor. */
  readonly required: boolean;
  /** Unused recovery codes. */
  readonly recoveryCodesLeft: number;
}

/** Identifies an account in keys and logs, since ids of developers and admins overlap. */
export function accountKey({ context, id }: AccountRef): string {
  return `${context}:${id}`;
}

type WithoutEpoch<Account> = Account extends AuthAccount ? Omit<Account, 'authEpoch'> : never;
/** What mails need of an account. */
export type MailedAccount = WithoutEpoch<AuthAccount>;

export function fullNameOf(account: MailedAccount): string {
  return account.context === 'admin' ? account.admin.name : `${account.user.firstName} ${account.user.lastName}`;
}
