import { PortalEvent } from '../../kernel/index.js';
import type { Changes } from '../accounts/index.js';
import type { AppRecord } from './app.js';
import type { Initiator } from './approval.js';
import type { CredentialRecord } from './credential.js';

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

export class AppUpdatedEvent extends AppEvent {
  readonly changes: Changes;

  constructor(fact: AppFact & { readonly changes: Changes }) {
    super(fact);
    this.changes = fact.changes;
  }
}

export class AppDeletedEvent extends AppEvent {}

/** Also when a developer took back a revocation and the app waits again: `app.status` tells. */
export class AppApprovedEvent extends AppEvent {}

export class AppRevokedEvent extends AppEvent {}

/** A credential without its encrypted reference. */
export type CredentialFacts = Omit<CredentialRecord, 'gatewayKeyRef'>;

interface CredentialFact extends AppFact {
  readonly credential: CredentialRecord;
}

abstract class CredentialEvent extends AppEvent {
  readonly credential: CredentialFacts;

  constructor(fact: CredentialFact) {
    super(fact);
    const { gatewayKeyRef: _, ...credential } = fact.credential;
    this.credential = credential;
  }
}

export class CredentialCreatedEvent extends CredentialEvent {}

export class CredentialDeletedEvent extends CredentialEvent {}

export class CredentialApprovedEvent extends CredentialEvent {}

export class CredentialRevokedEvent extends CredentialEvent {}

/** The key was shown in full to its owner again. */
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

export class CredentialProductApprovedEvent extends CredentialProductEvent {}

export class CredentialProductRevokedEvent extends CredentialProductEvent {}
