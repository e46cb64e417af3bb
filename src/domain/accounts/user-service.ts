import type { Database, Lists, Transaction } from '../../database/index.js';
import {
  nextVersion,
  NotFoundError,
  requireVersion,
  type Clock,
  type EventBus,
  type ExpectedVersion,
  type ListQuery,
  type Page,
} from '../../kernel/index.js';
import { changesOf, refusingTakenEmail, requireEmail, requireNames } from './account-input.js';
import type { PasswordHasher } from './contracts.js';
import { mergeCustomAttributes, type CustomAttributeInput } from './custom-attributes.js';
import { canonicalEmail } from './email.js';
import {
  PasswordChangedEvent,
  UserCreatedEvent,
  UserDeletedEvent,
  UserDeletingEvent,
  UserDisablingEvent,
  UserStatusChangedEvent,
  UserUpdatedEvent,
} from './events.js';
import type { NewPasswords } from './new-passwords.js';
import { userList } from './user-list.js';
import { lockUser, requireUser } from './user-rows.js';
import { USER_DECODE, userColumns, userModel, type UserRecord, type UserStatus } from './user.js';

/** What proves a developer; never leaves the domain. */
export interface UserCredentials {
  readonly user: UserRecord;
  readonly passwordHash: string;
  readonly authEpoch: number;
}

export interface NewUser {
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly password: string;
  readonly status: UserStatus;
  /** When the address was confirmed by other means than our mail, for example by an identity provider. */
  readonly emailVerifiedAt?: Date | null | undefined;
  /** Set by a person: only declared names are kept. */
  readonly customAttributes?: CustomAttributeInput | undefined;
  /** Set by the program, for example `oidc_provider_id`. */
  readonly systemAttributes?: Readonly<Record<string, string>> | undefined;
}

export interface UserProfile {
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
  readonly customAttributes?: CustomAttributeInput | undefined;
}

export interface PasswordChange {
  /** The sign-in that may live on. */
  readonly keepSid?: string | undefined;
  /** Runs first in the transaction; what it throws keeps the old password. */
  readonly first?: (transaction: Transaction) => Promise<void>;
}

export interface UserServiceParts {
  readonly database: Database;
  readonly lists: Lists;
  readonly events: EventBus<Transaction>;
  readonly clock: Clock;
  readonly hasher: PasswordHasher;
  readonly passwords: NewPasswords;
  /** Names of `accounts.customAttributes`. */
  readonly customAttributes: readonly string[];
}

/** Developers: their profile, password and status. Ending their sessions and keys is the business of the listeners. */
export class UserService {
  constructor(private readonly parts: UserServiceParts) {}

  /** Names of the custom attributes that developers may set. */
  get customAttributes(): readonly string[] {
    return this.parts.customAttributes;
  }

  /** @throws NotFoundError */
  async find(id: number): Promise<UserRecord> {
    return requireUser(this.parts.database, id);
  }

  /** One page of {@link userList}. @throws ValidationError for a wish that the list does not offer */
  async list(query: ListQuery): Promise<Page<UserRecord>> {
    return this.parts.lists.run(userList, query);
  }

  /** The account behind an address in any spelling of it (S11); null also for what is no address. */
  async findByEmail(email: string): Promise<UserCredentials | null> {
    const canonical = canonicalEmail(email);
    return canonical === null ? null : this.readCredentials('u.email = ?', canonical);
  }

  /** @throws NotFoundError */
  async findCredentials(id: number): Promise<UserCredentials> {
    const credentials = await this.readCredentials('u.id = ?', id);
    if (!credentials) throw new NotFoundError();
    return credentials;
  }

  /** @throws ValidationError for a taken or unusable address, unusable names, a refused password */
  async create(input: NewUser): Promise<UserRecord> {
    const { database, events, clock, passwords, customAttributes: declared } = this.parts;
    const email = requireEmail(input.email);
    const names = requireNames({ first_name: input.firstName, last_name: input.lastName }, 100);
    const personal = [email, names.first_name, names.last_name];
    const passwordHash = await passwords.hash(input.password, 'consumer', personal);
    const now = clock.now();
    const values = {
      email,
      firstName: names.first_name,
      lastName: names.last_name,
      passwordHash,
      status: input.status,
      emailVerifiedAt: input.emailVerifiedAt ?? null,
      customAttributes: mergeCustomAttributes(input.systemAttributes ?? {}, input.customAttributes ?? {}, declared),
      createdAt: now,
      updatedAt: now,
    };
    return refusingTakenEmail(() =>
      database.transaction(async (transaction) => {
        const { id } = await userModel(database).create(values, { transaction });
        const user = await requireUser(database, Number(id), transaction);
        await events.emit(new UserCreatedEvent({ user, occurredAt: now }), transaction);
        return user;
      }),
    );
  }

  /**
   * Changes only what is given; undeclared custom attributes are left alone (S52).
   * @throws NotFoundError, ValidationError, PreconditionFailedError
   */
  async updateProfile(id: number, profile: UserProfile, expected?: ExpectedVersion): Promise<UserRecord> {
    const { database, events, clock } = this.parts;
    const names = requireNames({ first_name: profile.firstName, last_name: profile.lastName }, 100);
    return database.transaction(async (transaction) => {
      const before = await lockUser(database, id, transaction);
      requireVersion(expected, before);
      const changes = changesOf(before, {
        firstName: names.first_name,
        lastName: names.last_name,
        customAttributes: this.mergedAttributes(before, profile.customAttributes),
      });
      if (!changes) return before;
      const now = clock.now();
      const values = Object.fromEntries(Object.entries(changes).map(([field, [, after]]) => [field, after]));
      await userModel(database).update(
        { ...values, updatedAt: nextVersion(now, before) },
        { where: { id }, transaction },
      );
      const user = await requireUser(database, id, transaction);
      await events.emit(new UserUpdatedEvent({ user, changes, occurredAt: now }), transaction);
      return user;
    });
  }

  /**
   * Stores a new password. Proving the old one, when somebody must, is the caller's part.
   * @throws NotFoundError, ValidationError on `password`
   */
  async changePassword(id: number, password: string, { keepSid, first }: PasswordChange = {}): Promise<void> {
    const { database, events, clock, passwords } = this.parts;
    const { email, firstName, lastName } = await this.find(id);
    const passwordHash = await passwords.hash(password, 'consumer', [email, firstName, lastName]);
    const now = clock.now();
    await database.transaction(async (transaction) => {
      await first?.(transaction);
      const values = { passwordHash, updatedAt: now };
      const [affected] = await userModel(database).update(values, { where: { id }, transaction });
      if (affected === 0) throw new NotFoundError();
      const change = { context: 'consumer', accountId: id, keepSid, occurredAt: now } as const;
      await events.emit(new PasswordChangedEvent(change), transaction);
    });
  }

  /** Hashes the same password with today's parameters (S02), unless it was changed meanwhile. */
  async rehash(id: number, password: string, outdatedHash: string): Promise<void> {
    const { database, hasher } = this.parts;
    const passwordHash = await hasher.hash(password);
    await userModel(database).update({ passwordHash }, { where: { id, passwordHash: outdatedHash } });
  }

  /** A listener of {@link UserDisablingEvent} that throws keeps an active account active. @throws NotFoundError */
  async setStatus(id: number, status: UserStatus): Promise<UserRecord> {
    const { database, events, clock } = this.parts;
    const present = await this.find(id);
    if (present.status === 'active' && status !== 'active') {
      await events.emit(new UserDisablingEvent({ user: present, occurredAt: clock.now() }));
    }
    return database.transaction(async (transaction) => {
      const { status: before } = await lockUser(database, id, transaction);
      const now = clock.now();
      if (before !== status) {
        await userModel(database).update({ status, updatedAt: now }, { where: { id }, transaction });
      }
      const user = await requireUser(database, id, transaction);
      if (before !== status) {
        await events.emit(new UserStatusChangedEvent({ user, before, after: status, occurredAt: now }), transaction);
      }
      return user;
    });
  }

  /**
   * Removes the account. A listener of {@link UserDeletingEvent} or {@link UserDeletedEvent} that throws keeps it.
   * @throws NotFoundError
   */
  async delete(id: number): Promise<void> {
    const { database, events, clock } = this.parts;
    await events.emit(new UserDeletingEvent({ user: await this.find(id), occurredAt: clock.now() }));
    await database.transaction(async (transaction) => {
      const user = await lockUser(database, id, transaction);
      // Before the row goes: listeners remove what points at it.
      await events.emit(new UserDeletedEvent({ user, occurredAt: clock.now() }), transaction);
      await userModel(database).destroy({ where: { id }, transaction });
    });
  }

  private mergedAttributes(before: UserRecord, input: CustomAttributeInput | undefined): Record<string, unknown> {
    return mergeCustomAttributes(before.customAttributes, input ?? {}, this.parts.customAttributes);
  }

  private async readCredentials(condition: string, value: string | number): Promise<UserCredentials | null> {
    const columns = `${userColumns('u')}, u.password_hash AS passwordHash, u.auth_epoch AS authEpoch`;
    const [row] = await this.parts.database.select<UserRecord & Omit<UserCredentials, 'user'>>(
      `SELECT ${columns} FROM portal_users AS u WHERE ${condition}`,
      [value],
      { decode: USER_DECODE },
    );
    if (!row) return null;
    const { passwordHash, authEpoch, ...user } = row;
    return { user, passwordHash, authEpoch };
  }
}
