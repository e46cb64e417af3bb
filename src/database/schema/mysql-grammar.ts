import type { Collation, Column, ColumnType } from './column.js';
import type { Grammar } from './grammar.js';
import { foreignKeyName, indexName, quote, quoteList, uniqueName, type TableDefinition } from './table.js';

const TYPES: Readonly<Record<Exclude<ColumnType, 'string'>, string>> = {
  id: 'BIGINT',
  bigint: 'BIGINT',
  integer: 'INT',
  boolean: 'TINYINT(1)',
  text: 'TEXT',
  mediumtext: 'MEDIUMTEXT',
  longtext: 'LONGTEXT',
  mediumblob: 'MEDIUMBLOB',
  json: 'JSON',
  datetime: 'DATETIME(3)',
};

// Explicit on every column and table: the server's default may be latin1 (R35).
const COLLATIONS: Readonly<Record<Collation, string>> = {
  text: 'CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci',
  exact: 'CHARACTER SET utf8mb4 COLLATE utf8mb4_bin',
};

/** MySQL and MariaDB. Indexes and keys are part of CREATE TABLE, so that a table is created completely or not at all. */
export const mysqlGrammar: Grammar = {
  createTable(name, table) {
    const lines = [...columnLines(table), ...keyLines(name, table), ...writeForeignKeys(name, table)];
    const options = 'ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci ROW_FORMAT=DYNAMIC';
    return [`CREATE TABLE IF NOT EXISTS ${quote(name)} (\n  ${lines.join(',\n  ')}\n) ${options}`];
  },
  addColumn(table, name, column) {
    const foreignKey = column.references ? `, ADD ${writeForeignKey(table, name, column)}` : '';
    return [`ALTER TABLE ${quote(table)} ADD COLUMN ${columnLine(name, column)}${foreignKey}`];
  },
  dropColumn(table, name, foreignKey) {
    const key = foreignKey ? `DROP FOREIGN KEY ${quote(foreignKeyName(table, name))}, ` : '';
    return [`ALTER TABLE ${quote(table)} ${key}DROP COLUMN ${quote(name)}`];
  },
  addIndex: (table, columns, unique) => [`ALTER TABLE ${quote(table)} ADD ${indexLine(table, columns, unique)}`],
  dropIndex(table, columns, unique) {
    const name = unique ? uniqueName(table, columns) : indexName(table, columns);
    return [`ALTER TABLE ${quote(table)} DROP INDEX ${quote(name)}`];
  },
  findTable: 'SELECT 1 AS found FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = ?',
  findColumn:
    'SELECT 1 AS found FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = ? AND column_name = ?',
  findIndex:
    'SELECT 1 AS found FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name = ? AND index_name = ? LIMIT 1',
  findForeignKey:
    "SELECT 1 AS found FROM information_schema.table_constraints WHERE constraint_schema = DATABASE() AND table_name = ? AND constraint_name = ? AND constraint_type = 'FOREIGN KEY'",
};

function columnLines({ columns }: TableDefinition): string[] {
  return Object.entries(columns).map(([name, column]) => columnLine(name, column));
}

function columnLine(name: string, column: Column): string {
  const type = column.type === 'string' ? `VARCHAR(${column.length})` : TYPES[column.type];
  const collation = column.collation ? ` ${COLLATIONS[column.collation]}` : '';
  if (column.type === 'id') return `${quote(name)} ${type} NOT NULL AUTO_INCREMENT PRIMARY KEY`;
  const fallback = column.default === undefined ? '' : ` DEFAULT ${literal(column.default)}`;
  return `${quote(name)} ${type}${collation} ${column.nullable ? 'NULL' : 'NOT NULL'}${fallback}`;
}

function keyLines(name: string, { primaryKey, unique = [], indexes = [] }: TableDefinition): string[] {
  return [
    ...(primaryKey ? [`PRIMARY KEY (${quoteList(primaryKey)})`] : []),
    ...unique.map((columns) => indexLine(name, columns, true)),
    ...indexes.map((columns) => indexLine(name, columns, false)),
  ];
}

function indexLine(table: string, columns: readonly string[], unique: boolean): string {
  return unique
    ? `UNIQUE KEY ${quote(uniqueName(table, columns))} (${quoteList(columns)})`
    : `KEY ${quote(indexName(table, columns))} (${quoteList(columns)})`;
}

function writeForeignKeys(table: string, { columns }: TableDefinition): string[] {
  return Object.entries(columns).flatMap(([name, column]) =>
    column.references ? [writeForeignKey(table, name, column)] : [],
  );
}

function writeForeignKey(table: string, name: string, { references }: Column): string {
  if (!references) throw new Error(`the column ${name} refers to nothing`);
  const target = `${quote(references.table)} (${quote(references.column)})`;
  const action = references.onDelete.toUpperCase();
  return `CONSTRAINT ${quote(foreignKeyName(table, name))} FOREIGN KEY (${quote(name)}) REFERENCES ${target} ON DELETE ${action}`;
}

function literal(value: string | number | boolean): string {
  if (typeof value === 'string') return `'${value.replaceAll("'", "''").replaceAll('\\', '\\\\')}'`;
  return String(Number(value));
}
