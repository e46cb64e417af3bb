import type { Transaction } from '../../database/index.js';
import type { EventBus } from '../../core/index.js';
import type { LoginSucceededEvent } from './events.js';

/**
 * The login that a token pair completes. It is announced in the transaction that writes the tokens: both take the end of the
 * hash chain of the audit log, which all replicas wait for, and so take it once.
 */
export class LoginAnnouncement {
  private due: LoginSucceededEvent | null = null;

  constructor(private readonly events: EventBus<Transaction>) {}

  /** The login is complete; {@link announce} tells so. */
  complete(event: LoginSucceededEvent): void {
    this.due = event;
  }

  /** Once it is told, also by a transaction that has committed, nothing more is. */
  async announce(transaction?: Transaction): Promise<void> {
    if (!this.due) return;
    await this.events.emit(this.due, transaction);
    if (transaction) transaction.afterCommit(() => void (this.due = null));
    else this.due = null;
  }
}
