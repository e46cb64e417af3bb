import { PortalEvent, type Changes } from '../../core/index.js';
import type { UserRecord } from '../accounts/index.js';
import type { AppRecord } from './app/app.js';
import type { Initiator } from './app/approval.js';
import type { CredentialRecord } from './credential/credential.js';

interface AppFact {
  readonly app: AppRecord;
  readonly by: Initiator;
  readonly occurredAt: Date;
}

abstract class AppEvent extends PortalEvent {
  /** The record after the change; of a deletion, as it was. */
  readonly app: AppRecord;
  readonly by: Initiator;

  constructor({ app, by, occurredAt }: AppFact) {
    super(occurredAt);
    this.app = app;
    this.by = by;
  }
}

export class AppCreatedEvent extends AppEvent {}

interface Changed {
  readonly changes: Changes;
}

abstract class AppChangedEvent extends AppEvent {
  readonly changes: Changes;

  constructor(fact: AppFact & Changed) {
    super(fact);
    this.changes = fact.changes;
  }
}

export class AppUpdatedEvent extends AppChangedEvent {}

export class AppDeletedEvent extends AppEvent {}

/** Also when a developer took back a revocation and the app waits again: `app.status` tells. */
export class AppApprovedEvent extends AppChangedEvent {}

export class AppRevokedEvent extends AppChangedEvent {}

/** A credential without its encrypted reference. */
export type CredentialFacts = Omit<CredentialRecord, 'gatewayKeyRef'>;

interface CredentialFact extends AppFact {
  readonly credential: CredentialRecord;
}

/** Whatever happened to a credential. */
export abstract class CredentialEvent extends AppEvent {
  readonly credential: CredentialFacts;

  constructor(fact: CredentialFact) {
    super(fact);
    const { gatewayKeyRef: _, ...credential } = fact.credential;
    this.credential = credential;
  }
}

export class CredentialCreatedEvent extends CredentialEvent {}

export class CredentialDeletedEvent extends CredentialEvent {}

abstract class CredentialChangedEvent extends CredentialEvent {
  readonly changes: Changes;

  constructor(fact: CredentialFact & Changed) {
    super(fact);
    this.changes = fact.changes;
  }
}

export class CredentialApprovedEvent extends CredentialChangedEvent {}

export class CredentialRevokedEvent extends CredentialChangedEvent {}

/** The key was shown in full again, to its owner or to an admin. */
export class CredentialRevealedEvent extends CredentialEvent {}

/** `credential` is the old one, which ends at its `expiresAt` or is revoked. */
export class CredentialRotatedEvent extends CredentialEvent {
  readonly successor: CredentialFacts;

  constructor(fact: CredentialFact & { readonly successor: CredentialRecord }) {
    super(fact);
    const { gatewayKeyRef: _, ...successor } = fact.successor;
    this.successor = successor;
  }
}

abstract class CredentialProductEvent extends CredentialEvent {
  /** Slug of the product. */
  readonly product: string;

  constructor(fact: CredentialFact & { readonly product: string }) {
    super(fact);
    this.product = fact.product;
  }
}

export class CredentialProductAddedEvent extends CredentialProductEvent {}

export class CredentialProductRemovedEvent extends CredentialProductEvent {}

abstract class CredentialProductChangedEvent extends CredentialProductEvent {
  readonly changes: Changes;

  constructor(fact: CredentialFact & Changed & { readonly product: string }) {
    super(fact);
    this.changes = fact.changes;
  }
}

export class CredentialProductApprovedEvent extends CredentialProductChangedEvent {}

export class CredentialProductRevokedEvent extends CredentialProductChangedEvent {}

/**
 * Every key of a developer is about to be revoked, because the owner of the address took the account over; a
 * `CredentialRevokedEvent` follows for each, once the gateway has closed it.
 */
export class KeysClosingEvent extends PortalEvent {
  readonly user: UserRecord;
  /** How many. */
  readonly keys: number;

  constructor(fact: Pick<KeysClosingEvent, 'user' | 'keys' | 'occurredAt'>) {
    super(fact.occurredAt);
    this.user = fact.user;
    this.keys = fact.keys;
  }
}

/** What a gateway had before the portal was taken over. */
export class GatewayImportFinishedEvent extends PortalEvent {
  readonly developers: number;
  readonly apps: number;
  readonly keys: number;

  constructor(fact: Pick<GatewayImportFinishedEvent, 'developers' | 'apps' | 'keys' | 'occurredAt'>) {
    super(fact.occurredAt);
    this.developers = fact.developers;
    this.apps = fact.apps;
    this.keys = fact.keys;
  }
}
