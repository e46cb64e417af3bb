import { defineRecord, fieldOf, times, type RowOf } from '../../database/index.js';

export const PERMISSIONS_OF_ROLE = { table: 'portal_role_permissions', owner: 'role_id', key: 'permission_id' };
export const ADMINS_WITH_ROLE = { table: 'portal_admin_roles', owner: 'role_id', key: 'admin_id' };
export const ROLES_OF_ADMIN = { table: 'portal_admin_roles', owner: 'admin_id', key: 'role_id' };

export const roleRecord = defineRecord({
  name: 'Role',
  table: 'portal_roles',
  alias: 'r',
  fields: {
    id: fieldOf.id(),
    /** Stable and unique, for example `catalog_manager`. */
    name: fieldOf.text(100).unique(),
    label: fieldOf.text(200),
    ...times,
  },
});

export type RoleRow = RowOf<typeof roleRecord>;

/** A role as other records name it. */
export type RoleReference = Pick<RoleRow, 'id' | 'name'>;

/** A role with the names of its permissions in alphabetical order. */
export interface RoleRecord extends RoleRow {
  readonly permissions: readonly string[];
}
