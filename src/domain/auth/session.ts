import { defineRecord, fieldOf, type RowOf } from '../../database/index.js';
import type { AuthContext, SessionChannel } from './actor.js';

const { id, integer, reference, text, time } = fieldOf;

export const sessionRecord = defineRecord({
  name: 'Session',
  table: 'portal_sessions',
  alias: 's',
  fields: {
    sid: text(32).key(),
    context: text<AuthContext>(16),
    accountId: reference().hidden(),
    channel: text<SessionChannel>(8),
    /** The account's epoch; with an older one the session has ended. */
    authEpoch: integer().hidden(),
    authTime: time(),
    ip: text(45).nullable(),
    userAgent: text(255).nullable(),
    lastSeenAt: time(),
    expiresAt: time(),
    revokedAt: time().nullable().hidden(),
    createdAt: time(),
  },
});

/** An active session, as its owner sees it. */
export type SessionRecord = RowOf<typeof sessionRecord>;

export const refreshTokenRecord = defineRecord({
  name: 'RefreshToken',
  table: 'portal_api_refresh_tokens',
  alias: 't',
  fields: {
    id: id(),
    tokenHash: text(64).hidden(),
    /** The `sid` of its session. */
    family: text(32),
    counter: integer(),
    expiresAt: time(),
    rotatedAt: time().nullable(),
    revokedAt: time().nullable(),
    createdAt: time(),
  },
});
