import { defineList, defineRecord, fieldOf, selectJoined, times, type RowOf } from '../../database/index.js';

export const permissionRecord = defineRecord({
  name: 'Permission',
  table: 'portal_permissions',
  alias: 'p',
  fields: {
    id: fieldOf.id(),
    /** Stable and unique, for example `portal.users.view`. */
    name: fieldOf.text(100).unique(),
    description: fieldOf.text(500),
    ...times,
  },
});

/** Something that an admin may be allowed to do. */
export type PermissionRecord = RowOf<typeof permissionRecord>;

/** The roles that hold a permission. */
export const ROLES_WITH_IT = { table: 'portal_role_permissions', owner: 'permission_id', key: 'role_id' };
const IN_ROLE = selectJoined(ROLES_WITH_IT, 'portal_roles r', permissionRecord.columns.id);

/** Permissions as admins list them. */
export const permissionList = defineList<PermissionRecord>(
  permissionRecord.list({
    name: 'permissions',
    sorts: ['id', 'name', 'createdAt', 'updatedAt'],
    moreFilters: { role: { column: 'r.name', type: 'string', within: IN_ROLE } },
    search: ['name', 'description'],
  }),
);
