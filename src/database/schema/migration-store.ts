import type { Clock } from '../../core/index.js';
import { decodeRows } from '../decode.js';
import type { Dialect, RawRow, Session, SqlValue } from '../driver.js';
import { column } from './column.js';
import { SchemaBuilder } from './schema-builder.js';

export const MIGRATIONS_TABLE = 'portal_migrations';

export interface MigrationRecord {
  name: string;
  /** Number shared by the migrations of one run; a rollback without a count undoes the last batch. */
  batch: number;
  runAt: Date;
}

type Select = (sql: string, values?: readonly SqlValue[]) => Promise<RawRow[]>;

/** The table of applied migrations. */
export class MigrationStore {
  constructor(
    private readonly session: Session,
    private readonly dialect: Dialect,
    private readonly clock: Clock,
  ) {}

  async createTable(): Promise<void> {
    await new SchemaBuilder(this.session, this.dialect).createTable(MIGRATIONS_TABLE, {
      columns: { name: column.code(190), batch: column.integer(), run_at: column.datetime() },
      primaryKey: ['name'],
    });
  }

  async add(name: string, batch: number): Promise<void> {
    const sql = `INSERT INTO ${MIGRATIONS_TABLE} (name, batch, run_at) VALUES (?, ?, ?)`;
    await this.session.execute(sql, [name, batch, this.clock.now()]);
  }

  async remove(name: string): Promise<void> {
    await this.session.execute(`DELETE FROM ${MIGRATIONS_TABLE} WHERE name = ?`, [name]);
  }

  records(): Promise<MigrationRecord[]> {
    return readMigrationRecords((sql, values) => this.session.select(sql, values));
  }
}

/** Sorted by name, which is the order of execution. */
export async function readMigrationRecords(select: Select): Promise<MigrationRecord[]> {
  const rows = await select(`SELECT name, batch, run_at FROM ${MIGRATIONS_TABLE} ORDER BY name`);
  return decodeRows(rows, { run_at: 'date' }).map((row) => ({
    name: String(row.name),
    batch: Number(row.batch),
    runAt: row.run_at as Date,
  }));
}
