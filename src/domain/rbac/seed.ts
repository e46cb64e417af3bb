import { UniqueViolationError, type Database, type SqlValue, type Transaction } from '../../database/index.js';
import type { Clock } from '../../core/index.js';
import type { RbacConfig } from './config.js';
import { permissionModel } from './roles/permission.js';
import { shippedPermissions, type PermissionSpec } from './permissions.js';
import { roleModel } from './roles/role.js';
import { listSeededRoles } from './shipped.js';

/** What a run of the seed added; all empty when everything was there. */
export interface SeedReport {
  readonly permissions: readonly string[];
  readonly roles: readonly string[];
  readonly grants: readonly { readonly role: string; readonly permission: string }[];
}

interface SeedParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly config: RbacConfig;
  /** Permissions of modules; only a role that an admin makes gets them. */
  readonly further?: readonly PermissionSpec[];
}

/**
 * Adds the permissions and roles that ship and are missing. An existing role only gets permissions that are new in this
 * run: what an operator took away or gave stays as it is.
 */
export async function seedRbac({ database, clock, config, further = [] }: SeedParts): Promise<SeedReport> {
  const permissions = shippedPermissions(config.rbac.permissions, further);
  const run = () => database.transaction((transaction) => seed(database, clock, config.rbac, permissions, transaction));
  try {
    return await run();
  } catch (error) {
    // Another process seeded at the same moment; what it added is there now.
    if (!(error instanceof UniqueViolationError)) throw error;
    return run();
  }
}

async function seed(
  database: Database,
  clock: Clock,
  config: RbacConfig['rbac'],
  permissions: readonly PermissionSpec[],
  transaction: Transaction,
): Promise<SeedReport> {
  const now = clock.now();
  const times = { createdAt: now, updatedAt: now };
  const roles = listSeededRoles(config);

  const knownPermissions = await idsByName(database, 'portal_permissions', transaction);
  const newPermissions = permissions.filter(({ name }) => !knownPermissions.has(name));
  await permissionModel(database).bulkCreate(
    newPermissions.map((permission) => ({ ...permission, ...times })),
    { transaction },
  );
  const knownRoles = await idsByName(database, 'portal_roles', transaction);
  const newRoles = roles.filter(({ name }) => !knownRoles.has(name));
  await roleModel(database).bulkCreate(
    newRoles.map(({ name, label }) => ({ name, label, ...times })),
    { transaction },
  );

  const grants = roles.flatMap(({ name: role, permissions }) =>
    permissions
      .filter((permission) => !knownRoles.has(role) || !knownPermissions.has(permission))
      .map((permission) => ({ role, permission })),
  );
  await grant(database, grants, transaction);
  return { permissions: newPermissions.map(({ name }) => name), roles: newRoles.map(({ name }) => name), grants };
}

async function grant(database: Database, grants: SeedReport['grants'], transaction: Transaction): Promise<void> {
  if (grants.length === 0) return;
  const roles = await idsByName(database, 'portal_roles', transaction);
  const permissions = await idsByName(database, 'portal_permissions', transaction);
  const values = grants.flatMap(({ role, permission }) => [
    roles.get(role) as SqlValue,
    permissions.get(permission) as SqlValue,
  ]);
  const rows = grants.map(() => '(?, ?)').join(', ');
  await database.execute(`INSERT INTO portal_role_permissions (role_id, permission_id) VALUES ${rows}`, values, {
    transaction,
  });
}

async function idsByName(
  database: Database,
  table: 'portal_roles' | 'portal_permissions',
  transaction: Transaction,
): Promise<ReadonlyMap<string, number>> {
  const sql = `SELECT id, name FROM ${table}`;
  const rows = await database.select<{ id: number; name: string }>(sql, [], { transaction });
  return new Map(rows.map(({ id, name }) => [name, id]));
}
