import { randomUUID } from 'node:crypto';
import type { Database, Transaction } from '../database/index.js';
import type { Clock, Encrypter } from '../core/index.js';
import type { MailDraft } from './mail-templates.js';

interface OutboxParts {
  readonly database: Database;
  readonly encrypter: Encrypter;
  readonly clock: Clock;
}

/** Queues mails for other modules. */
export interface MailQueue {
  /**
   * Takes a mail into the outbox; it leaves after the commit of the transaction, in the background, and is tried again
   * until it was delivered. Never waits for a mail server (R37).
   */
  queue(draft: MailDraft, transaction?: Transaction): Promise<void>;
}

/**
 * The durable outbox: one row of `portal_mails` for each mail. What a mail says may hold a link that signs somebody in, so
 * it is encrypted at rest (S71) and gone once the mail was sent.
 */
export class MailOutbox implements MailQueue {
  private wake: () => void = () => undefined;

  constructor(private readonly parts: OutboxParts) {}

  async queue(draft: MailDraft, transaction?: Transaction): Promise<void> {
    const { database, encrypter, clock } = this.parts;
    const now = clock.now();
    const uuid = randomUUID();
    await database.execute(
      'INSERT INTO portal_mails (uuid, template, payload, state, tries, due_at, created_at, updated_at) ' +
        "VALUES (?, ?, ?, 'queued', 0, ?, ?, ?)",
      [uuid, draft.template, encrypter.encrypt(JSON.stringify(draft), payloadContext(uuid)), now, now, now],
      { transaction },
    );
    if (transaction) transaction.afterCommit(() => this.wake());
    else this.wake();
  }

  /** Registers the function that wakes delivery. */
  onQueued(wake: () => void): void {
    this.wake = wake;
  }
}

/** What the ciphertext of a payload is bound to (S71). */
export function payloadContext(uuid: string): string {
  return `portal_mails:${uuid}:payload`;
}
