import { randomUUID } from 'node:crypto';
import { fromRow, Op, type Database, type Transaction } from '../../database/index.js';
import { addSeconds, type Clock, type Logger, type ProcessMetrics } from '../../core/index.js';
import type { EndpointHealth } from './endpoint-health.js';
import { endpointRecord, webhookAttemptRecord, webhookDeliveryRecord, webhookMessageRecord } from './webhook.js';
import { WebhookLane } from './webhook-lane.js';
import { CLAIM_S, countSendable, findSendable, isFree, LONGEST_PAUSE_S } from './webhook-queries.js';
import type { WebhookAnswer, WebhookSender } from './webhook-sender.js';

/** Seconds before each attempt; about 28 hours in all (Standard Webhooks). */
const PAUSES_S = [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 36_000];
/** A pause is up to a fifth longer, so that those who failed together do not come back together. */
const JITTER = 0.2;
const GONE = 410;
/** Answers of somebody who has too much to do. */
const BUSY: readonly (number | null)[] = [429, 502, 503, 504];
const BUSY_PAUSE_S = 60;

interface DispatcherParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly sender: WebhookSender;
  readonly health: EndpointHealth;
  readonly processMetrics: Pick<ProcessMetrics, 'count' | 'watch'>;
}

/** Longer, and no job sends, or an endpoint takes less than it is told. */
const OVERDUE_S = 600;

/**
 * Sends what is due, each endpoint in a lane of its own: one that hangs delays nobody else. Any number of replicas may do
 * it: each delivery is claimed by one, by a conditional UPDATE (R17). A receiver gets each message once or more, always
 * with the same id.
 */
export class WebhookDispatcher {
  private readonly lanes = new Map<number, Promise<void>>();
  private isClosing = false;
  private lagSeconds = 0;

  constructor(private readonly parts: DispatcherParts) {
    parts.processMetrics.watch('webhook_lag_seconds', () => this.lagSeconds);
  }

  /** Starts the lanes of endpoints for which something is due, and waits for none of them. */
  async run(stopping: AbortSignal): Promise<void> {
    for (const id of await this.findEndpoints()) {
      if (this.isClosing || this.lanes.has(id)) continue;
      const lane = this.work(id, stopping)
        .catch((error: unknown) => this.parts.logger.error({ err: error, endpoint: id }, 'a lane of webhooks failed'))
        .finally(() => this.lanes.delete(id));
      this.lanes.set(id, lane);
    }
  }

  /** How many messages should have been sent ten minutes ago, and still could be. */
  async countOverdue(): Promise<number> {
    const { database, clock } = this.parts;
    const now = clock.now();
    return countSendable(database, now, addSeconds(now, -OVERDUE_S));
  }

  /** Resolves once no lane works. */
  async idle(): Promise<void> {
    while (this.lanes.size > 0) await Promise.all(this.lanes.values());
  }

  /** Begins nothing more and waits for the requests under way. */
  async close(): Promise<void> {
    this.isClosing = true;
    await this.idle();
  }

  private async findEndpoints(): Promise<number[]> {
    const now = this.parts.clock.now();
    const rows = await findSendable(this.parts.database, now);
    this.lagSeconds = Math.max(0, ...rows.map(({ oldest }) => (now.getTime() - oldest.getTime()) / 1_000));
    return rows.map(({ id }) => id);
  }

  private async work(endpointId: number, stopping: AbortSignal): Promise<void> {
    const lane = await WebhookLane.open(this.parts, endpointId);
    if (!lane) return;
    try {
      await this.follow(lane, endpointId, stopping);
    } finally {
      await lane.close();
    }
  }

  private async follow(lane: WebhookLane, endpointId: number, stopping: AbortSignal): Promise<void> {
    for (;;) {
      const groups = await lane.next();
      if (groups.length === 0) return;
      for (const group of groups) {
        if (this.isClosing || stopping.aborted || !(await lane.goOn(group))) return;
        if ((await this.attempt(group, endpointId)) === 'rest') return;
      }
    }
  }

  /**
   * Claims a group of messages, sends them at once and notes what came of all in one transaction.
   * @returns `rest` when the endpoint is to be left alone for now
   */
  private async attempt(group: readonly number[], endpointId: number): Promise<'rest' | 'go on'> {
    const { database, clock, sender } = this.parts;
    const claim = randomUUID();
    const now = clock.now();
    const held = { claim, claimedUntil: addSeconds(now, CLAIM_S), tries: fromRow('tries', 1), updatedAt: now };
    const free = { id: group, state: 'queued', dueAt: { [Op.lte]: now }, claimedUntil: isFree(now) } as const;
    if ((await webhookDeliveryRecord.update(database, free, held)) === 0) return 'go on';
    const ours = { id: group, claim };
    const deliveries = await webhookDeliveryRecord.findAll(database, ours, { with: ['body'], order: 'd.due_at, d.id' });
    const ids = deliveries.map(({ messageId }) => messageId);
    const messages = await webhookMessageRecord.findAll(database, { id: ids }, { only: ['id', 'body'] });
    const bodies = new Map(messages.map(({ id, body }) => [id, body]));
    const secrets = ['uuid', 'secret', 'previousSecret'] as const;
    const endpoint = await endpointRecord.find(database, { id: endpointId, status: 'active' }, { with: secrets });
    if (!endpoint) return 'rest';
    const sent = deliveries.map(async ({ id, tries, messageId, webhookId, body }): Promise<Attempted[]> => {
      const text = body ?? bodies.get(messageId);
      // Removed meanwhile, with its message.
      if (text === undefined) return [];
      return [{ id, tries, answer: await sender.send(endpoint, webhookId, text) }];
    });
    const settled = await Promise.allSettled(sent);
    const outcome = await this.finish(
      settled.flatMap((one) => (one.status === 'fulfilled' ? one.value : [])),
      claim,
      endpoint,
    );
    // What could not even be tried must not take along what was sent beside it.
    const fault = settled.find((one) => one.status === 'rejected');
    if (fault) throw fault.reason as Error;
    return outcome;
  }

  private async finish(
    attempted: readonly Attempted[],
    claim: string,
    endpoint: { readonly id: number; readonly failingSince: Date | null },
  ): Promise<'rest' | 'go on'> {
    const { database, clock, health, processMetrics } = this.parts;
    for (const { answer } of attempted)
      processMetrics.count(isTaken(answer) ? 'webhooks_sent_total' : 'webhook_failures_total');
    return database.transaction(async (transaction) => {
      // Another process may have taken some over, or the endpoint may be gone.
      const ours = { id: attempted.map(({ id }) => id), claim };
      const locked = await webhookDeliveryRecord.findAll(database, ours, { only: ['id'], lock: true, transaction });
      const held = attempted.filter(({ id }) => locked.some((row) => row.id === id));
      if (held.length === 0) return 'go on';
      const now = clock.now();
      const taken = held.filter(({ answer }) => isTaken(answer));
      const done = { claim: null, claimedUntil: null, updatedAt: now };
      const sent = { id: taken.map(({ id }) => id), claim };
      if (taken.length > 0) await webhookDeliveryRecord.update(database, sent, { state: 'sent', ...done }, transaction);
      const failures = held.filter(({ answer }) => !isTaken(answer));
      for (const { id, tries, answer } of failures) {
        const pause = answer.status === GONE ? null : pauseAfter(tries, answer, now);
        const state = pause === null ? ('failed' as const) : ('queued' as const);
        const next = { state, ...done, ...(pause !== null && { dueAt: addSeconds(now, pause) }) };
        await webhookDeliveryRecord.update(database, { id, claim }, next, transaction);
      }
      await this.log(held, transaction);
      if (taken.length > 0 && endpoint.failingSince !== null) await health.noteRecovery(endpoint.id, transaction);
      return this.judge(failures, endpoint.id, transaction);
    });
  }

  /** What failures mean for the endpoint. */
  private async judge(failures: readonly Attempted[], endpointId: number, transaction: Transaction) {
    const { database, clock, health } = this.parts;
    if (failures.length === 0) return 'go on';
    const isGone = failures.some(({ answer }) => answer.status === GONE);
    if (await health.noteFailure(endpointId, isGone, transaction)) return 'rest';
    const busy = failures.filter(({ answer }) => BUSY.includes(answer.status));
    if (busy.length === 0) return 'go on';
    const now = clock.now();
    const asked = busy.map(({ answer }) => secondsOf(answer.retryAfter, now) ?? 0);
    const rest = Math.min(LONGEST_PAUSE_S, Math.max(BUSY_PAUSE_S, ...asked));
    await endpointRecord.update(database, { id: endpointId }, { resumeAt: addSeconds(now, rest) }, transaction);
    return 'rest';
  }

  private async log(attempted: readonly Attempted[], transaction: Transaction): Promise<void> {
    const { database, clock, logger } = this.parts;
    const createdAt = clock.now();
    const attempts = attempted.map(({ id, tries, answer: { status, failure, duration, answer } }) => ({
      ...{ deliveryId: id, number: tries, status, failure, duration, answer, createdAt },
    }));
    await webhookAttemptRecord.insertAll(database, attempts, transaction);
    for (const { deliveryId: delivery, failure, number } of attempts)
      if (failure !== null) logger.info({ delivery, failure, number }, 'a webhook was not delivered');
  }
}

/** A message that was sent, and what came of it. */
interface Attempted {
  readonly id: number;
  readonly tries: number;
  readonly answer: WebhookAnswer;
}

function isTaken({ status }: WebhookAnswer): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** Seconds until the next attempt; null after the last. */
function pauseAfter(tries: number, { retryAfter }: WebhookAnswer, now: Date): number | null {
  const pause = PAUSES_S[tries];
  if (pause === undefined) return null;
  const asked = Math.min(LONGEST_PAUSE_S, secondsOf(retryAfter, now) ?? 0);
  return Math.max(asked, pause * (1 + Math.random() * JITTER));
}

/** `Retry-After` in seconds: a number, or a date. */
function secondsOf(retryAfter: string | null, now: Date): number | null {
  if (retryAfter === null) return null;
  if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter);
  const at = Date.parse(retryAfter);
  return Number.isNaN(at) ? null : Math.max(0, (at - now.getTime()) / 1000);
}
