import type { Dialect } from '../driver.js';
import { quote } from './table.js';

/** What keeps the rows of a table as they were written. */
export interface AppendOnlyTriggers {
  readonly names: readonly [update: string, remove: string];
  readonly create: readonly string[];
  readonly drop: readonly string[];
}

/**
 * Triggers that refuse every UPDATE of a table, and every DELETE beyond an id. On MySQL and MariaDB they ask for the
 * right TRIGGER, with binary logging on MySQL also for `log_bin_trust_function_creators`.
 * @param until SQL of the highest id that may be removed at this moment
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

/** Of MySQL and MariaDB: no right TRIGGER; none of the global rights that binary logging asks for; MySQL's 1419. */
const NOT_ALLOWED = new Set([1142, 1227, 1419]);

/** Whether the server refused a statement because this account may not make triggers. */
export function mayNotMakeTriggers(error: unknown): boolean {
  return error instanceof Error && NOT_ALLOWED.has((error as { errno?: number }).errno ?? 0);
}
