import { placeholders, type Database, type Transaction } from '../../database/index.js';
import { BoundedCache, type Clock } from '../../core/index.js';
import { adminRecord } from '../accounts/index.js';
import { permissionRecord } from './permission.js';
import type { RoleReference } from './role.js';

/** An admin's permissions, across all of their roles. */
export interface Grants {
  readonly roles: readonly RoleReference[];
  readonly permissions: ReadonlySet<string>;
  /** Has a role that bypasses every check. */
  readonly bypass: boolean;
}

interface Row {
  roleId: number;
  role: string;
  permission: string | null;
}

/**
 * One query. Inside a transaction it sees that transaction's changes.
 * @param adminId negative for a service token: it has no roles, and bypasses nothing
 */
export async function readGrants(
  database: Database,
  adminId: number,
  bypassRoles: readonly string[],
  transaction?: Transaction,
): Promise<Grants> {
  if (adminId < 0) return readTokenGrants(database, -adminId, transaction);
  const rows = await database.select<Row>(
    `SELECT r.id AS roleId, r.name AS role, p.name AS permission
      FROM portal_admin_roles AS ar
      JOIN portal_roles AS r ON r.id = ar.role_id
      LEFT JOIN portal_role_permissions AS rp ON rp.role_id = r.id
      LEFT JOIN portal_permissions AS p ON p.id = rp.permission_id
      WHERE ar.admin_id = ? ORDER BY r.name, p.name`,
    [adminId],
    { transaction },
  );
  const roles = new Map(rows.map(({ roleId, role }) => [roleId, { id: roleId, name: role }]));
  return {
    roles: [...roles.values()],
    permissions: new Set(rows.flatMap(({ permission }) => (permission === null ? [] : [permission]))),
    bypass: [...roles.values()].some(({ name }) => bypassRoles.includes(name)),
  };
}

async function readTokenGrants(database: Database, id: number, transaction?: Transaction): Promise<Grants> {
  const where = `EXISTS (SELECT 1 FROM portal_service_token_permissions tp
    JOIN portal_service_tokens s ON s.id = tp.token_id AND s.revoked_at IS NULL
    WHERE tp.permission_id = p.id AND tp.token_id = ?)`;
  const options = { only: ['name'], and: { where, values: [id] }, transaction } as const;
  const rows = await permissionRecord.findAll(database, {}, options);
  return { roles: [], permissions: new Set(rows.map(({ name }) => name)), bypass: false };
}

/** Number of active admins with one of these roles. */
export async function countActiveHolders(
  database: Database,
  roles: readonly string[],
  transaction: Transaction,
): Promise<number> {
  const where = `EXISTS (SELECT 1 FROM portal_admin_roles ar JOIN portal_roles r ON r.id = ar.role_id
    WHERE ar.admin_id = a.id AND r.name IN (${placeholders(roles)}))`;
  const and = { where, values: roles };
  const holders = await adminRecord.countBy(database, 'status', { status: 'active' }, { and, transaction });
  return holders.get('active') ?? 0;
}

/** Below the one second within which a change must apply on every replica (S61). */
const MAX_AGE_MS = 800;
const MAX_ENTRIES = 1000;

/** Grants per admin, cached for 0.8 s so that parallel requests of a page query once. */
export class GrantCache {
  private readonly grants: BoundedCache<Grants>;

  constructor(
    clock: Clock,
    private readonly load: (adminId: number) => Promise<Grants>,
  ) {
    this.grants = new BoundedCache({ entries: MAX_ENTRIES, age: { ms: MAX_AGE_MS, clock } });
  }

  get(adminId: number): Promise<Grants> {
    return this.grants.read(String(adminId), () => this.load(adminId));
  }

  clear(): void {
    this.grants.clear();
  }
}
