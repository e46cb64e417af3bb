import type { Column } from './column.js';
import type { TableDefinition } from './table.js';

/** Writes the statements of one dialect. Every method returns statements to run in this order. */
export interface Grammar {
  createTable(name: string, table: TableDefinition): string[];
  addColumn(table: string, name: string, column: Column): string[];
  dropColumn(table: string, name: string, foreignKey: boolean): string[];
  addIndex(table: string, columns: readonly string[], unique: boolean): string[];
  dropIndex(table: string, columns: readonly string[], unique: boolean): string[];
  /** A query for rows `{found: 1}`; `?` is the name looked for, preceded by the table where there is one. */
  readonly findTable: string;
  readonly findColumn: string;
  readonly findIndex: string;
  /** Absent where dropping a column takes its foreign key along. */
  readonly findForeignKey: string | undefined;
}
