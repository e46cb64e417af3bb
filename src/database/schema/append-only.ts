import type { Database } from '../database.js';
import type { Dialect } from '../driver.js';
import { quote } from './table.js';

/** Triggers that make the rows of a table immutable. */
export interface AppendOnlyTriggers {
  readonly names: readonly [update: string, remove: string];
  readonly create: readonly string[];
  readonly drop: readonly string[];
}

/**
 * Triggers that refuse every UPDATE of a table, and every DELETE beyond an id. MySQL and MariaDB require the TRIGGER
 * privilege, MySQL with binary logging also `log_bin_trust_function_creators`.
 * @param until SQL of the highest id that may currently be deleted
 */
export function appendOnlyTriggers(dialect: Dialect, table: string, until: string): AppendOnlyTriggers {
  const names = [`${table}_no_update`, `${table}_no_delete`] as const;
  const refuse = (what: string) => {
    const message = `'${table} is append-only: ${what} is refused'`;
    return dialect === 'sqlite'
      ? `SELECT RAISE(ABORT, ${message})`
      : `SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = ${message}`;
  };
  const [update, remove] = names.map(quote) as [string, string];
  const on = `ON ${quote(table)} FOR EACH ROW`;
  const late = `OLD.id > ${until}`;
  return {
    names,
    drop: names.map((name) => `DROP TRIGGER IF EXISTS ${quote(name)}`),
    create:
      dialect === 'sqlite'
        ? [
            `CREATE TRIGGER ${update} BEFORE UPDATE ${on} BEGIN ${refuse('UPDATE')}; END`,
            `CREATE TRIGGER ${remove} BEFORE DELETE ${on} WHEN ${late} BEGIN ${refuse('DELETE')}; END`,
          ]
        : [
            `CREATE TRIGGER ${update} BEFORE UPDATE ${on} ${refuse('UPDATE')}`,
            `CREATE TRIGGER ${remove} BEFORE DELETE ${on} IF ${late} THEN ${refuse('DELETE')}; END IF`,
          ],
  };
}

/** MySQL and MariaDB: no TRIGGER privilege; no global privilege that binary logging requires; MySQL's 1419. */
const NOT_ALLOWED = new Set([1142, 1227, 1419]);

/** Whether the server refused a statement because this account may not create triggers. */
export function mayNotMakeTriggers(error: unknown): boolean {
  return error instanceof Error && NOT_ALLOWED.has((error as { errno?: number }).errno ?? 0);
}

/** Names of the triggers of a table. */
export async function findTriggers(database: Database, table: string): Promise<string[]> {
  const sql =
    database.dialect === 'sqlite'
      ? "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = ?"
      : 'SELECT trigger_name AS name FROM information_schema.triggers ' +
        'WHERE trigger_schema = DATABASE() AND event_object_table = ?';
  const rows = await database.select<{ name: string }>(sql, [table]);
  return rows.map(({ name }) => name);
}
