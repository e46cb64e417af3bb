import type { Database, Transaction } from '../../database/index.js';
import {
  earlierWork,
  nextVersion,
  noteWork,
  orGone,
  requireVersion,
  ValidationError,
  type Clock,
  type EventBus,
  type ExpectedVersion,
  type FieldErrors,
} from '../../core/index.js';
import {
  pickChangedValues,
  changesOf,
  EmailTakenError,
  refuseTakenEmail,
  requireEmail,
  requireNames,
} from './account-input.js';
import { AdminReader } from './admin-reader.js';
import { adminModel, type AdminRecord, type AdminStatus } from './admin.js';
import type { PasswordHasher } from './contracts.js';
import { AdminCreatedEvent, AdminDeletedEvent, AdminUpdatedEvent, PasswordChangedEvent } from './events.js';
import type { NewPasswords } from './passwords/new-passwords.js';
import type { KeptSignIn } from './user-input.js';

const NAME_MAX = 200;

export interface NewAdmin {
  readonly name: string;
  readonly email: string;
  readonly password: string;
  /** Default `active`. */
  readonly status?: AdminStatus | undefined;
}

/** What may change of an admin; undefined stays as it is. A new password and `inactive` end every sign-in. */
export type AdminChange = { readonly [K in keyof NewAdmin]?: NewAdmin[K] | undefined };

/** What other domains add to a change, in its transaction. One that throws undoes the change. */
export interface AdminChangeSteps {
  readonly expected?: ExpectedVersion;
  /** Before anything is read: locks, and who may do this. */
  readonly before?: (transaction: Transaction) => Promise<void>;
  /** Once the row is written: what belongs to the account elsewhere, and what has to hold afterwards. */
  readonly after?: (admin: AdminRecord, transaction: Transaction) => Promise<void>;
}

export interface AdminServiceParts {
  readonly database: Database;
  readonly events: EventBus<Transaction>;
  readonly clock: Clock;
  readonly hasher: PasswordHasher;
  readonly passwords: NewPasswords;
}

/**
 * Operators of the portal: who they are. What they may do is the business of rbac, which also says who may change whom:
 * on behalf of an admin, other admins are changed through its `AdminManager`.
 */
export class AdminService extends AdminReader {
  constructor(private readonly parts: AdminServiceParts) {
    super(parts);
  }

  /**
   * What is wrong with parts of a new admin, by field, while somebody is still asked for the others. A password is judged
   * with the name and the address that are given beside it.
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
   * @param steps `after` writes what belongs to the account from its first moment: its roles
   * @throws ValidationError for a taken or unusable address, an unusable name, a refused password
   */
  async create(input: NewAdmin, { before, after }: Omit<AdminChangeSteps, 'expected'> = {}): Promise<AdminRecord> {
    const earlier = earlierWork<{ id: number }>('admin');
    if (earlier) return orGone(this.require(earlier.id));
    const { database, events, clock, passwords } = this.parts;
    const email = requireEmail(input.email);
    const { name } = requireNames({ name: input.name }, NAME_MAX);
    const passwordHash = await passwords.hash(input.password, 'admin', [email, name], async () => {
      // The constraint decides in the end; this keeps a password from being hashed for nothing.
      if (await this.findByEmail(email)) throw new EmailTakenError();
    });
    const now = clock.now();
    const values = { name, email, passwordHash, status: input.status ?? 'active', createdAt: now, updatedAt: now };
    return refuseTakenEmail(() =>
      database.transaction(async (transaction) => {
        await before?.(transaction);
        const { id } = await adminModel(database).create(values, { transaction });
        const admin = await this.require(Number(id), transaction);
        await events.emit(new AdminCreatedEvent({ admin, occurredAt: now }), transaction);
        await after?.(admin, transaction);
        await noteWork('admin', { id: admin.id }, transaction);
        return this.require(admin.id, transaction);
      }),
    );
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
    const wanted = {
      ...requireNames({ name: change.name }, NAME_MAX),
      email: change.email === undefined ? undefined : requireEmail(change.email),
      status: change.status,
    };
    const { password } = change;
    const passwordHash = password === undefined ? undefined : await this.newHash(id, password, wanted, expected);
    return refuseTakenEmail(() =>
      this.parts.database.transaction(async (transaction) => {
        await before?.(transaction);
        const present = await this.lock(id, transaction);
        requireVersion(expected, present);
        const admin = await this.write(present, wanted, passwordHash, transaction);
        await after?.(admin, transaction);
        return this.require(id, transaction);
      }),
    );
  }

  /** Removes the account; what hangs on it goes with the listeners of {@link AdminDeletedEvent}. @throws NotFoundError */
  async delete(id: number, { expected, before, after }: AdminChangeSteps = {}): Promise<void> {
    const { database, events, clock } = this.parts;
    await database.transaction(async (transaction) => {
      await before?.(transaction);
      const admin = await this.lock(id, transaction);
      requireVersion(expected, admin);
      await events.emit(new AdminDeletedEvent({ admin, occurredAt: clock.now() }), transaction);
      await adminModel(database).destroy({ where: { id }, transaction });
      await after?.(admin, transaction);
    });
  }

  /**
   * Stores a new password. Proving the old one, when somebody must, is the caller's part.
   * @throws NotFoundError, ValidationError on `password`
   */
  async changePassword(id: number, password: string, { keepSid, renewedSid }: KeptSignIn = {}): Promise<void> {
    const { database, events, clock, passwords } = this.parts;
    const { email, name } = await this.find(id);
    const passwordHash = await passwords.hash(password, 'admin', [email, name]);
    const now = clock.now();
    await database.transaction(async (transaction) => {
      const values = { passwordHash, updatedAt: nextVersion(now, await this.lock(id, transaction)) };
      await adminModel(database).update(values, { where: { id }, transaction });
      const change = { context: 'admin', accountId: id, keepSid, renewedSid, occurredAt: now } as const;
      await events.emit(new PasswordChangedEvent(change), transaction);
    });
  }

  /** Hashes the same password with today's parameters (S02), unless it was changed meanwhile. */
  async rehash(id: number, password: string, outdatedHash: string): Promise<void> {
    const { database, hasher } = this.parts;
    const passwordHash = await hasher.hash(password);
    await adminModel(database).update({ passwordHash }, { where: { id, passwordHash: outdatedHash } });
  }

  /** Notes a successful sign-in; not a change of the record, so `updatedAt` stays. */
  async recordLogin(id: number, transaction?: Transaction): Promise<void> {
    const { database, clock } = this.parts;
    const where = { where: { id } };
    await adminModel(database).update(
      { lastLoginAt: clock.now() },
      transaction === undefined ? where : { ...where, transaction },
    );
  }

  private async write(
    present: AdminRecord,
    wanted: Partial<Pick<AdminRecord, 'name' | 'email' | 'status'>>,
    passwordHash: string | undefined,
    transaction: Transaction,
  ): Promise<AdminRecord> {
    const { database, events, clock } = this.parts;
    const { id } = present;
    const changes = changesOf(present, wanted);
    if (!changes && passwordHash === undefined) return present;
    const now = clock.now();
    const values = { ...pickChangedValues(changes), ...(passwordHash !== undefined && { passwordHash }) };
    await adminModel(database).update(
      { ...values, updatedAt: nextVersion(now, present) },
      { where: { id }, transaction },
    );
    const admin = await this.require(id, transaction);
    if (changes) await events.emit(new AdminUpdatedEvent({ admin, changes, occurredAt: now }), transaction);
    if (passwordHash !== undefined) {
      const change = { context: 'admin', accountId: id, occurredAt: now } as const;
      await events.emit(new PasswordChangedEvent(change), transaction);
    }
    return admin;
  }

  private async newHash(
    id: number,
    password: string,
    wanted: { readonly name?: string | undefined; readonly email?: string | undefined },
    expected: ExpectedVersion | undefined,
  ): Promise<string> {
    const present = await this.find(id);
    // Asked again under the lock; here, so that nothing is hashed for a change that will not be.
    requireVersion(expected, present);
    const email = wanted.email ?? present.email;
    if (email !== present.email && (await this.findByEmail(email))) throw new EmailTakenError();
    const personal = [email, wanted.name ?? present.name];
    return this.parts.passwords.hash(password, 'admin', personal);
  }
}
