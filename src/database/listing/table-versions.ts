import { setImmediate as endOfTurn } from 'node:timers/promises';
import type { Transaction } from 'sequelize';
import type { Database } from '../database.js';

const TABLE = 'portal_table_versions';

/**
 * Counts changes to rarely written tables (the catalog), so that results can be cached until the next change. A
 * transaction that changes such a table touches it before commit; the change and the counter become visible together.
 * Writers of one table wait for each other from touch to commit, so touch last.
 */
export class TableVersions {
  /** Reads queued for the end of this turn of the event loop, shared by all requests that came in with it. */
  private readonly queued = new Map<string, Promise<number>>();

  constructor(private readonly database: Database) {}

  async touch(tables: readonly string[], transaction: Transaction): Promise<void> {
    const upsert =
      this.database.dialect === 'sqlite'
        ? `INSERT INTO ${TABLE} (name, version) VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET version = version + 1`
        : `INSERT INTO ${TABLE} (name, version) VALUES (?, 1) ON DUPLICATE KEY UPDATE version = version + 1`;
    // Sorted, so that two transactions cannot deadlock.
    for (const table of [...tables].sort()) await this.database.execute(upsert, [table], { transaction });
  }

  /**
   * A number that stays the same while none of the tables is touched. Read it before the data that is cached with it,
   * which is then at least as new.
   */
  current(tables: readonly string[]): Promise<number> {
    const expression = versionExpression(tables);
    const pending = this.queued.get(expression);
    if (pending) return pending;
    const query = endOfTurn().then(() => {
      this.queued.delete(expression);
      return this.read(expression);
    });
    this.queued.set(expression, query);
    return query;
  }

  private async read(expression: string): Promise<number> {
    const [row] = await this.database.select(`SELECT ${expression} AS version`);
    return Number(row?.version);
  }
}

/** Monotonic: each part only grows. @param tables plain names from our code */
function versionExpression(tables: readonly string[]): string {
  const names = tables.map((table) => `'${table.replaceAll("'", "''")}'`).join(', ');
  return `(SELECT COALESCE(SUM(version), 0) FROM ${TABLE} WHERE name IN (${names}))`;
}
