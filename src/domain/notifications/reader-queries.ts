import { placeholders, type Database, type Transaction } from '../../database/index.js';
import { userRecord } from '../accounts/index.js';
import { CHANGE_KINDS, seesProduct, type ChangeKind } from '../catalog/index.js';

/** A developer who may be notified of a change. */
export interface NotifiedReader {
  readonly id: number;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly emailVerifiedAt: Date | null;
  readonly locale: string | null;
}

/** Whom a change may be told to. */
interface Told {
  readonly userId: number;
  /** Who owns the apps that it hits: of a team whose product only the team sees, its members hear. */
  readonly owners: readonly number[];
  readonly productId: number;
}

/** The developer, if the account is active and they, or who owns the apps that are hit, see the product now. */
export async function findReader(
  database: Database,
  { userId, owners, productId }: Told,
  transaction: Transaction,
): Promise<NotifiedReader | null> {
  const viewers = [userId, ...owners];
  const where = `EXISTS (SELECT 1 FROM portal_products p JOIN portal_users v ON v.id IN (${placeholders(viewers)})
    WHERE p.id = ? AND ${seesProduct('p', 'v.id')})`;
  const and = { where, values: [...viewers, productId] };
  const only = ['id', 'email', 'firstName', 'lastName', 'emailVerifiedAt', 'locale'] as const;
  return userRecord.find(database, { id: userId, status: 'active' }, { and, only, transaction });
}

/** Condition on a notice `n`: one of these accounts sees the product that it is about now. */
export function whereStillSeen(accounts: readonly number[]) {
  const where = `EXISTS (SELECT 1 FROM portal_change_notices c JOIN portal_products p ON p.id = c.product_id
    JOIN portal_users v ON v.id IN (${placeholders(accounts)})
    WHERE c.id = n.change_notice_id AND ${seesProduct('p', 'v.id')})`;
  return { where, values: accounts };
}

/** Condition on a product `p`: the developer sees it themselves. */
export function whereSeen(userId: number) {
  return { where: seesProduct('p', '?'), values: [userId] };
}

/** A product of which a developer with webhooks is told. */
interface Followed {
  readonly userId: number;
  readonly productId: number;
  /** null: all, as the developer has a key. */
  readonly kinds: readonly ChangeKind[] | null;
}

/** Developers with webhooks who hold keys for a product or watch it, and see it; or the products of which that is true for one. */
export async function findFollowers(
  database: Database,
  about: { readonly productId: number } | { readonly userId: number },
  now: Date,
  transaction: Transaction,
): Promise<Followed[]> {
  const [condition, id] = 'userId' in about ? ['r.user_id = ?', about.userId] : ['r.product_id = ?', about.productId];
  const rows = await database.select<{ userId: number; productId: number; kinds: string }>(
    `SELECT DISTINCT r.user_id AS userId, r.product_id AS productId, r.kinds AS kinds FROM (
       SELECT a.user_id AS user_id, g.product_id AS product_id, '' AS kinds FROM portal_credential_products g
         JOIN portal_credentials c ON c.id = g.credential_id AND c.status <> 'revoked'
           AND (c.expires_at IS NULL OR c.expires_at > ?)
         JOIN portal_apps a ON a.id = c.app_id WHERE g.status <> 'revoked'
       UNION ALL SELECT w.user_id, w.product_id, ${KINDS} FROM portal_product_watches w) r
     JOIN portal_products p ON p.id = r.product_id JOIN portal_users u ON u.id = r.user_id AND u.status = 'active'
     WHERE ${condition} AND ${seesProduct('p', 'r.user_id')}
       AND r.user_id IN (SELECT e.owner_id FROM portal_webhook_endpoints e WHERE e.owner_id IS NOT NULL)`,
    [now, id],
    { transaction },
  );
  return rows.map(({ userId, productId, kinds }) => ({
    ...{ userId, productId, kinds: kinds === '' ? null : CHANGE_KINDS.filter((kind) => kinds.includes(`"${kind}"`)) },
  }));
}

/** JSON as text: the two halves of a union have one type. */
const KINDS = 'CAST(w.kinds AS CHAR)';
