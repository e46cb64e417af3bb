import { defineList, placeholders, type Database, type Transaction } from '../../../database/index.js';
import { roleRecord, type RoleRecord, type RoleRow } from './role.js';

const PERMISSIONS = `SELECT 1 FROM portal_role_permissions l JOIN portal_permissions p ON p.id = l.permission_id
  WHERE l.role_id = ${roleRecord.columns.id}`;

/** Roles as admins list them; their permissions are loaded for each page. */
export const roleList = defineList<RoleRow>(
  roleRecord.list({
    name: 'roles',
    sorts: ['id', 'name', 'label', 'createdAt', 'updatedAt'],
    moreFilters: { permission: { column: 'p.name', type: 'string', within: PERMISSIONS } },
    search: ['name', 'label'],
    relations: ['permissions'],
  }),
);

/** Every role, or the one with this id; a portal has a few dozen at most. Permissions in alphabetical order. */
export async function readRoles(database: Database, id?: number, transaction?: Transaction): Promise<RoleRecord[]> {
  const where = id === undefined ? {} : { id };
  const rows = await roleRecord.findAll(database, where, { transaction, order: 'r.name' });
  return withPermissions(database, rows, transaction);
}

export async function withPermissions(
  database: Database,
  roles: readonly RoleRow[],
  transaction?: Transaction,
): Promise<RoleRecord[]> {
  if (roles.length === 0) return [];
  const rows = await database.select<{ roleId: number; name: string }>(
    `SELECT l.role_id AS roleId, p.name AS name FROM portal_role_permissions AS l
      JOIN portal_permissions AS p ON p.id = l.permission_id
      WHERE l.role_id IN (${placeholders(roles)}) ORDER BY p.name`,
    roles.map(({ id }) => id),
    { transaction },
  );
  return roles.map((role) => ({
    ...role,
    permissions: rows.filter(({ roleId }) => roleId === role.id).map(({ name }) => name),
  }));
}
