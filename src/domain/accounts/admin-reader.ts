import type { Database, Transaction } from '../../database/index.js';
import { NotFoundError } from '../../core/index.js';
import { ADMIN_DECODE, adminColumns, adminModel, type AdminRecord, type AdminStatus } from './admin.js';
import { canonicalEmail } from './email.js';

/** What proves an admin; never leaves the domain. */
export interface AdminCredentials {
  readonly admin: AdminRecord;
  readonly passwordHash: string;
  readonly authEpoch: number;
}

/** Looks admins up; the half of `AdminService` that changes nothing. */
export class AdminReader {
  constructor(private readonly source: { readonly database: Database }) {}

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
    return adminModel(this.source.database).count({ where: status === undefined ? {} : { status } });
  }

  // The lock first: a plain read before it would fix the snapshot and hide what the lock waited for.
  protected async lock(id: number, transaction: Transaction): Promise<AdminRecord> {
    const options = { attributes: ['id'], transaction, lock: transaction.LOCK.UPDATE };
    if (!(await adminModel(this.source.database).findByPk(id, options))) throw new NotFoundError();
    return this.require(id, transaction);
  }

  protected async require(id: number, transaction?: Transaction): Promise<AdminRecord> {
    const sql = `SELECT ${adminColumns('a')} FROM portal_admins AS a WHERE a.id = ?`;
    const options = { decode: ADMIN_DECODE, transaction };
    const [admin] = await this.source.database.select<AdminRecord>(sql, [id], options);
    if (!admin) throw new NotFoundError();
    return admin;
  }

  private async readCredentials(condition: string, value: string | number): Promise<AdminCredentials | null> {
    const columns = `${adminColumns('a')}, a.password_hash AS passwordHash, a.auth_epoch AS authEpoch`;
    const [row] = await this.source.database.select<AdminRecord & Omit<AdminCredentials, 'admin'>>(
      `SELECT ${columns} FROM portal_admins AS a WHERE ${condition}`,
      [value],
      { decode: ADMIN_DECODE },
    );
    if (!row) return null;
    const { passwordHash, authEpoch, ...admin } = row;
    return { admin, passwordHash, authEpoch };
  }
}
