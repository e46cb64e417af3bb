import type { Transaction } from '../../database/index.js';
import type { EventBus } from '../../core/index.js';
import type { LoginSucceededEvent } from './events.js';

/**
 * The login that a token pair completes. It is announced in the transaction that writes the tokens, so that the lock on
 * the end of the audit log's hash chain, which all replicas wait for, is taken only once.
 */
export class LoginAnnouncement {
  private due: LoginSucceededEvent | null = null;

  constructor(private readonly events: EventBus<Transaction>) {}

  /** Marks the login as complete; {@link announce} emits its event. */
  complete(event: LoginSucceededEvent): void {
    this.due = event;
  }

  /** Emits the event at most once; within a transaction it counts as emitted only after the commit. */
  async announce(transaction?: Transaction): Promise<void> {
    if (!this.due) return;
    await this.events.emit(this.due, transaction);
    if (transaction) transaction.afterCommit(() => void (this.due = null));
    else this.due = null;
  }
}
