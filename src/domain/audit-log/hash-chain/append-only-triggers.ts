import { appendOnlyTriggers, type Database } from '../../../database/index.js';

const TABLE = 'portal_activities';
const REMOVABLE = '(SELECT prune_until FROM portal_activity_chain WHERE id = 1)';

/** Triggers that reject changes of the log. The migration creates them if it has the privilege. */
export class ChainGuard {
  constructor(private readonly database: Database) {}

  async isInPlace(): Promise<boolean> {
    const sql =
      this.database.dialect === 'sqlite'
        ? "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = ?"
        : 'SELECT trigger_name AS name FROM information_schema.triggers ' +
          'WHERE trigger_schema = DATABASE() AND event_object_table = ?';
    const rows = await this.database.select<{ name: string }>(sql, [TABLE]);
    return this.triggers().names.every((name) => rows.some((row) => row.name === name));
  }

  /** @throws DatabaseError when the database user may not create triggers */
  async establish(): Promise<void> {
    const { drop, create } = this.triggers();
    for (const statement of [...drop, ...create]) await this.database.execute(statement);
  }

  private triggers() {
    return appendOnlyTriggers(this.database.dialect, TABLE, REMOVABLE);
  }
}
