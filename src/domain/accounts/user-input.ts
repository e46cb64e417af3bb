import type { Transaction } from '../../database/index.js';
import { ValidationError, type ExpectedVersion } from '../../core/index.js';
import { requireEmail, requireNames } from './account-input.js';
import { mergeCustomAttributes, type CustomAttributeInput } from './custom-attributes.js';
import type { Changes } from './events.js';
import type { UserRecord, UserStatus } from './user.js';

export interface NewUser {
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly password: string;
  readonly status: UserStatus;
  /** When the address was confirmed by other means than our mail, for example by an identity provider. */
  readonly emailVerifiedAt?: Date | null | undefined;
  readonly locale?: string | null | undefined;
  /** Set by a person: only declared names are kept. */
  readonly customAttributes?: CustomAttributeInput | undefined;
  /** Set by the program, for example `oidc_provider_id`. */
  readonly systemAttributes?: Readonly<Record<string, string>> | undefined;
}

/** What developers change by themselves; undefined stays as it is. */
export interface UserProfile {
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
  /** null: none chosen. */
  readonly locale?: string | null | undefined;
  readonly customAttributes?: CustomAttributeInput | undefined;
}

/** What admins change of a developer; undefined stays as it is. */
export interface UserChange extends UserProfile {
  /** Nobody has opened a link that was sent there, so a new address is not a verified one (S70). */
  readonly email?: string | undefined;
  /** Ends every sign-in. */
  readonly password?: string | undefined;
  readonly status?: UserStatus | undefined;
}

/** The sign-in that outlives a new password. */
export interface KeptSignIn {
  readonly keepSid?: string | undefined;
  /** The name that it gets in the transaction of the change; without one it keeps its own. */
  readonly renewedSid?: string | undefined;
}

export interface PasswordChange extends KeptSignIn {
  /** Runs first in the transaction; what it throws keeps the old password. */
  readonly first?: (transaction: Transaction) => Promise<void>;
  /** The address that whoever makes the change has proved: the link came from its mailbox. */
  readonly proves?: string | undefined;
}

/**
 * Writes, in the transaction of the account, what other domains keep for it.
 * @returns what changed there, null for nothing
 */
export type RelatedWrite<Account> = (account: Account, transaction: Transaction) => Promise<Changes | null>;

export interface UserCreateOptions {
  /** A taken address costs as much time as a free one, because nobody may learn that it is taken (S10). */
  readonly hidesTaken?: boolean;
}

export interface UserChangeOptions {
  readonly expected?: ExpectedVersion;
  readonly related?: RelatedWrite<UserRecord> | undefined;
}

/** The names as they are stored. @throws ValidationError on `first_name`, `last_name` */
export function requireUserNames<
  T extends { readonly firstName?: string | undefined; readonly lastName?: string | undefined },
>({ firstName, lastName }: T): Pick<T, 'firstName' | 'lastName'> {
  const names = requireNames({ first_name: firstName, last_name: lastName }, 100);
  return { firstName: names.first_name, lastName: names.last_name };
}

/** @throws ValidationError on `locale` for a language that the portal does not speak */
export function requireLocale(locale: string | null | undefined, locales: readonly string[]): void {
  if (locale === undefined || locale === null || locales.includes(locale)) return;
  throw new ValidationError({ locale: [`The portal speaks these languages: ${JSON.stringify(locales.join(', '))}.`] });
}

/**
 * The columns that a change names, as they are stored; what it leaves out is absent.
 * @throws ValidationError on every field that cannot be used
 */
export function wantedColumns(
  change: UserChange,
  present: UserRecord,
  declared: readonly string[],
): Partial<UserRecord> {
  const { firstName, lastName } = requireUserNames(change);
  const email = change.email === undefined ? present.email : requireEmail(change.email);
  return {
    ...(firstName !== undefined && { firstName }),
    ...(lastName !== undefined && { lastName }),
    ...(change.locale !== undefined && { locale: change.locale }),
    ...(email !== present.email && { email, emailVerifiedAt: null, pendingEmail: null }),
    ...(change.customAttributes && {
      customAttributes: mergeCustomAttributes(present.customAttributes, change.customAttributes, declared),
    }),
  };
}
