import type { Connection, QueryError, QueryOptions } from 'mysql2';
import type { SqlValue } from '../driver.js';

/** mysql2 reads it from a statement too; its types know it of connections only. */
type StatementOptions = QueryOptions & { dateStrings: boolean };

/**
 * The text protocol with values escaped by mysql2: one round trip, where a prepared statement costs two and a place in
 * the server's global limit. Dates stay text, and JSON by `jsonStrings` of the connection, as on SQLite; `decode` turns
 * them into values. Never with a `typeCast` function: it would be called for each field of each row.
 */
export function run(connection: Connection, sql: string, values: readonly SqlValue[]): Promise<unknown> {
  const options: StatementOptions = { sql, values: values as unknown[], typeCast: true, dateStrings: true };
  return new Promise((resolve, reject) => {
    connection.query(options, (error: QueryError | null, result) => (error ? reject(error) : resolve(result)));
  });
}
