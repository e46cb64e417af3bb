import { defineList } from '../../database/index.js';
import { USER_DECODE, userFields, type UserRecord } from './user.js';

const u = userFields('u');

const AUDIENCES = `SELECT 1 FROM portal_audience_users ul JOIN portal_audiences ua ON ua.id = ul.audience_id
  WHERE ul.user_id = ${u.id}`;

/** Developers as admins list them. */
export const userList = defineList<UserRecord>({
  name: 'users',
  table: 'portal_users',
  alias: 'u',
  columns: u,
  decode: USER_DECODE,
  sorts: {
    id: { column: u.id, type: 'integer' },
    email: { column: u.email, type: 'string', unique: true },
    first_name: { column: u.firstName, type: 'string' },
    last_name: { column: u.lastName, type: 'string' },
    status: { column: u.status, type: 'string' },
    created_at: { column: u.createdAt, type: 'date' },
    updated_at: { column: u.updatedAt, type: 'date' },
  },
  filters: {
    id: { column: u.id, type: 'integer' },
    email: { column: u.email, type: 'string' },
    first_name: { column: u.firstName, type: 'string' },
    last_name: { column: u.lastName, type: 'string' },
    status: { column: u.status, type: 'string' },
    email_verified_at: { column: u.emailVerifiedAt, type: 'date', nullable: true },
    created_at: { column: u.createdAt, type: 'date' },
    updated_at: { column: u.updatedAt, type: 'date' },
    audience: { column: 'ua.name', type: 'string', within: AUDIENCES },
  },
  search: [u.email, u.firstName, u.lastName],
  relations: ['audiences'],
});
