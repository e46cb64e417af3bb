import { defineList, findJoined, selectJoined, type Database, type Transaction } from '../../database/index.js';
import { permissionRecord } from './permission.js';
import { PERMISSIONS_OF_ROLE, roleRecord, type RoleRecord, type RoleRow } from './role.js';

const WITH_PERMISSION = selectJoined(PERMISSIONS_OF_ROLE, 'portal_permissions p', roleRecord.columns.id);

/** Roles as admins list them; their permissions are loaded for each page. */
export const roleList = defineList<RoleRow>(
  roleRecord.list({
    name: 'roles',
    sorts: ['id', 'name', 'label', 'createdAt', 'updatedAt'],
    moreFilters: { permission: { column: 'p.name', type: 'string', within: WITH_PERMISSION } },
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
  const ids = roles.map(({ id }) => id);
  const options = { only: ['name'], order: 'p.name', transaction } as const;
  const found = await findJoined(database, PERMISSIONS_OF_ROLE, permissionRecord, ids, options);
  return roles.map((role) => ({ ...role, permissions: (found.get(role.id) ?? []).map(({ name }) => name) }));
}
