import { PortalEvent, type RequestInfo } from '../../core/index.js';
import type { AuthAccount } from './account.js';
import type { AuthContext, SessionChannel } from './actor.js';

export interface AuthFact {
  readonly context: AuthContext;
  /** null while nobody has proved who they are. */
  readonly accountId: number | null;
  /** As stored; of a login that failed as it was typed, cut to 254 characters; null when only the id is known. */
  readonly email: string | null;
  /** The sign-in that this is about; null when there is none yet. */
  readonly sid?: string | null;
  readonly request: RequestInfo;
  readonly occurredAt: Date;
}

/** What happened at the door, and from where. Never holds a password or a token. */
export abstract class AuthEvent extends PortalEvent {
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

/** Before credentials are checked. Attempts that a limit refuses are not evaluated and not announced. */
export class LoginAttemptedEvent extends AuthEvent {}

/** Credentials were wrong, or right for an account that may not sign in; also a wrong password given to confirm an act. */
export class LoginFailedEvent extends AuthEvent {}

/**
 * All steps of the login are done, by the API or the theme. It comes with the transaction that writes its tokens, where these
 * follow at once, and with none elsewhere.
 */
export class LoginSucceededEvent extends AuthEvent {}

/**
 * A sign-in is about to begin, whatever led to it: password, registration, identity provider, API or browser. A `within`
 * listener that throws keeps it from beginning (S79). It runs in the transaction of the sign-in, when there is one.
 */
export class SessionOpeningEvent extends PortalEvent {
  readonly account: AuthAccount;
  readonly channel: SessionChannel;
  readonly request: RequestInfo;

  constructor(fact: {
    readonly account: AuthAccount;
    readonly channel: SessionChannel;
    readonly request: RequestInfo;
    readonly occurredAt: Date;
  }) {
    super(fact.occurredAt);
    this.account = fact.account;
    this.channel = fact.channel;
    this.request = fact.request;
  }
}

/**
 * A sign-in is about to count as a recent one again, because its account proved itself anew. A `within` listener that throws
 * keeps it as old as it is: who guards an account with more than a password makes sure here that this was proved too (S80).
 */
export class SessionRenewingEvent extends PortalEvent {
  readonly context: AuthContext;
  readonly accountId: number;
  readonly sid: string;
  readonly request: RequestInfo;

  constructor(fact: {
    readonly context: AuthContext;
    readonly accountId: number;
    readonly sid: string;
    readonly request: RequestInfo;
    readonly occurredAt: Date;
  }) {
    super(fact.occurredAt);
    this.context = fact.context;
    this.accountId = fact.accountId;
    this.sid = fact.sid;
    this.request = fact.request;
  }
}

/** A token pair was issued for an account: a sign-in of the API began, or went on by its refresh token (`isRefresh`). */
export class TokenIssuedEvent extends AuthEvent {
  readonly isRefresh: boolean;

  constructor(fact: AuthFact & { readonly isRefresh?: boolean }) {
    super(fact);
    this.isRefresh = fact.isRefresh ?? false;
  }
}

/** A refresh token was exchanged; a `TokenIssuedEvent` tells of the pair that it was exchanged for. */
export class TokenRefreshedEvent extends AuthEvent {}

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
export class TokenRevokedEvent extends AuthEvent {
  readonly reason: RevocationReason;

  constructor(fact: AuthFact & { readonly reason: RevocationReason }) {
    super(fact);
    this.reason = fact.reason;
  }
}

/** A refresh token came back after its successor was in use: one of the two holders is a thief, so the family ended. */
export class RefreshTokenReusedEvent extends AuthEvent {}

/** A sign-in (`sid`), or with null all of the account, was ended from the list of sessions. */
export class SessionRevokedEvent extends AuthEvent {}

/** Every sign-in of everybody, and every mailed link, was ended: `portal sessions:end`. */
export class EverybodySignedOutEvent extends PortalEvent {
  /** How many sign-ins lived until then. */
  readonly signIns: number;

  constructor(fact: { readonly signIns: number; readonly occurredAt: Date }) {
    super(fact.occurredAt);
    this.signIns = fact.signIns;
  }
}

/** A link to choose a new password was mailed to an account; for an address without one there is no event. */
export class PasswordResetRequestedEvent extends AuthEvent {}

/** An admin route answered 401 or 403. */
export class AdminRequestRefusedEvent extends AuthEvent {
  /** Of the route, for example `createUser`. */
  readonly operation: string;
  readonly status: number;

  constructor(fact: AuthFact & { readonly operation: string; readonly status: number }) {
    super(fact);
    this.operation = fact.operation;
    this.status = fact.status;
  }
}
