import type { Transaction } from 'sequelize';
import type { Database } from '../database.js';

const TABLE = 'portal_table_versions';

/**
 * Counts the changes of tables that are read far more often than written (the catalog), so that what was read of them can be
 * kept until the next change. A transaction that changes such a table touches it before it commits; the counter and the change then
 * become visible together. Writers of one table wait for each other from the touch to the commit: touch last.
 */
export class TableVersions {
  /** Questions that are asked at the end of this very step of the program, shared by who asks the same in it. */
  private readonly asked = new Map<string, Promise<number>>();

  constructor(private readonly database: Database) {}

  async touch(tables: readonly string[], transaction: Transaction): Promise<void> {
    const upsert =
      this.database.dialect === 'sqlite'
        ? `INSERT INTO ${TABLE} (name, version) VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET version = version + 1`
        : `INSERT INTO ${TABLE} (name, version) VALUES (?, 1) ON DUPLICATE KEY UPDATE version = version + 1`;
    // Always in the same order, so that two transactions cannot wait for each other.
    for (const table of [...tables].sort()) await this.database.execute(upsert, [table], { transaction });
  }

  /**
   * A number that is the same only while none of the tables was touched. Read it before what is kept with it: what is
   * then read is at least as new.
   */
  current(tables: readonly string[]): Promise<number> {
    const expression = versionExpression(tables);
    const asked = this.asked.get(expression);
    if (asked) return asked;
    const asking = Promise.resolve().then(() => {
      this.asked.delete(expression);
      return this.read(expression);
    });
    this.asked.set(expression, asking);
    return asking;
  }

  private async read(expression: string): Promise<number> {
    const [row] = await this.database.select(`SELECT ${expression} AS version`);
    return Number(row?.version);
  }
}

/** Each part only ever grows. @param tables plain names, our own */
function versionExpression(tables: readonly string[]): string {
  const names = tables.map((table) => `'${table.replaceAll("'", "''")}'`).join(', ');
  return `(SELECT COALESCE(SUM(version), 0) FROM ${TABLE} WHERE name IN (${names}))`;
}
