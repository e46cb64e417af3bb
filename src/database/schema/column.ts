export type ColumnType =
  | 'id'
  | 'bigint'
  | 'integer'
  | 'boolean'
  | 'string'
  | 'text'
  | 'mediumtext'
  | 'longtext'
  | 'mediumblob'
  | 'json'
  | 'datetime';

/**
 * How text is compared. `text`: case-insensitive (SQLite: ASCII only; MySQL: accents ignored too). `exact`: byte by
 * byte (MySQL ignores trailing spaces, so callers look up only well-formed keys). No ASCII column for ids and hashes:
 * comparing one with other text is an error in MySQL (1267), which a client could provoke with any id in a path.
 */
export type Collation = 'text' | 'exact';

export type OnDelete = 'cascade' | 'restrict' | 'set null';

export interface ColumnReference {
  table: string;
  column: string;
  onDelete: OnDelete;
}

export interface ColumnOptions {
  /** Columns are NOT NULL unless this is true. */
  nullable?: boolean;
  default?: string | number | boolean;
  references?: ColumnReference;
}

export interface Column extends ColumnOptions {
  type: ColumnType;
  length?: number;
  collation?: Collation;
}

type ReferenceOptions = { onDelete: OnDelete; nullable?: boolean };

/** The column types for migrations; each maps to the right type on both dialects. */
export const column = {
  /** The primary key: a 64-bit number that only grows and is never reused. */
  id: (): Column => ({ type: 'id' }),
  bigint: (options: ColumnOptions = {}): Column => ({ type: 'bigint', ...options }),
  integer: (options: ColumnOptions = {}): Column => ({ type: 'integer', ...options }),
  boolean: (options: ColumnOptions = {}): Column => ({ type: 'boolean', ...options }),
  /** Text for people, up to `length` characters. */
  string: (length: number, options: ColumnOptions = {}): Column => ({
    type: 'string',
    length,
    collation: 'text',
    ...options,
  }),
  /** Text that is compared exactly: e-mail, slug, role name, status. */
  code: (length: number, options: ColumnOptions = {}): Column => ({
    type: 'string',
    length,
    collation: 'exact',
    ...options,
  }),
  /** A generated id or hash. */
  key: (length: number, options: ColumnOptions = {}): Column => column.code(length, options),
  /** Up to 64 kB. */
  text: (options: ColumnOptions = {}): Column => ({ type: 'text', collation: 'text', ...options }),
  /** Up to 16 MB. */
  mediumtext: (options: ColumnOptions = {}): Column => ({ type: 'mediumtext', collation: 'text', ...options }),
  /** Up to 4 GB. */
  longtext: (options: ColumnOptions = {}): Column => ({ type: 'longtext', collation: 'exact', ...options }),
  /** Binary data, up to 16 MB. */
  mediumblob: (options: ColumnOptions = {}): Column => ({ type: 'mediumblob', ...options }),
  json: (options: ColumnOptions = {}): Column => ({ type: 'json', ...options }),
  /** UTC with milliseconds. */
  datetime: (options: ColumnOptions = {}): Column => ({ type: 'datetime', ...options }),
  /** Foreign key to another table's id. */
  reference: (table: string, { onDelete, nullable = false }: ReferenceOptions): Column => ({
    type: 'bigint',
    nullable,
    references: { table, column: 'id', onDelete },
  }),
  /** `created_at` and `updated_at`. */
  timestamps: (): { created_at: Column; updated_at: Column } => ({
    created_at: { type: 'datetime' },
    updated_at: { type: 'datetime' },
  }),
};
