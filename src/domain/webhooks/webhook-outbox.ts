import { randomUUID } from 'node:crypto';
import { Op, type Database, type Transaction } from '../../database/index.js';
import { PortalEvent, type Clock, type EventBus } from '../../core/index.js';
import {
  endpointRecord,
  matchesEvent,
  webhookDeliveryRecord,
  webhookMessageRecord,
  type WebhookEndpoint,
} from './webhook.js';
import {
  addFields,
  detailEvent,
  isFollowed,
  isForDevelopers,
  publicProductOf,
  tellEvent,
  type FollowedProduct,
  type WebhookBody,
  type WebhookDetails,
} from './webhook-catalog.js';
import { isReached, WebhookReach, type ConcernedAudiences } from './webhook-reach.js';

/** Bytes, of Standard Webhooks; thin bodies are far below it. */
const LONGEST_BODY = 20_000;

export interface WebhookOutboxParts {
  readonly database: Database;
  readonly clock: Clock;
  /** Address of the REST API. */
  readonly api: () => string;
  /**
   * Products that developers who have endpoints hold keys of or watch, and see: of one product, or of one developer, within a
   * transaction.
   */
  readonly followers: (
    about: { readonly productId: number } | { readonly userId: number },
    transaction: Transaction,
  ) => Promise<FollowedProduct[]>;
  readonly audiences: ConcernedAudiences;
  /** The team that an account owns apps for; null for a developer's. */
  readonly teamOf: (accountId: number, transaction: Transaction) => Promise<{ readonly id: number } | null>;
}

type Told = Pick<WebhookEndpoint, 'id' | 'ownerId' | 'events' | 'audiences' | 'status' | 'fields'>;

/** An event as it is written down. */
interface ToldEvent {
  readonly body: WebhookBody;
  readonly details: WebhookDetails | null;
  /** Of the audiences that it concerns, where that had to be asked before the end of the transaction, or was. */
  readonly audiences: readonly number[] | null;
}

/** Stretch of time, the first moment part of it and the last not. */
export interface Since {
  readonly since: Date;
  /** null: until now. */
  readonly until: Date | null;
}

/**
 * Writes down each event for the endpoints that want it, within the event's own transaction: both are committed or
 * neither. An event that no endpoint wants leaves no row.
 */
export class WebhookOutbox {
  private readonly collected = new WeakMap<Transaction, ToldEvent[]>();
  private readonly reach: WebhookReach;
  private wake: () => void = () => undefined;

  constructor(private readonly parts: WebhookOutboxParts) {
    this.reach = new WebhookReach(parts);
  }

  listen(events: EventBus<Transaction>): void {
    // Events outside of a transaction pass undefined, whatever the bus's types say.
    events.within(PortalEvent, (event, transaction: Transaction | undefined) => this.take(event, transaction));
  }

  /** Registers the function that wakes delivery. */
  onQueued(wake: () => void): void {
    this.wake = wake;
  }

  /** Queues one message for one endpoint alone. */
  async queueFor(
    endpoint: Pick<WebhookEndpoint, 'id' | 'ownerId' | 'fields'>,
    body: WebhookBody,
    details: WebhookDetails,
    transaction: Transaction,
  ): Promise<number> {
    return this.write({ body, details, audiences: null }, [endpoint], transaction, endpoint.id);
  }

  /** Makes deliveries due now, as if they were new. @returns how many */
  async requeue(
    where: { readonly endpointId: number; readonly id?: number; readonly span?: Since },
    transaction: Transaction,
  ): Promise<number> {
    const { database, clock } = this.parts;
    const now = clock.now();
    const { endpointId, id, span } = where;
    const chosen = {
      ...{ endpointId, claim: null },
      ...(id === undefined ? { state: 'failed' as const } : { id }),
      ...(span && { createdAt: within(span) }),
    };
    const due = { state: 'queued', tries: 0, dueAt: now, updatedAt: now } as const;
    const count = await webhookDeliveryRecord.update(database, chosen, due, transaction);
    if (count > 0) transaction.afterCommit(() => this.wake());
    return count;
  }

  /** Queues what an endpoint wants and was never queued for it. @returns how many */
  async queueMissing(endpoint: Told, span: Since, transaction: Transaction): Promise<number> {
    const { id, ownerId } = endpoint;
    const followed = ownerId === null ? [] : await this.parts.followers({ userId: ownerId }, transaction);
    const subjects = [...new Set(followed.map(({ productId }) => `product:${productId}`))];
    const whose = ownerId === null ? {} : { [Op.or]: [{ ownerId }, { subject: subjects }] };
    const unqueued =
      'NOT EXISTS (SELECT 1 FROM portal_webhook_deliveries d WHERE d.message_id = m.id AND d.endpoint_id = ?)';
    const told = { createdAt: within(span), endpointId: null, ...whose };
    const and = { where: unqueued, values: [id] };
    const options = { and, only: ['id', 'type'], order: 'm.id', transaction } as const;
    const found = await webhookMessageRecord.findAll(this.parts.database, told, options);
    const ids = found.filter(({ type }) => wants(endpoint, type)).map((row) => row.id);
    let count = 0;
    // The bodies of a month of a busy portal do not fit into memory.
    for (let first = 0; first < ids.length; first += BATCH) {
      count += await this.queueMissed(endpoint, ids.slice(first, first + BATCH), followed, transaction);
    }
    if (count > 0) transaction.afterCommit(() => this.wake());
    return count;
  }

  private async queueMissed(
    endpoint: Told,
    ids: readonly number[],
    followed: readonly FollowedProduct[],
    transaction: Transaction,
  ): Promise<number> {
    const { database, clock } = this.parts;
    const { ownerId } = endpoint;
    const rows = await webhookMessageRecord.findAll(
      database,
      { id: ids },
      {
        only: ['id', 'webhookId', 'type', 'ownerId', 'body', 'details', 'audiences'],
        ...{ order: 'm.id', transaction },
      },
    );
    const wanted = rows
      .map((row) => ({ ...row, whole: JSON.parse(row.body) as WebhookBody }))
      .filter((row) => ownerId === null || row.ownerId === ownerId || isFollowed(row.whole, followed));
    const concerned = await this.reach.of([endpoint], wanted, transaction);
    const missing = wanted.filter((row) => isReached(endpoint, concerned(row)));
    const now = clock.now();
    const state = { state: 'queued', tries: 0, dueAt: now, createdAt: now, updatedAt: now } as const;
    const deliveries = missing.map((row) => ({
      ...{ messageId: row.id, endpointId: endpoint.id, webhookId: row.webhookId, type: row.type, ...state },
      ...collectMissedParts(row, endpoint),
    }));
    await webhookDeliveryRecord.insertAll(database, deliveries, transaction);
    return missing.length;
  }

  private async take(event: PortalEvent, transaction: Transaction | undefined): Promise<void> {
    const body = tellEvent(event, this.parts.api());
    if (body === null) return;
    const audiences = transaction ? await this.reach.beforeEnd(body, transaction) : null;
    const told = { body, details: detailEvent(event), audiences };
    if (transaction) this.collect(told, transaction);
    else await this.parts.database.transaction((own) => this.store([told], own));
  }

  // One look at the endpoints for each transaction, at its end.
  private collect(told: ToldEvent, transaction: Transaction): void {
    const events = this.collected.get(transaction);
    if (events) return void events.push(told);
    this.collected.set(transaction, [told]);
    this.parts.database.beforeCommit(transaction, async () => {
      const due = this.collected.get(transaction) ?? [];
      this.collected.delete(transaction);
      await this.store(due, transaction);
    });
  }

  private async store(events: readonly ToldEvent[], transaction: Transaction): Promise<void> {
    const options = { only: ['id', 'ownerId', 'events', 'audiences', 'status', 'fields'], transaction } as const;
    const owners = events.filter(({ body }) => isForDevelopers(body.type)).map(({ body }) => body.data.owner_id);
    const followers = await this.followersOf(events, transaction);
    // Of all developers, those alone who may be told: there may be thousands.
    const owned = { ownerId: { [Op.or]: [...new Set([null, ...owners, ...followers.keys()])] } };
    const endpoints = await endpointRecord.findAll(this.parts.database, owned, options);
    const messages = events.map(({ body, audiences }) => ({ whole: body, audiences }));
    const concerned = await this.reach.of(endpoints, messages, transaction);
    for (const { body: told, details, audiences: last } of events) {
      const { type, data } = told;
      const audiences = concerned({ whole: told, audiences: last });
      const concerns = (ownerId: number | null) =>
        ownerId === null || ownerId === data.owner_id || isFollowed(told, followers.get(ownerId) ?? []);
      const wanted = endpoints.filter(
        (endpoint) => concerns(endpoint.ownerId) && wants(endpoint, type) && isReached(endpoint, audiences),
      );
      if (wanted.length === 0) continue;
      const active = wanted.filter(({ status }) => status === 'active');
      // Kept for those that are off, too: they may be sent what they missed.
      const isChosen = wanted.some(({ fields }) => fields !== null);
      const body = await this.place(told, transaction);
      await this.write({ body, details: isChosen ? details : null, audiences }, active, transaction);
    }
  }

  /** With the address of an app below the team that it belongs to. */
  private async place(body: WebhookBody, transaction: Transaction): Promise<WebhookBody> {
    const { url, owner_id: ownerId } = body.data;
    const { api, teamOf } = this.parts;
    const own = `${api()}/me/apps/`;
    if (ownerId === null || !url?.startsWith(own)) return body;
    const team = await teamOf(ownerId, transaction);
    if (!team) return body;
    return { ...body, data: { ...body.data, url: `${api()}/me/teams/${team.id}/apps/${url.slice(own.length)}` } };
  }

  /** Developers who are told of products that the events are about. */
  private async followersOf(events: readonly ToldEvent[], transaction: Transaction) {
    const products = new Set(events.map(({ body }) => publicProductOf(body)));
    const byUser = new Map<number, FollowedProduct[]>();
    for (const productId of products) {
      if (productId === null) continue;
      for (const followed of await this.parts.followers({ productId }, transaction)) {
        byUser.set(followed.userId, [...(byUser.get(followed.userId) ?? []), followed]);
      }
    }
    return byUser;
  }

  private async write(
    { body, details, audiences }: ToldEvent,
    endpoints: readonly Pick<WebhookEndpoint, 'id' | 'ownerId' | 'fields'>[],
    transaction: Transaction,
    only: number | null = null,
  ): Promise<number> {
    const { database, clock } = this.parts;
    const now = clock.now();
    const { type, data } = body;
    const webhookId = `msg_${randomUUID().replaceAll('-', '')}`;
    const whole = JSON.stringify(body);
    const text = isShort(whole) ? whole : JSON.stringify({ ...body, data: { ...data, changed: [], facts: {} } });
    const kept = details && JSON.stringify(details);
    const message = {
      webhookId,
      type,
      ownerId: data.owner_id,
      endpointId: only,
      body: text,
      details: kept,
      subject: subjectOf(body),
      ...{ audiences, createdAt: now },
    };
    const messageId = await webhookMessageRecord.insert(database, message, transaction);
    const state = { state: 'queued', tries: 0, dueAt: now, createdAt: now, updatedAt: now } as const;
    const deliveries = endpoints.map((endpoint) => ({
      ...{ messageId, endpointId: endpoint.id, webhookId, type, ...state },
      ...{ subject: subjectOf(body), body: ownBody(body, details, endpoint) },
    }));
    await webhookDeliveryRecord.insertAll(database, deliveries, transaction);
    if (endpoints.length > 0) transaction.afterCommit(() => this.wake());
    return messageId;
  }
}

const BATCH = 500;
const LONGEST_SUBJECT = 160;

const within = ({ since, until }: Since) => ({ [Op.gte]: since, ...(until && { [Op.lt]: until }) });

interface MissedParts {
  readonly whole: WebhookBody;
  readonly details: string | null;
}

type Chooser = Pick<WebhookEndpoint, 'ownerId' | 'fields'>;

function collectMissedParts({ whole, details }: MissedParts, endpoint: Chooser) {
  const chosen = details === null ? null : (JSON.parse(details) as WebhookDetails);
  return { subject: subjectOf(whole), body: ownBody(whole, chosen, endpoint) };
}

/** What messages that want an order are about. */
function subjectOf({ data: { subject } }: WebhookBody): string | null {
  if (subject === null || subject.id === null) return null;
  return `${subject.type}:${subject.id}`.slice(0, LONGEST_SUBJECT);
}

/** The body of an endpoint that chose fields; null: the thin one, also where the other would be too long. */
function ownBody(body: WebhookBody, details: WebhookDetails | null, { ownerId, fields }: Chooser): string | null {
  if (fields === null || details === null) return null;
  // How a product is set up is for admins, before and after.
  const isOwn = ownerId === null || ownerId === body.data.owner_id;
  const text = JSON.stringify(addFields(body, isOwn ? details : { ...details, changes: {} }, fields));
  return isShort(text) ? text : null;
}

const isShort = (body: string) => Buffer.byteLength(body) <= LONGEST_BODY;

function wants({ ownerId, events }: Pick<Told, 'ownerId' | 'events'>, type: string): boolean {
  return matchesEvent(events, type) && (ownerId === null || isForDevelopers(type));
}
