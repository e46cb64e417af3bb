import { defineList, defineRecord, fieldOf, selectJoined, times, type RowOf } from '../../database/index.js';
import { refuseTakenEmail } from './account-input.js';

/** Whether somebody signs in with it, or a team owns its apps with it. */
export type UserKind = 'person' | 'team';

const USER_STATUSES = ['active', 'inactive', 'pending'] as const;
export type UserStatus = (typeof USER_STATUSES)[number];

export const userRecord = defineRecord({
  name: 'User',
  table: 'portal_users',
  alias: 'u',
  refusal: refuseTakenEmail,
  fields: {
    id: fieldOf.id(),
    /** Canonical (S11); see `canonicalEmail`. */
    email: fieldOf.text(254).unique(),
    firstName: fieldOf.text(100),
    lastName: fieldOf.text(100),
    passwordHash: fieldOf.text(255).hidden(),
    status: fieldOf.text<UserStatus>(16),
    kind: fieldOf.text<UserKind>(16).default('person'),
    emailVerifiedAt: fieldOf.time().nullable(),
    pendingEmail: fieldOf.text(254).nullable(),
    /** Preferred language; null if never chosen. */
    locale: fieldOf.text(16).nullable(),
    customAttributes: fieldOf.json<Readonly<Record<string, unknown>>>().default({}),
    /** Incremented to end every session of the account at once. */
    authEpoch: fieldOf.integer().default(0).hidden(),
    ...times,
  },
});

/** A developer as the portal knows them, without the password; or a team, where apps are owned. */
export type UserRecord = RowOf<typeof userRecord>;

const AUDIENCES = { table: 'portal_audience_users', owner: 'user_id', key: 'audience_id' };
const IN_AUDIENCE = selectJoined(AUDIENCES, 'portal_audiences ua', userRecord.columns.id);

/** An app of the developer `u`, as `oa`. */
export const OWN_APP = "SELECT 1 FROM portal_apps oa WHERE oa.user_id = u.id AND oa.sync_state <> 'creating'";
/** A key of the developer `u`, with its app, as `oc` and `oa`. */
export const OWN_KEY = `SELECT 1 FROM portal_apps oa JOIN portal_credentials oc ON oc.app_id = oa.id
  WHERE oa.user_id = u.id AND oa.sync_state <> 'creating' AND oc.sync_state <> 'creating'`;

/** Developers as admins list them. */
export const userList = defineList<UserRecord>(
  userRecord.list({
    name: 'users',
    sorts: ['id', 'email', 'firstName', 'lastName', 'status', 'createdAt', 'updatedAt'],
    filters: ['id', 'email', 'firstName', 'lastName', 'status', 'emailVerifiedAt', 'createdAt', 'updatedAt'],
    moreFilters: {
      audience: { column: 'ua.name', type: 'string', within: IN_AUDIENCE },
      has_app: { column: `EXISTS (${OWN_APP})`, type: 'boolean' },
      has_key: { column: `EXISTS (${OWN_KEY})`, type: 'boolean' },
      has_called: { column: `EXISTS (${OWN_APP} AND oa.first_called_at IS NOT NULL)`, type: 'boolean' },
    },
    search: ['email', 'firstName', 'lastName'],
    relations: ['audiences'],
  }),
);

/** Stored in place of a hash: no password matches until a mailed link sets one. */
export const NO_PASSWORD = '';

export function fullName(user: Pick<UserRecord, 'firstName' | 'lastName'>): string {
  return `${user.firstName} ${user.lastName}`.trim();
}

/** Recipient of a mail about an account. */
export function addressUser(user: Pick<UserRecord, 'email' | 'firstName' | 'lastName' | 'emailVerifiedAt'>) {
  return { to: user.email, name: fullName(user), isUnproved: user.emailVerifiedAt === null };
}
