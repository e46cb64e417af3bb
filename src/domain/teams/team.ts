import { defineList, defineRecord, fieldOf, times, type RowOf } from '../../database/index.js';
import type { UserRecord } from '../accounts/index.js';
import type { TeamAbility } from './roles.js';

/** `closed` by an admin: its keys open nothing. */
export type TeamStatus = 'active' | 'closed';

/** Notifications that a member may mute in a team. */
export const TEAM_NOTIFICATIONS = ['apps', 'keys', 'plans', 'usage', 'webhooks'] as const;
export type TeamNotification = (typeof TEAM_NOTIFICATIONS)[number];

export const teamRecord = defineRecord({
  name: 'Team',
  table: 'portal_teams',
  alias: 't',
  fields: {
    id: fieldOf.id(),
    /** The account that owns its apps; nobody signs in with it. */
    accountId: fieldOf.reference(),
    name: fieldOf.text(100),
    description: fieldOf.text(500),
    status: fieldOf.text<TeamStatus>(16),
    /** Instead of those of the configuration; null: those. */
    membersLimit: fieldOf.integer().nullable(),
    appsLimit: fieldOf.integer().nullable(),
    keysLimit: fieldOf.integer().nullable(),
    ...times,
  },
});

/** A company, or a part of one, whose people share apps. */
export type TeamRecord = RowOf<typeof teamRecord>;

export const teamList = defineList<TeamRecord>(
  teamRecord.list({
    name: 'teams',
    sorts: ['id', 'name', 'status', 'createdAt', 'updatedAt'],
    search: ['name'],
  }),
);

export const memberRecord = defineRecord({
  name: 'TeamMember',
  table: 'portal_team_members',
  alias: 'tm',
  fields: {
    id: fieldOf.id(),
    teamId: fieldOf.reference(),
    userId: fieldOf.reference(),
    role: fieldOf.text(32),
    /** What they do not want to be mailed about. */
    muted: fieldOf.json<readonly TeamNotification[]>(),
    ...times,
  },
});

export type MemberRecord = RowOf<typeof memberRecord>;

/** A member with the account behind it. */
export interface TeamMember extends MemberRecord {
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly userStatus: UserRecord['status'];
}

const listedMember = memberRecord.list({
  name: 'team-members',
  sorts: ['role', 'createdAt'],
  filters: ['role', 'createdAt'],
});

export const memberList = defineList<TeamMember>({
  ...listedMember,
  columns: {
    ...listedMember.columns,
    ...{ email: 'u.email', firstName: 'u.first_name', lastName: 'u.last_name', userStatus: 'u.status' },
  },
  join: 'JOIN portal_users u ON u.id = tm.user_id',
});

/** The teams of somebody, in the order in which they joined. */
export const seatList = defineList<MemberRecord>({ ...listedMember, name: 'seats' });

/** A team as one of its members sees it. Holding one means that the membership was checked. */
export interface TeamSeat {
  readonly team: TeamRecord;
  readonly member: MemberRecord;
  readonly abilities: ReadonlySet<TeamAbility>;
}
