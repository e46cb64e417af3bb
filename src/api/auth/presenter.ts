import type { SessionRecord, TokenPair } from '../../domain/auth/index.js';

export function presentTokenPair(pair: TokenPair) {
  return {
    token_type: pair.tokenType,
    access_token: pair.accessToken,
    expires_in: pair.expiresIn,
    refresh_token: pair.refreshToken,
  };
}

/** @param currentSid the sign-in of the request */
export function presentSession(session: SessionRecord, currentSid: string) {
  return {
    id: session.sid,
    context: session.context,
    channel: session.channel,
    current: session.sid === currentSid,
    ip: session.ip,
    user_agent: session.userAgent,
    auth_time: session.authTime,
    last_seen_at: session.lastSeenAt,
    expires_at: session.expiresAt,
    created_at: session.createdAt,
  };
}
