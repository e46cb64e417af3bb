import { changeRecord, lockRecord, type Database, type Transaction } from '../../database/index.js';
import {
  findEarlierWork,
  noteWork,
  requireResult,
  requireVersion,
  ValidationError,
  type Clock,
  type EventBus,
  type ExpectedVersion,
  type FieldErrors,
} from '../../core/index.js';
import { EmailTakenError, requireEmail, requireNames } from './account-input.js';
import { AccountReader } from './account-reader.js';
import { adminRecord, type AdminRecord, type AdminStatus } from './admin.js';
import type { PasswordHasher } from './contracts.js';
import { AdminCreatedEvent, AdminDeletedEvent, AdminUpdatedEvent, PasswordChangedEvent } from './events.js';
import type { NewPasswords } from './new-passwords.js';
import type { SessionToKeep } from './user-input.js';

const NAME_MAX = 200;

export interface NewAdmin {
  readonly name: string;
  readonly email: string;
  readonly password: string;
  /** Default `active`. */
  readonly status?: AdminStatus | undefined;
}

/** Changes to an admin; undefined keeps the value. A new password or `inactive` ends every session. */
export type AdminChange = { readonly [K in keyof NewAdmin]?: NewAdmin[K] | undefined };

/** Steps that other domains add to a change, in its transaction. A step that throws rolls the change back. */
export interface AdminChangeSteps {
  readonly expected?: ExpectedVersion;
  /** Runs before anything is read: takes locks, checks permissions. */
  readonly before?: (transaction: Transaction) => Promise<void>;
  /** Runs after the row is written: writes related records, checks invariants. */
  readonly after?: (admin: AdminRecord, transaction: Transaction) => Promise<void>;
}

interface AdminWrite {
  readonly values?: { readonly [K in 'name' | 'email' | 'status']?: AdminRecord[K] | undefined };
  readonly passwordHash?: string | undefined;
  readonly expected?: ExpectedVersion;
  readonly keep?: SessionToKeep;
}

export interface AdminServiceParts {
  readonly database: Database;
  readonly events: EventBus<Transaction>;
  readonly clock: Clock;
  readonly hasher: PasswordHasher;
  readonly passwords: NewPasswords;
}

/**
 * Admin accounts. Roles and permissions live in rbac, which also decides who may change whom: when an admin changes
 * another admin, go through its `AdminManager`.
 */
export class AdminService extends AccountReader<'admin'> {
  constructor(private readonly parts: AdminServiceParts) {
    super('admin', adminRecord, parts);
  }

  /**
   * Faults of a partial new admin, by field, so that an interactive prompt can check each answer. The password is
   * checked against the name and the address given with it.
   */
  async faultsOf({ email, name, password }: Partial<NewAdmin>): Promise<FieldErrors> {
    const errors: FieldErrors = {};
    const judge = async (check: () => unknown) => {
      try {
        await check();
      } catch (error) {
        if (!(error instanceof ValidationError)) throw error;
        Object.assign(errors, error.errors);
      }
    };
    await judge(async () => {
      if (email !== undefined && (await this.findByEmail(requireEmail(email)))) throw new EmailTakenError();
    });
    await judge(() => requireNames({ name }, NAME_MAX));
    if (password !== undefined) {
      const personal = [email, name].filter((text) => text !== undefined);
      const faults = await this.parts.passwords.faults(password, 'admin', personal);
      if (faults.length > 0) errors['password'] = faults;
    }
    return errors;
  }

  /**
   * @param steps `after` writes what the account needs from the start: its roles
   * @throws ValidationError for a taken or unusable address, an unusable name, a refused password
   */
  async create(input: NewAdmin, { before, after }: Omit<AdminChangeSteps, 'expected'> = {}): Promise<AdminRecord> {
    const earlier = findEarlierWork<{ id: number }>('admin');
    if (earlier) return requireResult(this.find(earlier.id));
    const { database, events, clock, passwords } = this.parts;
    const email = requireEmail(input.email);
    const { name } = requireNames({ name: input.name }, NAME_MAX);
    const passwordHash = await passwords.hash(input.password, 'admin', [email, name], async () => {
      // The unique constraint is authoritative; this check only avoids a needless hash.
      if (await this.findByEmail(email)) throw new EmailTakenError();
    });
    const now = clock.now();
    const values = { name, email, passwordHash, status: input.status ?? 'active', createdAt: now, updatedAt: now };
    return database.transaction(async (transaction) => {
      await before?.(transaction);
      const id = await adminRecord.insert(database, values, transaction);
      const admin = await this.find(id, transaction);
      await events.emit(new AdminCreatedEvent({ admin, occurredAt: now }), transaction);
      await after?.(admin, transaction);
      await noteWork('admin', { id }, transaction);
      return this.find(id, transaction);
    });
  }

  /** @throws NotFoundError, ValidationError on `name`, PreconditionFailedError */
  async updateProfile(
    id: number,
    { name }: { readonly name?: string | undefined },
    expected?: ExpectedVersion,
  ): Promise<AdminRecord> {
    return this.update(id, { name }, { expected });
  }

  /** @throws NotFoundError, ValidationError, PreconditionFailedError */
  async update(
    id: number,
    change: AdminChange,
    { expected, before, after }: AdminChangeSteps = {},
  ): Promise<AdminRecord> {
    const values = {
      ...requireNames({ name: change.name }, NAME_MAX),
      email: change.email === undefined ? undefined : requireEmail(change.email),
      status: change.status,
    };
    const { password } = change;
    const passwordHash = password === undefined ? undefined : await this.newHash(id, password, values, expected);
    return this.parts.database.transaction(async (transaction) => {
      await before?.(transaction);
      const admin = await this.write(id, { values, passwordHash, expected }, transaction);
      await after?.(admin, transaction);
      return this.find(id, transaction);
    });
  }

  /** Removes the account; listeners of {@link AdminDeletedEvent} clean up related data. @throws NotFoundError */
  async delete(id: number, { expected, before, after }: AdminChangeSteps = {}): Promise<void> {
    const { database, events, clock } = this.parts;
    await database.transaction(async (transaction) => {
      await before?.(transaction);
      const admin = await lockRecord(adminRecord, database, id, expected, transaction);
      await events.emit(new AdminDeletedEvent({ admin, occurredAt: clock.now() }), transaction);
      await adminRecord.remove(database, { id }, transaction);
      await after?.(admin, transaction);
    });
  }

  /**
   * Stores a new password. The caller verifies the old one where required.
   * @throws NotFoundError, ValidationError on `password`
   */
  async changePassword(id: number, password: string, { keepSid, renewedSid }: SessionToKeep = {}): Promise<void> {
    const { database, passwords } = this.parts;
    const { email, name } = await this.find(id);
    const passwordHash = await passwords.hash(password, 'admin', [email, name]);
    await database.transaction((transaction) =>
      this.write(id, { passwordHash, keep: { keepSid, renewedSid } }, transaction),
    );
  }

  /** Hashes the same password with today's parameters (S02), unless it was changed meanwhile. */
  async rehash(id: number, password: string, outdatedHash: string): Promise<void> {
    const { database, hasher } = this.parts;
    const passwordHash = await hasher.hash(password);
    await adminRecord.update(database, { id, passwordHash: outdatedHash }, { passwordHash });
  }

  /** Records a successful sign-in without touching `updatedAt`. */
  async recordLogin(id: number, transaction?: Transaction): Promise<void> {
    const { database, clock } = this.parts;
    await adminRecord.update(database, { id }, { lastLoginAt: clock.now() }, transaction);
  }

  /** @param status counts only admins with this status; all when omitted */
  count(status?: AdminStatus): Promise<number> {
    return adminRecord.count(this.parts.database, status === undefined ? {} : { status });
  }

  private write(
    id: number,
    { values = {}, passwordHash, expected, keep }: AdminWrite,
    transaction: Transaction,
  ): Promise<AdminRecord> {
    return changeRecord(adminRecord, this.parts, transaction, {
      id,
      expected,
      plan: () => ({ values, hidden: passwordHash !== undefined && { passwordHash } }),
      read: () => this.find(id, transaction),
      announce: (admin, changes, occurredAt) => [
        ...(Object.keys(changes).length > 0 ? [new AdminUpdatedEvent({ admin, changes, occurredAt })] : []),
        ...(passwordHash !== undefined
          ? [new PasswordChangedEvent({ context: 'admin', accountId: id, ...keep, occurredAt })]
          : []),
      ],
    });
  }

  private async newHash(
    id: number,
    password: string,
    wanted: { readonly name?: string | undefined; readonly email?: string | undefined },
    expected: ExpectedVersion | undefined,
  ): Promise<string> {
    const present = await this.find(id);
    // Checked again under the lock; checked here too to avoid hashing for a change that will be refused.
    requireVersion(expected, present);
    const email = wanted.email ?? present.email;
    if (email !== present.email && (await this.findByEmail(email))) throw new EmailTakenError();
    const personal = [email, wanted.name ?? present.name];
    return this.parts.passwords.hash(password, 'admin', personal);
  }
}
