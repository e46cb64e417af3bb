import {
  defineEvent,
  defineEventBase,
  eventField,
  PortalEvent,
  type Changes,
  type EventActivity,
  type EventSubject,
  type RequestInfo,
} from '../../core/index.js';
import type { AuthAccount } from './account.js';
import type { AuthContext, SessionChannel } from './actor.js';

export interface AuthFact {
  readonly context: AuthContext;
  /** null until the account is authenticated. */
  readonly accountId: number | null;
  /** As stored; for failed logins as typed, cut at 254 characters; null if only the id is known. */
  readonly email: string | null;
  /** The session; null if there is none yet. */
  readonly sid?: string | null;
  readonly request: RequestInfo;
  readonly occurredAt: Date;
}

/** Base of sign-in and session events. Never contains a password or a token. */
export abstract class AuthEvent extends PortalEvent {
  static override readonly activity: EventActivity<AuthEvent> | null = {
    subject: (event) => (event.accountId === null ? null : { type: accountType(event), id: event.accountId }),
    owner: ({ context, accountId }) => (context === 'consumer' ? accountId : null),
  };

  readonly context: AuthContext;
  readonly accountId: number | null;
  readonly email: string | null;
  readonly sid: string | null;
  readonly ip: string;
  readonly userAgent: string;
  readonly requestId: string;

  constructor({ context, accountId, email, sid = null, request, occurredAt }: AuthFact) {
    super(occurredAt);
    this.context = context;
    this.accountId = accountId;
    this.email = email;
    this.sid = sid;
    this.ip = request.ip;
    this.userAgent = request.userAgent;
    this.requestId = request.requestId;
  }
}

function accountType({ context }: Pick<AuthEvent, 'context'>): 'user' | 'admin' {
  return context === 'admin' ? 'admin' : 'user';
}

// The `sid` of a session, before and after.
function session(before: string | null, after: string | null): Changes | null {
  return before === null && after === null ? null : { session: [before, after] };
}

/** Before credentials are checked. Attempts that a limit refuses are not evaluated and not announced. */
// Not recorded: the log has one entry per attempt, its outcome.
export class LoginAttemptedEvent extends defineEvent(AuthEvent, null) {}

/** Wrong credentials, or correct ones of an account that may not sign in; also a wrong password at a reauthentication. */
export class LoginFailedEvent extends defineEvent(AuthEvent, (event) => `${accountType(event)}.login_failed`, {
  subject: (event): EventSubject => {
    const { accountId: id, email } = event;
    const isTyped = id === null && email !== null;
    return { type: accountType(event), id, ...(isTyped ? { typedEmail: email } : {}) };
  },
}) {}

/**
 * All steps of a login have succeeded. Emitted within the transaction that writes the tokens if they are issued at once;
 * otherwise without a transaction.
 */
export class LoginSucceededEvent extends defineEvent(AuthEvent, (event) => `${accountType(event)}.login`) {}

const SessionOpening = defineEventBase({
  account: eventField<AuthAccount>(),
  channel: eventField<SessionChannel>(),
  request: eventField<RequestInfo>(),
});

/**
 * A session is about to start, by password, registration or identity provider, in API or browser. A `within` listener can
 * prevent it by throwing (S79), and runs in the session's transaction if there is one.
 */
export class SessionOpeningEvent extends defineEvent(SessionOpening, null) {}

const SessionRenewing = defineEventBase({
  context: eventField<AuthContext>(),
  accountId: eventField<number>(),
  sid: eventField<string>(),
  request: eventField<RequestInfo>(),
});

/**
 * A session is about to count as recent after a reauthentication. A `within` listener can prevent it by throwing, for
 * example if a second factor was not proved as well (S80).
 */
export class SessionRenewingEvent extends defineEvent(SessionRenewing, null) {}

/** A token pair was issued, for a new API session or by a refresh (`isRefresh`). */
export class TokenIssuedEvent extends AuthEvent {
  static override readonly activity: EventActivity<TokenIssuedEvent> = {
    ...AuthEvent.activity,
    action: 'token.issued',
    changes: ({ sid }) => session(null, sid),
    // A refresh is recorded by its TokenRefreshedEvent.
    isRecorded: ({ isRefresh }) => !isRefresh,
  };

  readonly isRefresh: boolean;

  constructor(fact: AuthFact & { readonly isRefresh?: boolean }) {
    super(fact);
    this.isRefresh = fact.isRefresh ?? false;
  }
}

/** A refresh token was exchanged. A `TokenIssuedEvent` is emitted for the new pair. */
export class TokenRefreshedEvent extends defineEvent(AuthEvent, 'token.refreshed', {
  changes: ({ sid }) => session(sid, sid),
}) {}

/**
 * Why refresh tokens were revoked. `session_ended`: from the list of sessions, by an admin, or after a change of factors.
 * `account_disabled` and `account_deleted`: with their account. `everybody_signed_out`: `portal sessions:end`.
 */
export type RevocationReason =
  | 'logout'
  | 'session_ended'
  | 'password_changed'
  | 'token_reused'
  | 'account_disabled'
  | 'account_deleted'
  | 'everybody_signed_out';

/**
 * The refresh and access tokens of an API session were revoked before they expired. One event per session; see `reason`.
 */
export class TokenRevokedEvent extends defineEvent(AuthEvent, 'token.revoked', {
  fields: { reason: eventField<RevocationReason>() },
  changes: ({ sid }) => session(sid, null),
  // Other reasons have an entry of their own.
  isRecorded: ({ reason }) => reason === 'logout',
}) {}

/** A refresh token was used again after its successor: one of the holders is a thief, so the family was revoked. */
export class RefreshTokenReusedEvent extends defineEvent(AuthEvent, 'refresh_token.reused', {
  changes: ({ sid }) => session(sid, null),
}) {}

/** A session (`sid`), or all of the account (null), was ended from the list of sessions. */
export class SessionRevokedEvent extends defineEvent(AuthEvent, 'session.revoked', {
  changes: ({ sid }) => session(sid ?? 'all', null),
}) {}

const EverybodySignedOut = defineEventBase(
  {
    /** Number of sessions that were ended. */
    signIns: eventField<number>(),
  },
  { subject: () => ({ type: 'session', id: 'all' }), changes: ({ signIns }) => ({ sessions: [signIns, 0] }) },
);

/** All sessions of all accounts, and all mailed links, were invalidated by `portal sessions:end`. */
export class EverybodySignedOutEvent extends defineEvent(EverybodySignedOut, 'session.everybody_signed_out') {}

/** A password reset link was mailed to an account. Not emitted for an address without an account. */
export class PasswordResetRequestedEvent extends defineEvent(AuthEvent, 'password_reset.requested') {}

/** An admin route answered 401 or 403. */
export class AdminRequestRefusedEvent extends defineEvent(AuthEvent, 'admin.request_refused', {
  fields: {
    /** Operation of the route, such as `createUser`. */
    operation: eventField<string>(),
    status: eventField<number>(),
  },
  subject: ({ operation }) => ({ type: 'operation', id: operation }),
  owner: () => null,
  changes: ({ status }) => ({ status: [null, status] }),
}) {}
