import type { Column, ColumnType, ColumnReference } from './column.js';
import type { Grammar } from './grammar.js';
import { indexName, quote, quoteList, uniqueName, type TableDefinition } from './table.js';

// The names matter: Sequelize chooses its value parser by them.
const TYPES: Readonly<Record<Exclude<ColumnType, 'string'>, string>> = {
  id: 'INTEGER',
  bigint: 'BIGINT',
  integer: 'INTEGER',
  boolean: 'TINYINT(1)',
  text: 'TEXT',
  mediumtext: 'TEXT',
  longtext: 'TEXT',
  mediumblob: 'BLOB',
  json: 'JSON',
  datetime: 'DATETIME(3)',
};

const LARGE: readonly ColumnType[] = ['mediumtext', 'longtext', 'mediumblob'];

export const sqliteGrammar: Grammar = {
  createTable(name, table) {
    const { columns, primaryKey, unique = [], indexes = [] } = table;
    const lines = Object.entries(columns).map(([columnName, column]) => columnLine(columnName, column));
    if (primaryKey) lines.push(`PRIMARY KEY (${quoteList(primaryKey)})`);
    return [
      `CREATE TABLE IF NOT EXISTS ${quote(name)} (\n  ${lines.join(',\n  ')}\n)${withoutRowId(table)}`,
      ...unique.flatMap((indexed) => sqliteGrammar.addIndex(name, indexed, true)),
      ...indexes.flatMap((indexed) => sqliteGrammar.addIndex(name, indexed, false)),
    ];
  },
  addColumn: (table, name, column) => [`ALTER TABLE ${quote(table)} ADD COLUMN ${columnLine(name, column)}`],
  dropColumn: (table, name) => [`ALTER TABLE ${quote(table)} DROP COLUMN ${quote(name)}`],
  addIndex(table, columns, unique) {
    const name = unique ? uniqueName(table, columns) : indexName(table, columns);
    const kind = unique ? 'UNIQUE INDEX' : 'INDEX';
    return [`CREATE ${kind} IF NOT EXISTS ${quote(name)} ON ${quote(table)} (${quoteList(columns)})`];
  },
  dropIndex(table, columns, unique) {
    return [`DROP INDEX IF EXISTS ${quote(unique ? uniqueName(table, columns) : indexName(table, columns))}`];
  },
  findTable: "SELECT 1 AS found FROM sqlite_master WHERE type = 'table' AND name = ?",
  findColumn: 'SELECT 1 AS found FROM pragma_table_xinfo(?) WHERE name = ?',
  findIndex: "SELECT 1 AS found FROM sqlite_master WHERE type = 'index' AND tbl_name = ? AND name = ?",
  findForeignKey: undefined,
};

// Stores a join table as its primary key, instead of as a table plus an index over all columns.
function withoutRowId({ columns, primaryKey }: TableDefinition): string {
  const large = Object.values(columns).some(({ type }) => LARGE.includes(type));
  return primaryKey && !large ? ' WITHOUT ROWID' : '';
}

function columnLine(name: string, column: Column): string {
  const type = column.type === 'string' ? `VARCHAR(${column.length})` : TYPES[column.type];
  if (column.type === 'id') return `${quote(name)} ${type} PRIMARY KEY AUTOINCREMENT`;
  const collation = column.collation === 'text' ? ' COLLATE NOCASE' : '';
  const fallback = column.default === undefined ? '' : ` DEFAULT ${literal(column.default)}`;
  const foreignKey = column.references ? ` ${referenceOf(column.references)}` : '';
  return `${quote(name)} ${type}${collation} ${column.nullable ? 'NULL' : 'NOT NULL'}${fallback}${foreignKey}`;
}

// RESTRICT becomes NO ACTION, which refuses just the same at the end of the statement: SQLite reports RESTRICT with the
// code of a trigger (1811), and only NO ACTION with that of a foreign key.
function referenceOf({ table, column, onDelete }: ColumnReference): string {
  const action = onDelete === 'restrict' ? 'NO ACTION' : onDelete.toUpperCase();
  return `REFERENCES ${quote(table)} (${quote(column)}) ON DELETE ${action}`;
}

function literal(value: string | number | boolean): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(Number(value));
}
