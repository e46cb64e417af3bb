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
import { isForDevelopers, tellEvent, type WebhookBody } from './webhook-catalog.js';

/** Of Standard Webhooks; thin bodies are far below it. */
const LONGEST_BODY = 20_000;

export interface WebhookOutboxParts {
  readonly database: Database;
  readonly clock: Clock;
  /** Address of the REST API. */
  readonly api: () => string;
}

type Told = Pick<WebhookEndpoint, 'id' | 'ownerId' | 'events' | 'status'>;

/**
 * Writes down each event for the endpoints that want it, within the event's own transaction: both are committed or
 * neither. An event that no endpoint wants leaves no row.
 */
export class WebhookOutbox {
  private readonly collected = new WeakMap<Transaction, WebhookBody[]>();
  private wake: () => void = () => undefined;

  constructor(private readonly parts: WebhookOutboxParts) {}

  listen(events: EventBus<Transaction>): void {
    // Events outside of a transaction pass undefined, whatever the bus's types say.
    events.within(PortalEvent, (event, transaction: Transaction | undefined) => this.take(event, transaction));
  }

  /** Registers the function that wakes delivery. */
  onQueued(wake: () => void): void {
    this.wake = wake;
  }

  /** Queues one message for one endpoint alone. */
  async queueFor(endpointId: number, body: WebhookBody, transaction: Transaction): Promise<number> {
    return this.write(body, [endpointId], transaction, endpointId);
  }

  /** Makes deliveries due now, as if they were new. @returns how many */
  async requeue(
    where: { readonly endpointId: number; readonly id?: number; readonly since?: Date },
    transaction: Transaction,
  ): Promise<number> {
    const { database, clock } = this.parts;
    const now = clock.now();
    const { endpointId, id, since } = where;
    const chosen = {
      ...{ endpointId, claim: null },
      ...(id === undefined ? { state: 'failed' as const } : { id }),
      ...(since && { createdAt: { [Op.gte]: since } }),
    };
    const due = { state: 'queued', tries: 0, dueAt: now, updatedAt: now } as const;
    const count = await webhookDeliveryRecord.update(database, chosen, due, transaction);
    if (count > 0) transaction.afterCommit(() => this.wake());
    return count;
  }

  /** Queues what an endpoint wants and was never queued for it. @returns how many */
  async queueMissing({ id, ownerId, events }: Told, since: Date, transaction: Transaction): Promise<number> {
    const { database, clock } = this.parts;
    const whose = ownerId === null ? '' : 'AND m.owner_id = ?';
    const rows = await database.select<{ id: number; webhookId: string; type: string }>(
      `SELECT m.id AS id, m.webhook_id AS webhookId, m.type AS type FROM portal_webhook_messages m
       WHERE m.created_at >= ? AND m.endpoint_id IS NULL ${whose}
         AND NOT EXISTS (SELECT 1 FROM portal_webhook_deliveries d WHERE d.message_id = m.id AND d.endpoint_id = ?)
       ORDER BY m.id`,
      [since, ...(ownerId === null ? [] : [ownerId]), id],
      { transaction },
    );
    const missing = rows.filter(({ type }) => wants({ ownerId, events }, type));
    const now = clock.now();
    const state = { state: 'queued', tries: 0, dueAt: now, createdAt: now, updatedAt: now } as const;
    for (let first = 0; first < missing.length; first += BATCH) {
      const batch = missing.slice(first, first + BATCH);
      const deliveries = batch.map((row) => ({
        ...{ messageId: row.id, endpointId: id, webhookId: row.webhookId, type: row.type, ...state },
      }));
      await webhookDeliveryRecord.insertAll(database, deliveries, transaction);
    }
    if (missing.length > 0) transaction.afterCommit(() => this.wake());
    return missing.length;
  }

  private async take(event: PortalEvent, transaction: Transaction | undefined): Promise<void> {
    const body = tellEvent(event, this.parts.api());
    if (body === null) return;
    if (transaction) this.collect(body, transaction);
    else await this.parts.database.transaction((own) => this.store([body], own));
  }

  // One look at the endpoints for each transaction, at its end.
  private collect(body: WebhookBody, transaction: Transaction): void {
    const bodies = this.collected.get(transaction);
    if (bodies) return void bodies.push(body);
    this.collected.set(transaction, [body]);
    this.parts.database.beforeCommit(transaction, async () => {
      const due = this.collected.get(transaction) ?? [];
      this.collected.delete(transaction);
      await this.store(due, transaction);
    });
  }

  private async store(bodies: readonly WebhookBody[], transaction: Transaction): Promise<void> {
    const options = { only: ['id', 'ownerId', 'events', 'status'], transaction } as const;
    const owners = bodies.filter(({ type }) => isForDevelopers(type)).map(({ data }) => data.owner_id);
    // Of all developers, those alone who may be told: there may be thousands.
    const told = { ownerId: { [Op.or]: [...new Set([null, ...owners])] } };
    const endpoints = await endpointRecord.findAll(this.parts.database, told, options);
    for (const body of bodies) {
      const { type, data } = body;
      const wanted = endpoints.filter(
        (endpoint) => (endpoint.ownerId === null || endpoint.ownerId === data.owner_id) && wants(endpoint, type),
      );
      if (wanted.length === 0) continue;
      const active = wanted.filter(({ status }) => status === 'active').map(({ id }) => id);
      await this.write(body, active, transaction);
    }
  }

  private async write(
    body: WebhookBody,
    endpointIds: readonly number[],
    transaction: Transaction,
    only: number | null = null,
  ): Promise<number> {
    const { database, clock } = this.parts;
    const now = clock.now();
    const { type, data } = body;
    const webhookId = `msg_${randomUUID().replaceAll('-', '')}`;
    const whole = JSON.stringify(body);
    const text =
      whole.length <= LONGEST_BODY ? whole : JSON.stringify({ ...body, data: { ...data, changed: [], facts: {} } });
    const message = { webhookId, type, ownerId: data.owner_id, endpointId: only, body: text, createdAt: now };
    const messageId = await webhookMessageRecord.insert(database, message, transaction);
    const state = { state: 'queued', tries: 0, dueAt: now, createdAt: now, updatedAt: now } as const;
    const deliveries = endpointIds.map((endpointId) => ({ messageId, endpointId, webhookId, type, ...state }));
    await webhookDeliveryRecord.insertAll(database, deliveries, transaction);
    if (endpointIds.length > 0) transaction.afterCommit(() => this.wake());
    return messageId;
  }
}

const BATCH = 500;

function wants({ ownerId, events }: Pick<Told, 'ownerId' | 'events'>, type: string): boolean {
  return matchesEvent(events, type) && (ownerId === null || isForDevelopers(type));
}
