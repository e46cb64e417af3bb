import { defineList, defineRecord, fieldOf, times, type RowOf } from '../../../database/index.js';

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

const ROLES = `SELECT 1 FROM portal_role_permissions l JOIN portal_roles r ON r.id = l.role_id
  WHERE l.permission_id = ${permissionRecord.columns.id}`;

/** Permissions as admins list them. */
export const permissionList = defineList<PermissionRecord>(
  permissionRecord.list({
    name: 'permissions',
    sorts: ['id', 'name', 'createdAt', 'updatedAt'],
    moreFilters: { role: { column: 'r.name', type: 'string', within: ROLES } },
    search: ['name', 'description'],
  }),
);
