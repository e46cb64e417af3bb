import { defineRecord, fieldOf, times, type RowOf } from '../../../database/index.js';

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
