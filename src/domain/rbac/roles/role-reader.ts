import { defineList, placeholders, type Database, type Transaction } from '../../../database/index.js';
import type { RoleRecord } from './role.js';

type RoleRow = Omit<RoleRecord, 'permissions'>;

const COLUMNS = {
  id: 'r.id',
  name: 'r.name',
  label: 'r.label',
  createdAt: 'r.created_at',
  updatedAt: 'r.updated_at',
} as const;
const DECODE = { createdAt: 'date', updatedAt: 'date' } as const;

const FIELDS = {
  id: { column: COLUMNS.id, type: 'integer' },
  name: { column: COLUMNS.name, type: 'string', unique: true },
  label: { column: COLUMNS.label, type: 'string' },
  created_at: { column: COLUMNS.createdAt, type: 'date' },
  updated_at: { column: COLUMNS.updatedAt, type: 'date' },
} as const;

/** Roles as admins list them; their permissions are read for the page. */
export const roleList = defineList<RoleRow>({
  name: 'roles',
  table: 'portal_roles',
  alias: 'r',
  columns: COLUMNS,
  decode: DECODE,
  sorts: FIELDS,
  filters: {
    ...FIELDS,
    permission: {
      column: 'p.name',
      type: 'string',
      within: `SELECT 1 FROM portal_role_permissions l JOIN portal_permissions p ON p.id = l.permission_id
        WHERE l.role_id = ${COLUMNS.id}`,
    },
  },
  search: [COLUMNS.name, COLUMNS.label],
  relations: ['permissions'],
});

/** Every role, or the one with this id; a portal has tens of them. Permissions in alphabetical order. */
export async function readRoles(database: Database, id?: number, transaction?: Transaction): Promise<RoleRecord[]> {
  const columns = Object.entries(COLUMNS).map(([name, sql]) => `${sql} AS ${name}`);
  const rows = await database.select<RoleRow>(
    `SELECT ${columns.join(', ')} FROM portal_roles AS r ${id === undefined ? '' : 'WHERE r.id = ?'} ORDER BY r.name`,
    id === undefined ? [] : [id],
    { decode: DECODE, transaction },
  );
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
