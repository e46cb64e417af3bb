import { defineList, defineRecord, fieldOf, selectJoined, times, type RowOf } from '../../database/index.js';
import { refuseTakenEmail } from './account-input.js';

const ADMIN_STATUSES = ['active', 'inactive'] as const;
export type AdminStatus = (typeof ADMIN_STATUSES)[number];

export const adminRecord = defineRecord({
  name: 'Admin',
  table: 'portal_admins',
  alias: 'a',
  refusal: refuseTakenEmail,
  fields: {
    id: fieldOf.id(),
    name: fieldOf.text(200),
    /** Canonical (S11). */
    email: fieldOf.text(254).unique(),
    passwordHash: fieldOf.text(255).hidden(),
    status: fieldOf.text<AdminStatus>(16),
    /** Incremented to end every session of the account at once. */
    authEpoch: fieldOf.integer().default(0).hidden(),
    lastLoginAt: fieldOf.time().nullable(),
    ...times,
  },
});

/** An operator of the portal, without the password. */
export type AdminRecord = RowOf<typeof adminRecord>;

const ROLES = { table: 'portal_admin_roles', owner: 'admin_id', key: 'role_id' };
const WITH_ROLE = selectJoined(ROLES, 'portal_roles r', adminRecord.columns.id);

/** Admins as other admins list them. */
export const adminList = defineList<AdminRecord>(
  adminRecord.list({
    name: 'admins',
    sorts: ['id', 'name', 'email', 'status', 'lastLoginAt', 'createdAt', 'updatedAt'],
    moreFilters: { role: { column: 'r.name', type: 'string', within: WITH_ROLE } },
    search: ['name', 'email'],
    relations: ['roles'],
  }),
);
