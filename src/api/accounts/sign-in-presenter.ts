import type { AccountRef, AuthAccount, KnownDevices, SessionRecord, TokenPair } from '../../domain/auth/index.js';

/**
 * Returned by every sign-in and may be sent with the next one. A header, so that no body changes and no cookie is
 * needed.
 */
const DEVICE_HEADER = 'Portal-Device';

/** The device header of the answer to a sign-in. */
export async function deviceHeader(
  { devices }: { readonly devices: KnownDevices },
  account: AccountRef | AuthAccount,
): Promise<Readonly<Record<string, string>>> {
  return { [DEVICE_HEADER]: await devices.issue(account) };
}

/** The device token that the client sent. */
export function deviceOf({ headers }: { readonly headers: Readonly<Record<string, unknown>> }): string | undefined {
  const value = headers[DEVICE_HEADER.toLowerCase()];
  return typeof value === 'string' ? value : undefined;
}

export function presentTokenPair(pair: TokenPair) {
  return {
    token_type: pair.tokenType,
    access_token: pair.accessToken,
    expires_in: pair.expiresIn,
    refresh_token: pair.refreshToken,
  };
}

/** @param currentSid session of this request */
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
