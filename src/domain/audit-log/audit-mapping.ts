import { PasswordChangedEvent, UserStatusChangedEvent } from '../accounts/index.js';
import {
  CredentialProductAddedEvent,
  CredentialProductApprovedEvent,
  CredentialProductRemovedEvent,
  CredentialProductRevokedEvent,
  CredentialRotatedEvent,
  GatewayImportFinishedEvent,
} from '../apps/index.js';
import {
  AdminRequestRefusedEvent,
  AuthEvent,
  EverybodySignedOutEvent,
  LoginAttemptedEvent,
  LoginFailedEvent,
  LoginSucceededEvent,
  RefreshTokenReusedEvent,
  SessionRevokedEvent,
  TokenIssuedEvent,
  TokenRefreshedEvent,
  TokenRevokedEvent,
  type AuthContext,
} from '../auth/index.js';
import type { EventClass, PortalEvent } from '../../core/index.js';
import type { DraftSubject, AuditFacts } from './activity-draft.js';
import { cleanChanges, type ActivityChanges } from './redaction.js';
import { conventionalChanges, conventionalFacts } from './event-convention.js';
import { isIntention, readEventName } from './event-names.js';

type Describe<E> = (event: E) => Partial<AuditFacts>;
type Row = readonly [type: EventClass<PortalEvent>, describe: Describe<never>];

/** A row of the table: what an event says beyond, or other than, the convention. */
function row<E extends PortalEvent>(type: EventClass<E>, describe: Describe<E>): Row {
  return [type, describe];
}

const TABLE: readonly Row[] = [
  row(LoginSucceededEvent, ({ context }) => ({ action: `${accountType(context)}.login` })),
  row(LoginFailedEvent, (event) => ({
    action: `${accountType(event.context)}.login_failed`,
    subject: triedAccount(event),
  })),
  row(TokenIssuedEvent, ({ sid }) => ({ changes: session(null, sid) })),
  row(TokenRefreshedEvent, ({ sid }) => ({ changes: session(sid, sid) })),
  row(TokenRevokedEvent, ({ sid }) => ({ changes: session(sid, null) })),
  row(RefreshTokenReusedEvent, ({ sid }) => ({ changes: session(sid, null) })),
  row(SessionRevokedEvent, ({ sid }) => ({ changes: session(sid ?? 'all', null) })),
  row(EverybodySignedOutEvent, ({ signIns }) => ({
    action: 'session.everybody_signed_out',
    subject: { type: 'session', id: 'all', label: null },
    ownerId: null,
    changes: { sessions: [signIns, 0] },
  })),
  row(AdminRequestRefusedEvent, ({ operation, status }) => ({
    action: 'admin.request_refused',
    subject: { type: 'operation', id: operation, label: null },
    ownerId: null,
    changes: { status: [null, status] },
  })),
  row(GatewayImportFinishedEvent, ({ developers, apps, keys }) => ({
    action: 'gateway.import_finished',
    subject: { type: 'gateway', id: 'import', label: null },
    ownerId: null,
    changes: { developers: [null, developers], apps: [null, apps], keys: [null, keys] },
  })),
  row(PasswordChangedEvent, ({ context, accountId }) => account(context, accountId)),
  row(UserStatusChangedEvent, ({ before, after }) => ({ changes: { status: [before, after] } })),
  row(CredentialRotatedEvent, ({ credential, successor }) => ({
    changes: { credential: [credential.id, successor.id], expiresAt: [null, credential.expiresAt] },
  })),
  row(CredentialProductAddedEvent, ({ product }) => ({ changes: { product: [null, product] } })),
  row(CredentialProductRemovedEvent, ({ product }) => ({ changes: { product: [product, null] } })),
  row(CredentialProductApprovedEvent, aboutProduct),
  row(CredentialProductRevokedEvent, aboutProduct),
];

/**
 * Events without a row in the log, each with the reason.
 * @internal for the test that walks all classes
 */
export const NOT_RECORDED: ReadonlyMap<EventClass<PortalEvent>, string> = new Map([
  [LoginAttemptedEvent, 'the outcome of the attempt is recorded, once'],
]);

/**
 * Whether the log has words of its own for this class, beyond the convention of names: what happens at the door is about an
 * account, whatever the class is called.
 * @internal for the test that walks all classes
 */
export function isMapped(type: EventClass<PortalEvent>): boolean {
  return type.prototype instanceof AuthEvent || TABLE.some(([mapped]) => mapped === type);
}

/** What the log says of an event; null for one that is not recorded. */
export function factsOf(event: PortalEvent): AuditFacts | null {
  const type = event.constructor as EventClass<PortalEvent>;
  const name = readEventName(type.name);
  if (name === null || isIntention(type.name) || NOT_RECORDED.has(type) || isToldOtherwise(event)) return null;
  const conventional = event instanceof AuthEvent ? authFacts(event) : conventionalFacts(event, name);
  const own = TABLE.find(([mapped]) => event instanceof mapped)?.[1](event as never);
  const facts = { action: `${name.thing}.${name.happened}`, ...conventional, ...own };
  return { ...facts, changes: facts.changes && cleanChanges(facts.changes) };
}

/** What follows from something that has a row of its own: of one act there is one row. */
function isToldOtherwise(event: PortalEvent): boolean {
  if (event instanceof TokenIssuedEvent) return event.isRefresh;
  return event instanceof TokenRevokedEvent && event.reason !== 'logout';
}

// A module's events of the door are about the account, as ours are.
function authFacts(event: AuthEvent): Omit<AuditFacts, 'action'> {
  return {
    changes: conventionalChanges(event, 'session'),
    ...(event.accountId === null ? { subject: null, ownerId: null } : account(event.context, event.accountId)),
  };
}

// An approval names the product that it is about beside what changed.
function aboutProduct({ product, changes }: CredentialProductApprovedEvent | CredentialProductRevokedEvent) {
  return { changes: { product: [product, product] as const, ...changes } };
}

function accountType(context: AuthContext): 'user' | 'admin' {
  return context === 'admin' ? 'admin' : 'user';
}

function account(context: AuthContext, id: number): Pick<AuditFacts, 'subject' | 'ownerId'> {
  const subject = { type: accountType(context), id: String(id), label: null };
  return { subject, ownerId: context === 'consumer' ? id : null };
}

function triedAccount({ context, accountId, email }: LoginFailedEvent): DraftSubject {
  const type = accountType(context);
  if (accountId !== null || email === null)
    return { type, id: accountId === null ? null : String(accountId), label: null };
  return { type, id: null, label: null, typedEmail: email };
}

function session(before: string | null, after: string | null): ActivityChanges | null {
  return before === null && after === null ? null : { session: [before, after] };
}
