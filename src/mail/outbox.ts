import { randomUUID } from 'node:crypto';
import { defineRecord, fieldOf, times, type Database, type Transaction } from '../database/index.js';
import type { Clock, Encrypter } from '../core/index.js';
import type { MailDraft } from './mail-templates.js';

export const mailRecord = defineRecord({
  name: 'Mail',
  table: 'portal_mails',
  alias: 'm',
  fields: {
    id: fieldOf.id(),
    uuid: fieldOf.text(36),
    template: fieldOf.text(100),
    payload: fieldOf.longText(),
    state: fieldOf.text<'queued' | 'sent' | 'failed'>(16),
    tries: fieldOf.integer(),
    dueAt: fieldOf.time(),
    /** Held by the process that is sending it. */
    claim: fieldOf.text(36).nullable(),
    claimedUntil: fieldOf.time().nullable(),
    ...times,
  },
});

interface OutboxParts {
  readonly database: Database;
  readonly encrypter: Encrypter;
  readonly clock: Clock;
}

/** Queues mails for other modules. */
export interface MailQueue {
  /**
   * Queues a mail, which is sent in the background after the commit of the transaction and retried until delivered.
   * Never waits for a mail server (R37).
   */
  queue(draft: MailDraft, transaction?: Transaction): Promise<void>;
}

/**
 * The durable outbox: one row of `portal_mails` for each mail. Content may include a link that signs somebody in, so it
 * is encrypted at rest (S71) and deleted once the mail is sent.
 */
export class MailOutbox implements MailQueue {
  private wake: () => void = () => undefined;

  constructor(private readonly parts: OutboxParts) {}

  async queue(draft: MailDraft, transaction?: Transaction): Promise<void> {
    const { database, encrypter, clock } = this.parts;
    const now = clock.now();
    const uuid = randomUUID();
    const payload = encrypter.encrypt(JSON.stringify(draft), payloadContext(uuid));
    const state = { state: 'queued', tries: 0, dueAt: now, createdAt: now, updatedAt: now } as const;
    await mailRecord.insert(database, { uuid, template: draft.template, payload, ...state }, transaction);
    if (transaction) transaction.afterCommit(() => this.wake());
    else this.wake();
  }

  /** Registers the function that wakes delivery. */
  onQueued(wake: () => void): void {
    this.wake = wake;
  }
}

/** Encryption context of a payload (S71). */
export function payloadContext(uuid: string): string {
  return `portal_mails:${uuid}:payload`;
}
