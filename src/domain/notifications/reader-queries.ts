import type { Database, Transaction } from '../../database/index.js';
import { seesProduct } from '../catalog/index.js';

/** A developer who may be told of a change. */
export interface Reader {
  readonly id: number;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly emailVerifiedAt: Date | null;
  readonly locale: string | null;
}

/** The developer, if the account is active and sees the product now. */
export async function findReader(
  database: Database,
  userId: number,
  productId: number,
  transaction: Transaction,
): Promise<Reader | null> {
  const [reader] = await database.select<Reader>(
    `SELECT u.id AS id, u.email AS email, u.first_name AS firstName, u.last_name AS lastName,
       u.email_verified_at AS emailVerifiedAt, u.locale AS locale
     FROM portal_users u JOIN portal_products p ON p.id = ?
     WHERE u.id = ? AND u.status = 'active' AND ${seesProduct('p', 'u.id')}`,
    [productId, userId],
    { decode: { emailVerifiedAt: 'date' }, transaction },
  );
  return reader ?? null;
}

/** Condition on a notice `n`: its developer still sees the product that it is about. */
export const STILL_SEEN = `EXISTS (SELECT 1 FROM portal_change_notices c JOIN portal_products p ON p.id = c.product_id
  WHERE c.id = n.change_notice_id AND ${seesProduct('p', 'n.user_id')})`;
