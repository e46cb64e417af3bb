import { changeJoinRows, UniqueViolationError, type Database, type Transaction } from '../../database/index.js';
import type { Clock } from '../../core/index.js';
import type { RbacConfig } from './config.js';
import { permissionRecord } from './permission.js';
import { shippedPermissions, type PermissionSpec } from './permissions.js';
import { PERMISSIONS_OF_ROLE, roleRecord } from './role.js';
import { listSeededRoles } from './shipped.js';

/** What a seed run added; all empty if nothing was missing. */
export interface SeedReport {
  readonly permissions: readonly string[];
  readonly roles: readonly string[];
  readonly grants: readonly { readonly role: string; readonly permission: string }[];
}

interface SeedParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly config: RbacConfig;
  /** Permissions of modules; only added to roles that admins make. */
  readonly further?: readonly PermissionSpec[];
}

/**
 * Adds missing built-in permissions and roles. An existing role only gets permissions that are new in this run: changes
 * by an operator are kept.
 */
export async function seedRbac({ database, clock, config, further = [] }: SeedParts): Promise<SeedReport> {
  const permissions = shippedPermissions(config.rbac.permissions, further);
  const run = () => database.transaction((transaction) => seed(database, clock, config.rbac, permissions, transaction));
  try {
    return await run();
  } catch (error) {
    // Another process seeded at the same moment; its additions are there now.
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

  const knownPermissions = idsByName(await permissionRecord.findAll(database, {}, { transaction }));
  const newPermissions = permissions.filter(({ name }) => !knownPermissions.has(name));
  const permissionRows = newPermissions.map((permission) => ({ ...permission, ...times }));
  await permissionRecord.insertAll(database, permissionRows, transaction);
  const knownRoles = idsByName(await roleRecord.findAll(database, {}, { transaction }));
  const newRoles = roles.filter(({ name }) => !knownRoles.has(name));
  const roleRows = newRoles.map(({ name, label }) => ({ name, label, ...times }));
  await roleRecord.insertAll(database, roleRows, transaction);

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
  const roles = idsByName(await roleRecord.findAll(database, {}, { transaction }));
  const permissions = idsByName(await permissionRecord.findAll(database, {}, { transaction }));
  for (const role of new Set(grants.map((grant) => grant.role))) {
    const added = grants.filter((grant) => grant.role === role).map(({ permission }) => permissions.get(permission));
    await changeJoinRows(
      database,
      PERMISSIONS_OF_ROLE,
      roles.get(role) as number,
      { added: added as number[] },
      transaction,
    );
  }
}

function idsByName(records: readonly { readonly id: number; readonly name: string }[]): ReadonlyMap<string, number> {
  return new Map(records.map(({ id, name }) => [name, id]));
}
