import type { Column } from './column.js';
import type { TableDefinition } from './table.js';

/** Generates the SQL of one dialect. Every method returns statements to run in order. */
export interface Grammar {
  createTable(name: string, table: TableDefinition): string[];
  addColumn(table: string, name: string, column: Column): string[];
  dropColumn(table: string, name: string, foreignKey: boolean): string[];
  addIndex(table: string, columns: readonly string[], unique: boolean): string[];
  dropIndex(table: string, columns: readonly string[], unique: boolean): string[];
  /** Query that returns a row `{found: 1}`; `?` is the name, preceded by the table if there is one. */
  readonly findTable: string;
  readonly findColumn: string;
  readonly findIndex: string;
  /** Absent where dropping a column also drops its foreign key. */
  readonly findForeignKey: string | undefined;
}
