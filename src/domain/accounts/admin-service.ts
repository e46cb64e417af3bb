import type { Database, Transaction } from '../../database/index.js';
import {
  nextVersion,
  NotFoundError,
  requireVersion,
  type Clock,
  type EventBus,
  type ExpectedVersion,
} from '../../kernel/index.js';
import { changesOf, refusingTakenEmail, requireEmail, requireNames } from './account-input.js';
import { ADMIN_DECODE, adminColumns, adminModel, type AdminRecord, type AdminStatus } from './admin.js';
import type { PasswordHasher } from './contracts.js';
import { canonicalEmail } from './email.js';
import { AdminCreatedEvent, AdminUpdatedEvent, PasswordChangedEvent } from './events.js';
import type { NewPasswords } from './new-passwords.js';

const NAME_MAX = 200;

/** What proves an admin; never leaves the domain. */
export interface AdminCredentials {
  readonly admin: AdminRecord;
  readonly passwordHash: string;
  readonly authEpoch: number;
}

export interface NewAdmin {
  readonly name: string;
  readonly email: string;
  readonly password: string;
  /** Default `active`. */
  readonly status?: AdminStatus | undefined;
}

export interface AdminServiceParts {
  readonly database: Database;
  readonly events: EventBus<Transaction>;
  readonly clock: Clock;
  readonly hasher: PasswordHasher;
  readonly passwords: NewPasswords;
}

/** Operators of the portal: who they are. What they may do is the business of rbac. */
export class AdminService {
  constructor(private readonly parts: AdminServiceParts) {}

  /** @throws NotFoundError */
  async find(id: number): Promise<AdminRecord> {
    return this.require(id);
  }

  /** The account behind an address in any spelling of it (S11); null also for what is no address. */
  async findByEmail(email: string): Promise<AdminCredentials | null> {
    const canonical = canonicalEmail(email);
    return canonical === null ? null : this.readCredentials('a.email = ?', canonical);
  }

  /** @throws NotFoundError */
  async findCredentials(id: number): Promise<AdminCredentials> {
    const credentials = await this.readCredentials('a.id = ?', id);
    if (!credentials) throw new NotFoundError();
    return credentials;
  }

  /** @param status of those that are counted; all when left out */
  async count(status?: AdminStatus): Promise<number> {
    return adminModel(this.parts.database).count({ where: status === undefined ? {} : { status } });
  }

  /**
   * @param complete what belongs to the account from its first moment, done in the same transaction: its roles
   * @throws ValidationError for a taken or unusable address, an unusable name, a refused password
   */
  async create(
    input: NewAdmin,
    complete?: (admin: AdminRecord, transaction: Transaction) => Promise<void>,
  ): Promise<AdminRecord> {
    const { database, events, clock, passwords } = this.parts;
    const email = requireEmail(input.email);
    const { name } = requireNames({ name: input.name }, NAME_MAX);
    const passwordHash = await passwords.hash(input.password, 'admin', [email, name]);
    const now = clock.now();
    const values = { name, email, passwordHash, status: input.status ?? 'active', createdAt: now, updatedAt: now };
    return refusingTakenEmail(() =>
      database.transaction(async (transaction) => {
        const { id } = await adminModel(database).create(values, { transaction });
        const admin = await this.require(Number(id), transaction);
        await events.emit(new AdminCreatedEvent({ admin, occurredAt: now }), transaction);
        await complete?.(admin, transaction);
        return admin;
      }),
    );
  }

  /** @throws NotFoundError, ValidationError on `name` */
  async updateProfile(
    id: number,
    profile: { readonly name?: string | undefined },
    expected?: ExpectedVersion,
  ): Promise<AdminRecord> {
    const { database, events, clock } = this.parts;
    const { name } = requireNames({ name: profile.name }, NAME_MAX);
    return database.transaction(async (transaction) => {
      const before = await this.lock(id, transaction);
      requireVersion(expected, before);
      const changes = changesOf(before, { name });
      if (!changes || name === undefined) return before;
      const now = clock.now();
      await adminModel(database).update({ name, updatedAt: nextVersion(now, before) }, { where: { id }, transaction });
      const admin = await this.require(id, transaction);
      await events.emit(new AdminUpdatedEvent({ admin, changes, occurredAt: now }), transaction);
      return admin;
    });
  }

  /**
   * Stores a new password. Proving the old one, when somebody must, is the caller's part.
   * @param keepSid the sign-in that may live on
   * @throws NotFoundError, ValidationError on `password`
   */
  async changePassword(id: number, password: string, { keepSid }: { keepSid?: string } = {}): Promise<void> {
    const { database, events, clock, passwords } = this.parts;
    const { email, name } = await this.find(id);
    const passwordHash = await passwords.hash(password, 'admin', [email, name]);
    const now = clock.now();
    await database.transaction(async (transaction) => {
      const values = { passwordHash, updatedAt: now };
      const [affected] = await adminModel(database).update(values, { where: { id }, transaction });
      if (affected === 0) throw new NotFoundError();
      const change = { context: 'admin', accountId: id, keepSid, occurredAt: now } as const;
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

  // The lock first: a plain read before it would fix the snapshot and hide what the lock waited for.
  private async lock(id: number, transaction: Transaction): Promise<AdminRecord> {
    const options = { attributes: ['id'], transaction, lock: transaction.LOCK.UPDATE };
    if (!(await adminModel(this.parts.database).findByPk(id, options))) throw new NotFoundError();
    return this.require(id, transaction);
  }

  private async require(id: number, transaction?: Transaction): Promise<AdminRecord> {
    const sql = `SELECT ${adminColumns('a')} FROM portal_admins AS a WHERE a.id = ?`;
    const options = { decode: ADMIN_DECODE, transaction };
    const [admin] = await this.parts.database.select<AdminRecord>(sql, [id], options);
    if (!admin) throw new NotFoundError();
    return admin;
  }

  private async readCredentials(condition: string, value: string | number): Promise<AdminCredentials | null> {
    const columns = `${adminColumns('a')}, a.password_hash AS passwordHash, a.auth_epoch AS authEpoch`;
    const [row] = await this.parts.database.select<AdminRecord & Omit<AdminCredentials, 'admin'>>(
      `SELECT ${columns} FROM portal_admins AS a WHERE ${condition}`,
      [value],
      { decode: ADMIN_DECODE },
    );
    if (!row) return null;
    const { passwordHash, authEpoch, ...admin } = row;
    return { admin, passwordHash, authEpoch };
  }
}
