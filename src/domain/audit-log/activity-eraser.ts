import { UserDeletedEvent } from '../accounts/index.js';
import type { Database, Transaction } from '../../database/index.js';
import type { EventBus } from '../../core/index.js';
import { erasePersonal, findActivitiesOf } from './activity-queries.js';

/**
 * Erases a deleted developer from the log: names, addresses, devices, and changes of their account. The fact of each
 * event and the account's id stay, and so does the hash chain.
 */
export class ActivityEraser {
  constructor(private readonly database: Database) {}

  /** Register it after the recorder, so that the second pass runs after the deletion's own rows were written. */
  listen(events: EventBus<Transaction>): void {
    events.within(UserDeletedEvent, async ({ user }, transaction) => {
      const seen = await this.erase(user.id, 0, transaction);
      // Other requests may have added rows. The end of the chain is now locked, and later rows find no account.
      this.database.beforeCommit(transaction, async () => void (await this.erase(user.id, seen, transaction)));
    });
  }

  /** @returns the id of the last activity checked */
  private async erase(userId: number, afterId: number, transaction: Transaction): Promise<number> {
    const { database } = this;
    const rows = await findActivitiesOf(database, userId, afterId, transaction);
    const actedIn = rows.filter(({ isActor }) => isActor).map(({ id }) => id);
    await erasePersonal(database, 'actor', actedIn, transaction);
    const told = rows.filter(({ isSubject }) => isSubject).map(({ id }) => id);
    await erasePersonal(database, 'subject', told, transaction);
    return rows.at(-1)?.id ?? afterId;
  }
}
