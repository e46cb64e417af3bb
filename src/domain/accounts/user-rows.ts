import type { Database, Transaction } from '../../database/index.js';
import { NotFoundError } from '../../kernel/index.js';
import { USER_DECODE, userColumns, userModel, type UserRecord } from './user.js';

/** @throws NotFoundError */
export async function requireUser(database: Database, id: number, transaction?: Transaction): Promise<UserRecord> {
  const sql = `SELECT ${userColumns('u')} FROM portal_users AS u WHERE u.id = ?`;
  const [user] = await database.select<UserRecord>(sql, [id], { decode: USER_DECODE, transaction });
  if (!user) throw new NotFoundError();
  return user;
}

/**
 * A developer whom nobody else can change until the transaction ends. The lock first: a plain read before it would fix the
 * snapshot and hide what the lock waited for.
 * @throws NotFoundError
 */
export async function lockUser(database: Database, id: number, transaction: Transaction): Promise<UserRecord> {
  const options = { attributes: ['id'], transaction, lock: transaction.LOCK.UPDATE };
  if (!(await userModel(database).findByPk(id, options))) throw new NotFoundError();
  return requireUser(database, id, transaction);
}
