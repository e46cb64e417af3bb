import { defineList, defineRecord, fieldOf, times, type RowOf } from '../../database/index.js';

/** `unverified`: has not echoed a challenge yet. `disabled`: gets nothing until it is verified again. */
export type EndpointStatus = 'unverified' | 'active' | 'disabled';

/** Why an endpoint is disabled: by its owner, by its answer 410, or after five days of failures. */
export type DisabledReason = 'owner' | 'gone' | 'failing';

export const endpointRecord = defineRecord({
  name: 'WebhookEndpoint',
  table: 'portal_webhook_endpoints',
  alias: 'e',
  fields: {
    id: fieldOf.id(),
    /** Encryption context of its secrets. */
    uuid: fieldOf.text(36).hidden(),
    /** The developer or the account of the team that owns it; null: the operator. */
    ownerId: fieldOf.reference().nullable(),
    /** The admin who made it, who is told when it fails; null for those of developers and teams. */
    createdBy: fieldOf.reference().nullable(),
    /** The developer who gave it its address, and the one who was told its secret; null: not noted, or an admin. Maybe gone. */
    makerId: fieldOf.reference().nullable().hidden(),
    seerId: fieldOf.reference().nullable().hidden(),
    url: fieldOf.longText(),
    description: fieldOf.text(200),
    /** Names and patterns of event types: `app.approved`, `credential.*`, `*`. */
    events: fieldOf.json<readonly string[]>(),
    /** Ids of the audiences that it hears of; null: of everything. For those of the operator. */
    audiences: fieldOf.json<readonly number[]>().nullable(),
    /** What its messages tell besides: `label`, `changes`, `changes.status`. null: nothing. */
    fields: fieldOf.json<readonly string[]>().nullable().named('told_fields'),
    /** Most requests at once, of all replicas together; null: as many as the dispatcher thinks best. */
    atOnce: fieldOf.integer().nullable(),
    /** Most messages in a minute; null: any number. */
    rate: fieldOf.integer().nullable(),
    /** Messages about the same subject come in the order of their events. */
    isOrdered: fieldOf.boolean().default(false),
    /** Who sends to it now, where only one may: see {@link atOnce} and {@link rate}. */
    lane: fieldOf.text(36).nullable().hidden(),
    laneUntil: fieldOf.time().nullable().hidden(),
    status: fieldOf.text<EndpointStatus>(16),
    disabledReason: fieldOf.text<DisabledReason>(16).nullable(),
    secret: fieldOf.longText().hidden(),
    /** Still signs, until `previousUntil`. */
    previousSecret: fieldOf.longText().nullable().hidden(),
    previousUntil: fieldOf.time().nullable(),
    challengedAt: fieldOf.time().nullable().hidden(),
    /** When the first attempt failed after the last one that succeeded. */
    failingSince: fieldOf.time().nullable(),
    warnedAt: fieldOf.time().nullable().hidden(),
    /** Set when it asked for a pause. */
    resumeAt: fieldOf.time().nullable().hidden(),
    ...times,
  },
});

/** An address that is told of events. */
export type WebhookEndpoint = RowOf<typeof endpointRecord>;

export const webhookMessageRecord = defineRecord({
  name: 'WebhookMessage',
  table: 'portal_webhook_messages',
  alias: 'm',
  fields: {
    id: fieldOf.id(),
    /** `msg_…`, the same in every attempt. */
    webhookId: fieldOf.text(40).unique(),
    type: fieldOf.text(100),
    ownerId: fieldOf.reference().nullable(),
    /** The only endpoint that gets it, for a test. */
    endpointId: fieldOf.reference().nullable(),
    body: fieldOf.longText(),
    /** JSON of what endpoints may choose besides, where one that wants the message chose something. */
    details: fieldOf.longText().nullable().hidden(),
    /** Type and id of what it is about; null: of nothing in particular, and of messages from before this was kept. */
    subject: fieldOf.text(160).nullable().hidden(),
    /** Ids of the audiences that it concerned then; null while no endpoint asked for some alone. */
    audiences: fieldOf.json<readonly number[]>().nullable().hidden(),
    createdAt: fieldOf.time(),
  },
});

export const webhookDeliveryRecord = defineRecord({
  name: 'WebhookDelivery',
  table: 'portal_webhook_deliveries',
  alias: 'd',
  fields: {
    id: fieldOf.id(),
    messageId: fieldOf.reference(),
    endpointId: fieldOf.reference(),
    webhookId: fieldOf.text(40),
    type: fieldOf.text(100),
    state: fieldOf.text<'queued' | 'sent' | 'failed'>(16),
    tries: fieldOf.integer(),
    dueAt: fieldOf.time(),
    /** Type and id of what it is about; null: of nothing in particular. */
    subject: fieldOf.text(160).nullable().hidden(),
    /** What is sent instead of the body of the message, with the fields that the endpoint chose. */
    body: fieldOf.longText().nullable().hidden(),
    claim: fieldOf.text(36).nullable().hidden(),
    claimedUntil: fieldOf.time().nullable().hidden(),
    ...times,
  },
});

/** A message on its way to one endpoint. */
export type WebhookDelivery = RowOf<typeof webhookDeliveryRecord>;

export const webhookAttemptRecord = defineRecord({
  name: 'WebhookAttempt',
  table: 'portal_webhook_attempts',
  alias: 't',
  fields: {
    id: fieldOf.id(),
    deliveryId: fieldOf.reference(),
    /** 1 for the first. */
    number: fieldOf.integer(),
    /** Of the answer; null when there was none. */
    status: fieldOf.integer().nullable(),
    failure: fieldOf.text(16).nullable(),
    /** Milliseconds. */
    duration: fieldOf.integer(),
    /** The first 2 kB of the answer; null for hosts that are not public. */
    answer: fieldOf.longText().nullable(),
    createdAt: fieldOf.time(),
  },
});

/** One request to an endpoint. */
export type WebhookAttempt = RowOf<typeof webhookAttemptRecord>;

/** A delivery with all that is known of it. */
export interface WebhookDeliveryDetails extends WebhookDelivery {
  /** JSON, as it is sent and signed. */
  readonly body: string;
  /** The first one first. */
  readonly attempts: readonly WebhookAttempt[];
}

export const webhookDeliveryList = defineList<WebhookDelivery>(
  webhookDeliveryRecord.list({
    name: 'webhook-deliveries',
    sorts: ['createdAt'],
    filters: ['state', 'type', 'webhookId', 'createdAt', 'dueAt'],
  }),
);

/** Whether a name of `patterns` means this event type. */
export function matchesEvent(patterns: readonly string[], type: string): boolean {
  return patterns.some((pattern) =>
    pattern === '*' || pattern === type ? true : pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1)),
  );
}

/** Encryption context of both secrets of an endpoint (S71). */
export function secretContext(uuid: string): string {
  return `portal_webhook_endpoints:${uuid}:secret`;
}
