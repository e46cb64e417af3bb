import { randomUUID } from 'node:crypto';
import { defineRecord, fieldOf, Op, times, type Database, type RowOf, type Transaction } from '../database/index.js';
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
    payload: fieldOf.longText().hidden(),
    /** null for mails of earlier versions, and once the account behind it is deleted. */
    recipient: fieldOf.text(254).nullable(),
    state: fieldOf.text<'queued' | 'sent' | 'failed'>(16),
    tries: fieldOf.integer(),
    /** Class, code and status of the last failure: nothing that a server said, which may quote the mail. */
    lastError: fieldOf.text(255).nullable(),
    dueAt: fieldOf.time(),
    /** Held by the process that is sending it. */
    claim: fieldOf.text(36).nullable().hidden(),
    claimedUntil: fieldOf.time().nullable().hidden(),
    ...times,
  },
});

/** What is known of a mail without what it says. */
export type MailState = RowOf<typeof mailRecord>;

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
 * is encrypted at rest (S71) and deleted once the mail is sent. A mail that failed keeps it, to be sent again.
 */
export class MailOutbox implements MailQueue {
  private wake: () => void = () => undefined;

  constructor(private readonly parts: OutboxParts) {}

  async queue(draft: MailDraft, transaction?: Transaction): Promise<void> {
    const { database, encrypter, clock } = this.parts;
    const now = clock.now();
    const uuid = randomUUID();
    const payload = encrypter.encrypt(JSON.stringify(draft), mailPayloadContext(uuid));
    const state = { state: 'queued', tries: 0, dueAt: now, createdAt: now, updatedAt: now } as const;
    const recipient = draft.to.slice(0, 254);
    await mailRecord.insert(database, { uuid, template: draft.template, payload, recipient, ...state }, transaction);
    if (transaction) transaction.afterCommit(() => this.wake());
    else this.wake();
  }

  /**
   * Makes a mail due now, as if it were new.
   * @returns false when it was sent, is being sent, or what it said is gone
   */
  async resend(id: number, transaction: Transaction): Promise<boolean> {
    const { database, clock } = this.parts;
    const now = clock.now();
    const isFree = { [Op.or]: [null, { [Op.lte]: now }] };
    const sendable = { id, state: ['queued', 'failed'] as const, payload: { [Op.ne]: '' }, claimedUntil: isFree };
    const due = { state: 'queued', tries: 0, dueAt: now, claim: null, claimedUntil: null, updatedAt: now } as const;
    if ((await mailRecord.update(database, sendable, due, transaction)) === 0) return false;
    transaction.afterCommit(() => this.wake());
    return true;
  }

  /** Forgets to whom mails went that wait no longer, and what failed ones said. */
  async forget(recipient: string, transaction: Transaction): Promise<void> {
    const done = { recipient, state: ['sent', 'failed'] as const };
    await mailRecord.update(this.parts.database, done, { recipient: null, payload: '' }, transaction);
  }

  /** Registers the function that wakes delivery. */
  onQueued(wake: () => void): void {
    this.wake = wake;
  }
}

/** Encryption context of a payload (S71). */
export function mailPayloadContext(uuid: string): string {
  return `portal_mails:${uuid}:payload`;
}
