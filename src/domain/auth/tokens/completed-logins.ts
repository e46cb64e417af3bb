import type { Transaction } from '../../../database/index.js';
import type { EventBus, RequestInfo } from '../../../core/index.js';
import type { LoginSucceededEvent } from '../events.js';

/**
 * Announces completed logins, and those that end in tokens in the transaction that writes these: for both together the end
 * of the chain of activities, which all replicas wait for, is taken once.
 */
export class CompletedLogins {
  private readonly waiting = new WeakMap<RequestInfo, LoginSucceededEvent[]>();

  constructor(private readonly events: EventBus<Transaction>) {}

  /** Within `login`, what the request completes waits for its tokens; whatever never gets any is announced at the end. */
  async untilTokens<T>(request: RequestInfo, login: () => Promise<T>): Promise<T> {
    const due: LoginSucceededEvent[] = [];
    this.waiting.set(request, due);
    try {
      return await login();
    } finally {
      this.waiting.delete(request);
      await this.announceAlone(due);
    }
  }

  async announce(event: LoginSucceededEvent, request: RequestInfo): Promise<void> {
    const due = this.waiting.get(request);
    if (due) due.push(event);
    else await this.announceAlone([event]);
  }

  /** @param issue is given what belongs into its transaction; when it has none, or fails, the login is announced alone */
  async withTokens<T>(
    request: RequestInfo,
    issue: (within: (transaction: Transaction) => Promise<void>) => Promise<T>,
  ): Promise<T> {
    const due = this.waiting.get(request)?.splice(0) ?? [];
    try {
      return await issue(async (transaction) => {
        for (const event of due) await this.events.emit(event, transaction);
        transaction.afterCommit(() => void due.splice(0));
      });
    } finally {
      await this.announceAlone(due);
    }
  }

  private async announceAlone(due: readonly LoginSucceededEvent[]): Promise<void> {
    for (const event of due) await this.events.emit(event);
  }
}
