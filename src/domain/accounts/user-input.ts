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
  /** When the address was confirmed by means other than our mail, for example by an identity provider. */
  readonly emailVerifiedAt?: Date | null | undefined;
  readonly locale?: string | null | undefined;
  /** Written by a person: only declared names are kept. */
  readonly customAttributes?: CustomAttributeInput | undefined;
  /** Written by code, for example `oidc_provider_id`. */
  readonly systemAttributes?: Readonly<Record<string, string>> | undefined;
}

/** What developers may change themselves; undefined keeps the value. */
export interface UserProfile {
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
  /** null: none chosen. */
  readonly locale?: string | null | undefined;
  readonly customAttributes?: CustomAttributeInput | undefined;
}

/** What admins may change on a developer; undefined keeps the value. */
export interface UserChange extends UserProfile {
  /** A new address is unconfirmed: nobody has opened a link sent to it (S70). */
  readonly email?: string | undefined;
  /** A new password ends every session. */
  readonly password?: string | undefined;
  readonly status?: UserStatus | undefined;
}

/** The session that survives a new password. */
export interface SessionToKeep {
  readonly keepSid?: string | undefined;
  /** New id for that session, set in the transaction of the change; if omitted, it keeps its id. */
  readonly renewedSid?: string | undefined;
}

export interface PasswordChange extends SessionToKeep {
  /** Runs first in the transaction; if it throws, the old password stays. */
  readonly first?: (transaction: Transaction) => Promise<void>;
  /** The address that the caller has proved: the link came from its mailbox. */
  readonly proves?: string | undefined;
}

/**
 * Writes what other domains store for the account, in its transaction.
 * @returns what changed, null if nothing did
 */
export type RelatedWrite<Account> = (account: Account, transaction: Transaction) => Promise<Changes | null>;

export interface UserCreateOptions {
  /** Makes a taken address cost as much time as a free one, so that nobody can tell them apart (S10). */
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

/** @throws ValidationError on `locale` if the portal does not offer it */
export function requireLocale(locale: string | null | undefined, locales: readonly string[]): void {
  if (locale === undefined || locale === null || locales.includes(locale)) return;
  throw new ValidationError({ locale: [`The portal speaks these languages: ${JSON.stringify(locales.join(', '))}.`] });
}

/**
 * The columns to write, in stored form; omitted fields are absent.
 * @throws ValidationError on every unusable field
 */
export function selectWantedColumns(
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
