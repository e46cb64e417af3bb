import type { Connection, QueryError, QueryOptions } from 'mysql2';
import type { SqlValue } from '../driver.js';

/** mysql2 accepts it per statement; its types allow it on connections only. */
type StatementOptions = QueryOptions & { dateStrings: boolean };

/**
 * Uses the text protocol with values escaped by mysql2: one round trip, where a prepared statement costs two and a slot
 * of the server's global limit. Dates stay text, and JSON too by the connection's `jsonStrings`, as on SQLite; `decode`
 * converts them. Never pass a `typeCast` function: it would be called for each field of each row.
 */
export function run(connection: Connection, sql: string, values: readonly SqlValue[]): Promise<unknown> {
  const options: StatementOptions = { sql, values: values as unknown[], typeCast: true, dateStrings: true };
  return new Promise((resolve, reject) => {
    connection.query(options, (error: QueryError | null, result) => (error ? reject(error) : resolve(result)));
  });
}
