import { UserDeletedEvent } from '../accounts/index.js';
import { placeholders, type Database, type Transaction } from '../../database/index.js';
import type { EventBus } from '../../core/index.js';

interface OwnRow {
  readonly id: number;
  readonly isActor: number;
  readonly isSubject: number;
}

const BATCH = 500;
const ACTOR = 'actor_name = NULL, actor_email = NULL, ip = NULL, user_agent = NULL, actor_salt = NULL';
const SUBJECT = 'subject_label = NULL, subject_changes = NULL, subject_salt = NULL';
const IS_ACTOR = "(actor_type = 'visitor' OR (actor_type = 'developer' AND actor_id = ?))";

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
    const columns = `id, ${IS_ACTOR} AS isActor, (subject_type = 'user' AND subject_id = ?) AS isSubject`;
    const selectOwn = (condition: string) => `SELECT ${columns} FROM portal_activities WHERE ${condition} AND id > ?`;
    const rows = await this.database.select<OwnRow>(
      `${selectOwn('owner_id = ?')} UNION ${selectOwn("actor_type = 'developer' AND actor_id = ?")} ORDER BY id`,
      [...[userId, String(userId), userId, afterId], ...[userId, String(userId), userId, afterId]],
      { transaction },
    );
    await this.clearFields(
      ACTOR,
      rows.filter(({ isActor }) => isActor).map(({ id }) => id),
      transaction,
    );
    await this.clearFields(
      SUBJECT,
      rows.filter(({ isSubject }) => isSubject).map(({ id }) => id),
      transaction,
    );
    return rows.at(-1)?.id ?? afterId;
  }

  private async clearFields(fields: string, ids: readonly number[], transaction: Transaction): Promise<void> {
    for (let first = 0; first < ids.length; first += BATCH) {
      const batch = ids.slice(first, first + BATCH);
      const places = placeholders(batch);
      const sql = `UPDATE portal_activity_people SET ${fields} WHERE activity_id IN (${places})`;
      await this.database.execute(sql, batch, { transaction });
    }
  }
}
