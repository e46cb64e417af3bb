import { defineRecord, fieldOf, type RowOf } from '../../database/index.js';

export const developerViewRecord = defineRecord({
  name: 'DeveloperView',
  table: 'portal_developer_views',
  alias: 'd',
  fields: {
    id: fieldOf.id(),
    tokenHash: fieldOf.text(64).hidden(),
    adminId: fieldOf.reference(),
    userId: fieldOf.reference(),
    /** As the admin gave it. */
    reason: fieldOf.text(500),
    startedAt: fieldOf.time(),
    endsAt: fieldOf.time(),
    endedAt: fieldOf.time().nullable(),
  },
});

/** An admin looks at the portal as a developer sees it, for a while and without doing anything. */
export type DeveloperView = RowOf<typeof developerViewRecord>;

/**
 * How a view ended. `ended`: by its admin. `ran_out`: after its time. `another_started`: the admin has one at a time.
 * `signed_out`: the admin, somewhere. `account_closed`: admin or developer was deactivated or deleted. `not_allowed`: the
 * admin lost the permission.
 */
export type DeveloperViewEnding =
  'ended' | 'ran_out' | 'another_started' | 'signed_out' | 'account_closed' | 'not_allowed';
