import { defineList } from '../../database/index.js';
import { ADMIN_DECODE, type AdminRecord } from '../accounts/index.js';

const FIELDS = {
  id: { column: 'a.id', type: 'integer' },
  name: { column: 'a.name', type: 'string' },
  email: { column: 'a.email', type: 'string', unique: true },
  status: { column: 'a.status', type: 'string' },
  last_login_at: { column: 'a.last_login_at', type: 'date', nullable: true },
  created_at: { column: 'a.created_at', type: 'date' },
  updated_at: { column: 'a.updated_at', type: 'date' },
} as const;

/** Admins as other admins list them. */
export const adminList = defineList<AdminRecord>({
  name: 'admins',
  table: 'portal_admins',
  alias: 'a',
  columns: {
    id: 'a.id',
    name: 'a.name',
    email: 'a.email',
    status: 'a.status',
    lastLoginAt: 'a.last_login_at',
    createdAt: 'a.created_at',
    updatedAt: 'a.updated_at',
  },
  decode: ADMIN_DECODE,
  sorts: FIELDS,
  filters: {
    ...FIELDS,
    role: {
      column: 'r.name',
      type: 'string',
      within: `SELECT 1 FROM portal_admin_roles l JOIN portal_roles r ON r.id = l.role_id WHERE l.admin_id = a.id`,
    },
  },
  search: ['a.name', 'a.email'],
  relations: ['roles'],
});
