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
  /** As stored; of a login that failed as it was typed, cut to 254 characters; null when only the id is known. */
  readonly email: string | null;
  /** The session concerned; null when there is none yet. */
  readonly sid?: string | null;
  readonly request: RequestInfo;
  readonly occurredAt: Date;
}

/** Base of sign-in and session events, with their origin. Never holds a password or a token. */
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
// The log tells the outcome of the attempt, once.
export class LoginAttemptedEvent extends defineEvent(AuthEvent, null) {}

/** Credentials were wrong, or right for an account that may not sign in; also a wrong password given to confirm an act. */
export class LoginFailedEvent extends defineEvent(AuthEvent, (event) => `${accountType(event)}.login_failed`, {
  subject: (event): EventSubject => {
    const { accountId: id, email } = event;
    const isTyped = id === null && email !== null;
    return { type: accountType(event), id, ...(isTyped ? { typedEmail: email } : {}) };
  },
}) {}

/**
 * All steps of the login are done, by the API or the theme. It comes with the transaction that writes its tokens, where these
 * follow at once, and with none elsewhere.
 */
export class LoginSucceededEvent extends defineEvent(AuthEvent, (event) => `${accountType(event)}.login`) {}

const SessionOpening = defineEventBase({
  account: eventField<AuthAccount>(),
  channel: eventField<SessionChannel>(),
  request: eventField<RequestInfo>(),
});

/**
 * A sign-in is about to begin, whatever led to it: password, registration, identity provider, API or browser. A `within`
 * listener that throws keeps it from beginning (S79). It runs in the transaction of the sign-in, when there is one.
 */
export class SessionOpeningEvent extends defineEvent(SessionOpening, null) {}

const SessionRenewing = defineEventBase({
  context: eventField<AuthContext>(),
  accountId: eventField<number>(),
  sid: eventField<string>(),
  request: eventField<RequestInfo>(),
});

/**
 * A sign-in is about to count as a recent one again, because its account proved itself anew. A `within` listener that throws
 * keeps it as old as it is: who guards an account with more than a password makes sure here that this was proved too (S80).
 */
export class SessionRenewingEvent extends defineEvent(SessionRenewing, null) {}

/** A token pair was issued for an account: a sign-in of the API began, or went on by its refresh token (`isRefresh`). */
export class TokenIssuedEvent extends AuthEvent {
  static override readonly activity: EventActivity<TokenIssuedEvent> = {
    ...AuthEvent.activity,
    action: 'token.issued',
    changes: ({ sid }) => session(null, sid),
    // A refresh has the row of its TokenRefreshedEvent.
    isRecorded: ({ isRefresh }) => !isRefresh,
  };

  readonly isRefresh: boolean;

  constructor(fact: AuthFact & { readonly isRefresh?: boolean }) {
    super(fact);
    this.isRefresh = fact.isRefresh ?? false;
  }
}

/** A refresh token was exchanged; a `TokenIssuedEvent` tells of the pair that it was exchanged for. */
export class TokenRefreshedEvent extends defineEvent(AuthEvent, 'token.refreshed', {
  changes: ({ sid }) => session(sid, sid),
}) {}

/**
 * Why refresh tokens ended. `session_ended`: from the list of sessions, by an admin, or with a change of the second factors.
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
 * The refresh tokens of a sign-in of the API ended before their time, and its access tokens with them: one event for each
 * sign-in, whatever ended it (`reason`).
 */
export class TokenRevokedEvent extends defineEvent(AuthEvent, 'token.revoked', {
  fields: { reason: eventField<RevocationReason>() },
  changes: ({ sid }) => session(sid, null),
  // Whatever else ended it has a row of its own.
  isRecorded: ({ reason }) => reason === 'logout',
}) {}

/** A refresh token came back after its successor was in use: one of the two holders is a thief, so the family ended. */
export class RefreshTokenReusedEvent extends defineEvent(AuthEvent, 'refresh_token.reused', {
  changes: ({ sid }) => session(sid, null),
}) {}

/** A sign-in (`sid`), or with null all of the account, was ended from the list of sessions. */
export class SessionRevokedEvent extends defineEvent(AuthEvent, 'session.revoked', {
  changes: ({ sid }) => session(sid ?? 'all', null),
}) {}

const EverybodySignedOut = defineEventBase(
  {
    /** How many sign-ins lived until then. */
    signIns: eventField<number>(),
  },
  { subject: () => ({ type: 'session', id: 'all' }), changes: ({ signIns }) => ({ sessions: [signIns, 0] }) },
);

/** Every sign-in of everybody, and every mailed link, was ended: `portal sessions:end`. */
export class EverybodySignedOutEvent extends defineEvent(EverybodySignedOut, 'session.everybody_signed_out') {}

/** A link to choose a new password was mailed to an account; for an address without one there is no event. */
export class PasswordResetRequestedEvent extends defineEvent(AuthEvent, 'password_reset.requested') {}

/** An admin route answered 401 or 403. */
export class AdminRequestRefusedEvent extends defineEvent(AuthEvent, 'admin.request_refused', {
  fields: {
    /** Of the route, for example `createUser`. */
    operation: eventField<string>(),
    status: eventField<number>(),
  },
  subject: ({ operation }) => ({ type: 'operation', id: operation }),
  owner: () => null,
  changes: ({ status }) => ({ status: [null, status] }),
}) {}
