import { changeRecord, lockRecord, type Database, type Lists, type Transaction } from '../../database/index.js';
import {
  findEarlierWork,
  resultGoneError,
  noteWork,
  requireResult,
  requireVersion,
  type Clock,
  type EventBus,
  type ExpectedVersion,
  type ListQuery,
  type ListPage,
} from '../../core/index.js';
import { EmailTakenError, requireEmail } from './account-input.js';
import { AccountReader } from './account-reader.js';
import type { PasswordHasher } from './contracts.js';
import { mergeCustomAttributes } from './custom-attributes.js';
import {
  PasswordChangedEvent,
  UserCreatedEvent,
  UserDeletedEvent,
  UserDeletingEvent,
  UserDisablingEvent,
  UserKeptActiveEvent,
  UserReclaimedEvent,
  UserStatusChangedEvent,
  UserUpdatedEvent,
} from './events.js';
import type { NewPasswords } from './new-passwords.js';
import {
  requireLocale,
  requireUserNames,
  selectWantedColumns,
  type NewUser,
  type PasswordChange,
  type RelatedWrite,
  type UserChange,
  type UserChangeOptions,
  type UserCreateOptions,
  type UserProfile,
} from './user-input.js';
import { NO_PASSWORD, userList, userRecord, type UserKind, type UserRecord, type UserStatus } from './user.js';

export interface UserServiceParts {
  readonly database: Database;
  readonly lists: Lists;
  readonly events: EventBus<Transaction>;
  readonly clock: Clock;
  readonly hasher: PasswordHasher;
  readonly passwords: NewPasswords;
  /** Names of `accounts.customAttributes`. */
  readonly customAttributes: readonly string[];
  /** Locales that the portal offers. */
  readonly locales: readonly string[];
}

/**
 * Developers: profile, password, status. Listeners end their sessions and close their keys. Accounts of the other kind
 * do not exist for it.
 */
export class UserService extends AccountReader<'user'> {
  constructor(
    private readonly parts: UserServiceParts,
    private readonly only: UserKind = 'person',
  ) {
    super(
      'user',
      { find: (database, where, options) => userRecord.find(database, { ...where, kind: only }, options) },
      parts,
    );
  }

  /** One page of {@link userList}. @throws ValidationError for a query that the list does not support */
  async list(query: ListQuery): Promise<ListPage<UserRecord>> {
    const scope = { where: 'u.kind = ?', values: [this.only] };
    return this.parts.lists.run(userList, query, { scope });
  }

  /** Names of the custom attributes that developers may set. */
  get customAttributes(): readonly string[] {
    return this.parts.customAttributes;
  }

  /**
   * @param related writes what the account needs from the start
   * @throws EmailTakenError, ValidationError for an unusable address, unusable names, a refused password
   */
  async create(
    input: NewUser,
    related?: RelatedWrite<UserRecord>,
    { hidesTaken = false }: UserCreateOptions = {},
  ): Promise<UserRecord> {
    const earlier = await this.findEarlier(input);
    if (earlier) return earlier;
    const { database, events, clock, passwords, locales, customAttributes: declared } = this.parts;
    const email = requireEmail(input.email);
    const names = requireUserNames(input);
    requireLocale(input.locale, locales);
    const passwordHash = await passwords.hash(
      input.password,
      'consumer',
      [email, ...Object.values(names)],
      async () => {
        // The unique constraint is authoritative; this check only avoids a needless hash.
        if (!hidesTaken && (await this.findByEmail(email))) throw new EmailTakenError();
      },
    );
    const now = clock.now();
    const values = {
      ...{ email, ...names, passwordHash, status: input.status },
      emailVerifiedAt: input.emailVerifiedAt ?? null,
      locale: input.locale ?? null,
      customAttributes: mergeCustomAttributes(input.systemAttributes ?? {}, input.customAttributes ?? {}, declared),
      createdAt: now,
      updatedAt: now,
    };
    return database.transaction(async (transaction) => {
      const id = await userRecord.insert(database, values, transaction);
      const user = await this.find(id, transaction);
      const fact = { user, occurredAt: now };
      await events.emit(new UserCreatedEvent(fact), transaction);
      const changes = await related?.(user, transaction);
      if (changes) await events.emit(new UserUpdatedEvent({ ...fact, changes }), transaction);
      await noteWork('user', { id }, transaction);
      return user;
    });
  }

  /**
   * The account that an earlier attempt of this request made before its process died, provided the password still
   * matches.
   * @throws ConflictError when the account is gone or its password has changed
   */
  private async findEarlier({ password }: NewUser): Promise<UserRecord | null> {
    const note = findEarlierWork<{ id: number }>('user');
    if (!note) return null;
    const found = await requireResult(this.findCredentials(note.id));
    if (!(await this.parts.hasher.verify(password, found.passwordHash)).matches) throw resultGoneError();
    return found.user;
  }

  /**
   * Changes only what is given; undeclared custom attributes are refused (S52).
   * @throws NotFoundError, ValidationError, PreconditionFailedError
   */
  async updateProfile(id: number, profile: UserProfile, expected?: ExpectedVersion): Promise<UserRecord> {
    const { firstName, lastName, locale, customAttributes } = profile;
    return this.update(id, { firstName, lastName, locale, customAttributes }, { expected });
  }

  /**
   * Changes what is given, all of it or nothing. Before an active account is disabled its keys are closed at the gateway:
   * a listener of {@link UserDisablingEvent} that throws leaves everything as it was (R16).
   * @throws NotFoundError, ValidationError, PreconditionFailedError
   */
  async update(id: number, change: UserChange, options: UserChangeOptions = {}): Promise<UserRecord> {
    const { events, clock, locales } = this.parts;
    const present = await this.find(id);
    requireVersion(options.expected, present);
    requireLocale(change.locale, locales);
    await this.refuseTakenEmail(change, present);
    const passwordHash = await this.newHash(change, present);
    const write = () =>
      this.parts.database.transaction((transaction) => this.write(id, change, passwordHash, options, transaction));
    if (present.status !== 'active' || change.status === undefined || change.status === 'active') return write();
    await events.emit(new UserDisablingEvent({ user: present, occurredAt: clock.now() }));
    try {
      return await write();
    } catch (error) {
      await this.announceStillActive(id);
      throw error;
    }
  }

  /**
   * Stores a new password. The caller verifies the old one where required.
   * @throws NotFoundError, ValidationError on `password`
   */
  async changePassword(id: number, password: string, change: PasswordChange = {}): Promise<void> {
    const { keepSid, renewedSid, first, proves } = change;
    const { user: known, passwordHash: present } = await this.findCredentials(id);
    const { email, firstName, lastName } = known;
    const passwordHash = await this.parts.passwords.hash(password, 'consumer', [email, firstName, lastName]);
    const isFirstProof = (before: UserRecord) => before.emailVerifiedAt === null && before.email === proves;
    await this.parts.database.transaction(async (transaction) => {
      await first?.(transaction);
      await changeRecord(userRecord, this.parts, transaction, {
        id,
        plan: (before, now) => ({
          // Confirmation also voids a pending address change.
          values: isFirstProof(before) ? { emailVerifiedAt: now, pendingEmail: null } : {},
          hidden: { passwordHash },
        }),
        read: () => this.find(id, transaction),
        announce: (user, changes, occurredAt, before) => [
          new PasswordChangedEvent({ context: 'consumer', accountId: id, keepSid, renewedSid, occurredAt }),
          ...(isFirstProof(before) ? [new UserUpdatedEvent({ user, changes, occurredAt })] : []),
          // Somebody else may have used the account before its owner.
          ...(isFirstProof(before) && present !== NO_PASSWORD ? [new UserReclaimedEvent({ user, occurredAt })] : []),
        ],
      });
    });
  }

  /** Hashes the same password with today's parameters (S02), unless it was changed meanwhile. */
  async rehash(id: number, password: string, outdatedHash: string): Promise<void> {
    const { database, hasher } = this.parts;
    const passwordHash = await hasher.hash(password);
    await userRecord.update(database, { id, passwordHash: outdatedHash }, { passwordHash });
  }

  /** As {@link update} with a status alone. @throws NotFoundError */
  async setStatus(id: number, status: UserStatus): Promise<UserRecord> {
    return this.update(id, { status });
  }

  /**
   * Removes the account. A listener of {@link UserDeletingEvent} or {@link UserDeletedEvent} that throws keeps it.
   * @throws NotFoundError, PreconditionFailedError
   */
  async delete(id: number, expected?: ExpectedVersion): Promise<void> {
    const { database, events, clock } = this.parts;
    const present = await this.find(id);
    // Checked again below under the lock; checked here too so that no key closes for a refused deletion.
    requireVersion(expected, present);
    await events.emit(new UserDeletingEvent({ user: present, occurredAt: clock.now() }));
    await database.transaction(async (transaction) => {
      const user = await lockRecord(userRecord, database, id, expected, transaction);
      // Before the row is deleted: listeners remove references to it.
      await events.emit(new UserDeletedEvent({ user, occurredAt: clock.now() }), transaction);
      await userRecord.remove(database, { id }, transaction);
    });
  }

  private write(
    id: number,
    change: UserChange,
    passwordHash: string | undefined,
    { expected, related }: UserChangeOptions,
    transaction: Transaction,
  ): Promise<UserRecord> {
    const { customAttributes: declared } = this.parts;
    return changeRecord(userRecord, this.parts, transaction, {
      id,
      expected,
      plan: async (before) => ({
        values: { ...selectWantedColumns(change, before, declared), status: change.status },
        elsewhere: await related?.(before, transaction),
        hidden: passwordHash !== undefined && { passwordHash },
      }),
      read: () => this.find(id, transaction),
      announce: (user, { status, ...changes }, occurredAt, before) => [
        ...(Object.keys(changes).length > 0 ? [new UserUpdatedEvent({ user, changes, occurredAt })] : []),
        ...(status
          ? [new UserStatusChangedEvent({ user, before: before.status, after: user.status, occurredAt })]
          : []),
        ...(passwordHash !== undefined
          ? [new PasswordChangedEvent({ context: 'consumer', accountId: id, occurredAt })]
          : []),
      ],
    });
  }

  private async announceStillActive(id: number): Promise<void> {
    const { events, clock } = this.parts;
    const user = await this.find(id);
    if (user.status === 'active') await events.emit(new UserKeptActiveEvent({ user, occurredAt: clock.now() }));
  }

  // The unique constraint is authoritative; checking first avoids closing keys for a change that will fail.
  private async refuseTakenEmail(change: UserChange, present: UserRecord): Promise<void> {
    const { email } = selectWantedColumns(change, present, this.parts.customAttributes);
    if (email !== undefined && (await this.findByEmail(email))) throw new EmailTakenError();
  }

  private async newHash({ password, ...change }: UserChange, present: UserRecord): Promise<string | undefined> {
    if (password === undefined) return undefined;
    const wanted = selectWantedColumns(change, present, this.parts.customAttributes);
    const { email, firstName, lastName } = { ...present, ...wanted };
    return this.parts.passwords.hash(password, 'consumer', [email, firstName, lastName]);
  }
}
