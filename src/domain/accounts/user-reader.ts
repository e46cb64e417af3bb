import type { Database, Lists, Transaction } from '../../database/index.js';
import { NotFoundError, type ListQuery, type ListPage } from '../../core/index.js';
import { canonicalEmail } from './email.js';
import { userList } from './user-list.js';
import { USER_DECODE, userColumns, userModel, type UserRecord } from './user.js';

/** What proves a developer; never leaves the domain. */
export interface UserCredentials {
  readonly user: UserRecord;
  readonly passwordHash: string;
  readonly authEpoch: number;
}

export interface UserReaderParts {
  readonly database: Database;
  readonly lists: Lists;
}

/** Looks developers up; the half of `UserService` that changes nothing. */
export class UserReader {
  constructor(private readonly source: UserReaderParts) {}

  /** @throws NotFoundError */
  async find(id: number, transaction?: Transaction): Promise<UserRecord> {
    return this.require(id, transaction);
  }

  /** One page of {@link userList}. @throws ValidationError for a wish that the list does not offer */
  async list(query: ListQuery): Promise<ListPage<UserRecord>> {
    return this.source.lists.run(userList, query);
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

  // The lock first: a plain read before it would fix the snapshot and hide what the lock waited for.
  protected async lock(id: number, transaction: Transaction): Promise<UserRecord> {
    const options = { attributes: ['id'], transaction, lock: transaction.LOCK.UPDATE };
    if (!(await userModel(this.source.database).findByPk(id, options))) throw new NotFoundError();
    return this.require(id, transaction);
  }

  protected async require(id: number, transaction?: Transaction): Promise<UserRecord> {
    const sql = `SELECT ${userColumns('u')} FROM portal_users AS u WHERE u.id = ?`;
    const options = { decode: USER_DECODE, transaction };
    const [user] = await this.source.database.select<UserRecord>(sql, [id], options);
    if (!user) throw new NotFoundError();
    return user;
  }

  private async readCredentials(condition: string, value: string | number): Promise<UserCredentials | null> {
    const columns = `${userColumns('u')}, u.password_hash AS passwordHash, u.auth_epoch AS authEpoch`;
    const [row] = await this.source.database.select<UserRecord & Omit<UserCredentials, 'user'>>(
      `SELECT ${columns} FROM portal_users AS u WHERE ${condition}`,
      [value],
      { decode: USER_DECODE },
    );
    if (!row) return null;
    const { passwordHash, authEpoch, ...user } = row;
    return { user, passwordHash, authEpoch };
  }
}
