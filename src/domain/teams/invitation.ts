import { createHash, randomBytes } from 'node:crypto';
import { defineList, defineRecord, fieldOf, times, type RowOf } from '../../database/index.js';

export type InvitationState = 'pending' | 'accepted' | 'declined' | 'withdrawn';

export const invitationRecord = defineRecord({
  name: 'TeamInvitation',
  table: 'portal_team_invitations',
  alias: 'ti',
  fields: {
    id: fieldOf.id(),
    teamId: fieldOf.reference(),
    /** Canonical; only whoever has proved it may accept. */
    email: fieldOf.text(254),
    role: fieldOf.text(32),
    tokenHash: fieldOf.text(64).hidden(),
    state: fieldOf.text<InvitationState>(16),
    /** null: an admin, or an account that is gone. */
    invitedBy: fieldOf.reference().nullable(),
    expiresAt: fieldOf.time(),
    ...times,
  },
});

export type InvitationRecord = RowOf<typeof invitationRecord>;

export const invitationList = defineList<InvitationRecord>(
  invitationRecord.list({
    name: 'team-invitations',
    sorts: ['createdAt'],
    filters: ['state', 'email'],
  }),
);

/** A token: 256 random bits in base64url (S07). */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

export function newInvitationToken(): string {
  return randomBytes(32).toString('base64url');
}

/** null for what cannot be a token. */
export function hashOfToken(token: string): string | null {
  return TOKEN.test(token) ? createHash('sha256').update(token).digest('hex') : null;
}

/** `expired` for a pending one whose time is over. */
export function invitationState({ state, expiresAt }: InvitationRecord, now: Date): InvitationState | 'expired' {
  return state === 'pending' && expiresAt <= now ? 'expired' : state;
}
