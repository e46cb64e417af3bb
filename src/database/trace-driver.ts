import type { SpanFacts, Step, Tracer } from '../core/index.js';
import type { Dialect, Driver } from './driver.js';

const OPERATION = /^\s*(\w+)/;
const TABLE = /\b(?:FROM|INTO|UPDATE|TABLE)\s+[`"]?([A-Za-z_]\w{0,63})/;
/**
 * String literals in SQL; backslash escapes on MySQL only. An unterminated literal extends to the end, so that nothing
 * of it is traced and matching stays linear.
 */
const LITERALS = {
  mysql: /'(?:[^'\\]|\\[^]|'')*(?:'|\\?$)|"(?:[^"\\]|\\[^]|"")*(?:"|\\?$)/g,
  sqlite: /'(?:[^']|'')*(?:'|$)/g,
} as const;
const LONGEST_TEXT = 2_000;

/** The operation and its table, without any values. */
export function describeStatement(dialect: Dialect, sql: string): Step & { readonly facts: SpanFacts } {
  const operation = OPERATION.exec(sql)?.[1]?.toUpperCase() ?? 'SQL';
  const table = TABLE.exec(sql)?.[1];
  const name = table === undefined ? operation : `${operation} ${table}`;
  const facts = { 'db.system.name': dialect, 'db.operation.name': operation, 'db.query.summary': name };
  return { name, kind: 'client', facts: { ...facts, ...(table && { 'db.collection.name': table }) } };
}

/** Wraps a driver with a span for each statement. Values are never part of one (S69). */
export function traceDriver(driver: Driver, tracer: Tracer): Driver {
  const { dialect, sequelizeOptions, reader } = driver;
  const trace = <T>(sql: string, run: () => Promise<T>): Promise<T> => {
    const { facts, ...step } = describeStatement(dialect, sql);
    const text = sql.replace(LITERALS[dialect], '?').slice(0, LONGEST_TEXT);
    return tracer.step({ ...step, facts: { ...facts, 'db.query.text': text } }, run);
  };
  return {
    ...{ dialect, sequelizeOptions },
    ...(reader && {
      reader: {
        takes: (sql) => reader.takes(sql),
        select: (sql, values) => trace(sql, () => reader.select(sql, values)),
      },
    }),
    select: (connection, sql, values) => trace(sql, () => driver.select(connection, sql, values)),
    execute: (connection, sql, values) => trace(sql, () => driver.execute(connection, sql, values)),
    begin: (connection) => trace('BEGIN', () => driver.begin(connection)),
    commit: (connection) => trace('COMMIT', () => driver.commit(connection)),
    rollback: (connection) => trace('ROLLBACK', () => driver.rollback(connection)),
    discard: (connection) => driver.discard(connection),
    openSession: () => driver.openSession(),
    lockMigrations: (session, wait) => driver.lockMigrations(session, wait),
    close: () => driver.close(),
  };
}
