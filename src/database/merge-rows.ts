import type { Transaction } from 'sequelize';
import type { Database } from './database.js';
import type { Dialect, SqlValue } from './driver.js';
import { placeholders } from './placeholders.js';
import type { RecordTable, NewRowOf } from './record.js';
import type { Fields } from './record-field.js';

/** What becomes of a field where a row of the same primary key exists: the sum, the larger one, or the new value. */
export type Merge = 'add' | 'larger' | 'replace';

/** Keeps statements far below the limits on values. */
const ROWS_PER_STATEMENT = 200;

/**
 * Inserts rows, or merges them into those with the same primary key. Hand them over in the order of the key: concurrent
 * writers then wait for each other instead of deadlocking.
 * @param merge one entry for each field outside the key
 */
export async function mergeRows<C extends Fields>(
  database: Database,
  record: RecordTable<C>,
  rows: readonly NewRowOf<RecordTable<C>>[],
  merge: { readonly [K in keyof C & string]?: Merge },
  transaction: Transaction,
): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  const fields = Object.keys(first);
  const names = fields.map((field) => record.nameOf(field));
  const changes = Object.entries(merge).map(([field, how]) =>
    change(record.nameOf(field), how as Merge, database.dialect),
  );
  const end =
    database.dialect === 'sqlite'
      ? `ON CONFLICT (${record.keyColumns().join(', ')}) DO UPDATE SET ${changes.join(', ')}`
      : `ON DUPLICATE KEY UPDATE ${changes.join(', ')}`;
  for (let start = 0; start < rows.length; start += ROWS_PER_STATEMENT) {
    const part = rows.slice(start, start + ROWS_PER_STATEMENT);
    const places = part.map(() => `(${placeholders(names)})`).join(', ');
    const values = part.flatMap((row) =>
      fields.map((field) => (row as Readonly<Record<string, SqlValue>>)[field] ?? null),
    );
    const sql = `INSERT INTO ${record.table} (${names.join(', ')}) VALUES ${places} ${end}`;
    await database.execute(sql, values, { transaction });
  }
}

function change(name: string, how: Merge, dialect: Dialect): string {
  const given = dialect === 'sqlite' ? `excluded.${name}` : `VALUES(${name})`;
  if (how === 'replace') return `${name} = ${given}`;
  if (how === 'add') return `${name} = ${name} + ${given}`;
  return `${name} = ${dialect === 'sqlite' ? 'MAX' : 'GREATEST'}(${name}, ${given})`;
}
