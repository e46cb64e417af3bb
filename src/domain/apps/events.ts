import {
  defineEvent,
  defineEventBase,
  eventField,
  tellCreation,
  tellDeletion,
  withChanges,
  type Changes,
} from '../../core/index.js';
import type { UserRecord } from '../accounts/index.js';
import type { ProductRecord } from '../catalog/index.js';
import type { AppRecord } from './app/app.js';
import type { Initiator } from './app/approval.js';
import type { CredentialRecord } from './credential/credential.js';

const appFields = {
  /** The record after the change, or before a deletion. */
  app: eventField<AppRecord>(),
  by: eventField<Initiator>(),
};

const AppEvent = defineEventBase(appFields, {
  subject: ({ app }) => ({ type: 'app', id: app.id, label: app.name }),
  owner: ({ app }) => app.userId,
});

export class AppCreatedEvent extends defineEvent(AppEvent, 'app.created', tellCreation('app')) {}

export class AppUpdatedEvent extends defineEvent(AppEvent, 'app.updated', withChanges) {}

export class AppDeletedEvent extends defineEvent(AppEvent, 'app.deleted', tellDeletion('app')) {}

/** Also emitted when a developer undoes a revocation and the app is pending again: see `app.status`. */
export class AppApprovedEvent extends defineEvent(AppEvent, 'app.approved', withChanges) {}

export class AppRevokedEvent extends defineEvent(AppEvent, 'app.revoked', withChanges) {}

/** The app is offered to another owner; `toId` is the account of a developer or of a team. */
export class AppTransferOfferedEvent extends defineEvent(AppEvent, 'app.transfer_offered', {
  fields: { toId: eventField<number>() },
  changes: ({ toId }) => ({ to: [null, toId] }),
}) {}

/** The offer was withdrawn or declined: `state` tells which. */
export class AppTransferEndedEvent extends defineEvent(AppEvent, 'app.transfer_ended', {
  fields: { toId: eventField<number>(), state: eventField<'withdrawn' | 'declined'>() },
  changes: ({ toId, state }) => ({ to: [toId, null], state: ['offered', state] }),
}) {}

/** The app has another owner from now on; its keys are the same. `fromId` had it before. */
export class AppTransferredEvent extends defineEvent(AppEvent, 'app.transferred', {
  fields: { fromId: eventField<number>() },
  changes: ({ app, fromId }) => ({ owner: [fromId, app.userId] }),
}) {}

/** A credential without its encrypted reference. */
export type CredentialFacts = Omit<CredentialRecord, 'gatewayKeyRef'>;

const credentialFacts = eventField(
  ({ gatewayKeyRef: _, ...credential }: CredentialRecord): CredentialFacts => credential,
);

/** Base of all credential events. */
export const CredentialEvent = defineEventBase(
  { ...appFields, credential: credentialFacts },
  {
    subject: ({ app, credential }) => ({ type: 'credential', id: credential.id, label: app.name }),
    owner: ({ app }) => app.userId,
  },
);

export class CredentialCreatedEvent extends defineEvent(
  CredentialEvent,
  'credential.created',
  tellCreation('credential'),
) {}

export class CredentialDeletedEvent extends defineEvent(
  CredentialEvent,
  'credential.deleted',
  tellDeletion('credential'),
) {}

export class CredentialApprovedEvent extends defineEvent(CredentialEvent, 'credential.approved', withChanges) {}

export class CredentialRevokedEvent extends defineEvent(CredentialEvent, 'credential.revoked', withChanges) {}

/** The key ends within a week and was not replaced: announced once, with the mail to its developer. */
export class CredentialExpiringEvent extends defineEvent(CredentialEvent, 'credential.expiring', {
  changes: ({ credential: { expiresAt } }) => ({ expiresAt: [expiresAt, expiresAt] }),
  facts: ({ credential: { expiresAt } }) => ({ expires_at: expiresAt?.toISOString() ?? null }),
}) {}

/** The key was shown in full again, to its owner or to an admin. */
export class CredentialRevealedEvent extends defineEvent(CredentialEvent, 'credential.revealed') {}

/**
 * The portal sent a request to an API for a developer who tries a product. Neither its address nor what was sent or came
 * back is told; `outcome` is the status of the answer, or why there was none.
 */
export class ApiTriedEvent extends defineEvent(
  defineEventBase(
    { product: eventField<ProductRecord>(), user: eventField<UserRecord>() },
    {
      subject: ({ product: tried }) => ({ type: 'product', id: tried.id, label: tried.slug }),
      owner: ({ user }) => user.id,
    },
  ),
  'product.tried',
  {
    fields: { method: eventField<string>(), origin: eventField<string>(), outcome: eventField<string>() },
    changes: ({ method, origin, outcome }) => ({
      method: [null, method],
      origin: [null, origin],
      outcome: [null, outcome],
    }),
  },
) {}

/** `credential` is the old one, which ends at its `expiresAt` or is revoked. */
export class CredentialRotatedEvent extends defineEvent(CredentialEvent, 'credential.rotated', {
  fields: { successor: credentialFacts },
  changes: ({ credential, successor }) => ({
    credential: [credential.id, successor.id],
    expiresAt: [null, credential.expiresAt],
  }),
}) {}

/** Slug of the product. */
const product = eventField<string>();

export class CredentialProductAddedEvent extends defineEvent(CredentialEvent, 'credential.product_added', {
  fields: { product },
  changes: ({ product }) => ({ product: [null, product] }),
}) {}

export class CredentialProductRemovedEvent extends defineEvent(CredentialEvent, 'credential.product_removed', {
  fields: { product },
  changes: ({ product }) => ({ product: [product, null] }),
}) {}

// Approvals name their product next to the changes.
const aboutProduct = {
  fields: { product, changes: eventField<Changes>() },
  changes: ({ product, changes }: { readonly product: string; readonly changes: Changes }): Changes => ({
    ...{ product: [product, product] },
    ...changes,
  }),
  facts: ({ product }: { readonly product: string }) => ({ product }),
};

/** What an app may call of a product was raised beyond its plan. */
export class AppLimitsRaisedEvent extends defineEvent(AppEvent, 'app.limits_raised', aboutProduct) {}

/** An admin took that back; one that ends at its date tells nothing. */
export class AppLimitsRestoredEvent extends defineEvent(AppEvent, 'app.limits_restored', aboutProduct) {}

/** An admin let the quotas that an app has of a product start anew. */
export class AppQuotaResetEvent extends defineEvent(AppEvent, 'app.quota_reset', aboutProduct) {}

/** The trial of a product ends in some days; `plan` of the changes tells the names of the plans now and then. */
export class AppTrialEndingEvent extends defineEvent(AppEvent, 'app.trial_ending', aboutProduct) {}

/** The trial of a product is over, and `app` has the plan that comes after it; the first app of several. */
export class AppTrialEndedEvent extends defineEvent(AppEvent, 'app.trial_ended', aboutProduct) {}

export class CredentialProductApprovedEvent extends defineEvent(
  CredentialEvent,
  'credential.product_approved',
  aboutProduct,
) {}

export class CredentialProductRevokedEvent extends defineEvent(
  CredentialEvent,
  'credential.product_revoked',
  aboutProduct,
) {}

/** A product on a key has another plan from now on, asked for or because its time came. */
export class CredentialPlanChangedEvent extends defineEvent(CredentialEvent, 'credential.plan_changed', aboutProduct) {}

/** Another plan is to come: it waits for approval, or for its date. `nextPlan` of the changes tells which. */
export class CredentialPlanRequestedEvent extends defineEvent(
  CredentialEvent,
  'credential.plan_requested',
  aboutProduct,
) {}

/** A plan that was to come will not: refused by an admin, or taken back. */
export class CredentialPlanWithdrawnEvent extends defineEvent(
  CredentialEvent,
  'credential.plan_withdrawn',
  aboutProduct,
) {}

const KeysEvent = defineEventBase({
  user: eventField<UserRecord>(),
  /** Number of keys. */
  keys: eventField<number>(),
});

/**
 * All keys of a developer will be revoked, because the owner of the address took over the account. A
 * `CredentialRevokedEvent` follows for each once the gateway has closed it.
 */
export class KeysClosingEvent extends defineEvent(KeysEvent, null) {}

const GatewayImportEvent = defineEventBase(
  {
    developers: eventField<number>(),
    teams: eventField<number>(),
    apps: eventField<number>(),
    keys: eventField<number>(),
  },
  {
    subject: () => ({ type: 'gateway', id: 'import' }),
    changes: ({ developers, teams, apps, keys }) => ({
      developers: [null, developers],
      teams: [null, teams],
      apps: [null, apps],
      keys: [null, keys],
    }),
  },
);

/** The gateway's existing developers, teams, apps and keys were imported. */
export class GatewayImportFinishedEvent extends defineEvent(GatewayImportEvent, 'gateway.import_finished') {}
