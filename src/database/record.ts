import type { Model, ModelAttributes, ModelStatic, Transaction, WhereOptions } from 'sequelize';
import { NotFoundError, ValidationError } from '../core/index.js';
import type { Database } from './database.js';
import type { Decode } from './decode.js';
import type { SqlValue } from './driver.js';
import { UniqueViolationError } from './errors.js';
import type { ListColumn, ListDefinition } from './listing/list.js';
import { placeholders } from './placeholders.js';
import type { ChangedValues, Fields, FieldSettings, NewValues, ShownRow, Values } from './record-field.js';

/** Equality conditions; an array means IN. */
type Where<C extends Fields> = { readonly [K in keyof C]?: C[K]['value'] | readonly C[K]['value'][] };

/** The values for an insert into a {@link RecordTable}. */
export type NewRowOf<R> = R extends RecordTable<infer C> ? NewValues<C> : never;
/** The record type of a {@link RecordTable}: the shown fields of a row. */
export type RowOf<R> = R extends RecordTable<infer C> ? ShownRow<C> : never;

interface ReadOptions<Extra> {
  readonly transaction?: Transaction | undefined;
  /** Locks the rows until the transaction ends. */
  readonly lock?: boolean;
  /** Hidden columns to read too. */
  readonly with?: readonly Extra[];
  /** SQL using the record's alias. */
  readonly order?: string;
}

interface RecordDefinition<C extends Fields> {
  /** Name of the model. */
  readonly name: string;
  readonly table: string;
  /** Alias of the table in all SQL of the record and its lists. */
  readonly alias: string;
  readonly fields: C;
  /** Name for people, used in the error for a value that is already taken. */
  readonly noun?: string;
  /** The public error for a failed write; undefined to keep the original. */
  readonly refusal?: (error: unknown) => Error | undefined;
}

interface RecordList<Name> extends Pick<ListDefinition, 'name' | 'relations'> {
  readonly sorts: readonly Name[];
  /** Sorts whose column differs from their name. */
  readonly moreSorts?: Readonly<Record<string, ListColumn>>;
  /** Same as `sorts` by default. */
  readonly filters?: readonly Name[];
  readonly moreFilters?: Readonly<Record<string, ListColumn>>;
  readonly search?: readonly Name[];
}

/**
 * A kind of record, declared once: model, row type, selection, decoding and list options all derive from the same
 * fields. Reads use the fast path, writes the model (docs/decisions/raw-fast-path.md).
 */
export class RecordTable<C extends Fields> {
  readonly table: string;
  readonly alias: string;
  readonly decode: Decode;
  /** Shown field → SQL using the alias. */
  readonly columns: Readonly<Record<keyof ShownRow<C> & string, string>>;
  /** Each {@link Database} gets its own model class, so that two portals in one process never share a connection. */
  readonly model: (database: Database) => ModelStatic<Model<Values<C>, NewValues<C>>>;

  constructor(private readonly definition: RecordDefinition<C>) {
    const { name, table, alias, fields } = definition;
    this.table = table;
    this.alias = alias;
    this.columns = this.qualify(alias);
    const decoders = Object.entries(fields).flatMap(([field, { settings }]) =>
      settings.decoder ? [[field, settings.decoder] as const] : [],
    );
    this.decode = Object.fromEntries(decoders);
    const attributes = Object.entries(fields).map(([field, { settings }]) => [field, attributeOf(field, settings)]);
    this.model = ({ sequelize }) => {
      if (!sequelize.isDefined(name)) {
        const options = { tableName: table, underscored: true, timestamps: false };
        sequelize.define(name, Object.fromEntries(attributes) as ModelAttributes, options);
      }
      return sequelize.model(name);
    };
  }

  /** {@link columns} for another alias. */
  qualify(alias: string): Readonly<Record<keyof ShownRow<C> & string, string>> {
    const shown = Object.entries(this.definition.fields).filter(([, { settings }]) => !settings.isHidden);
    return Object.fromEntries(shown.map(([field]) => [field, `${alias}.${this.nameOf(field)}`])) as never;
  }

  /** The shown columns for a SELECT; decode with {@link decode}. */
  select(alias = this.alias): string {
    return selectList(this.qualify(alias));
  }

  /** A column as a list definition needs it. */
  describeColumn(field: keyof C & string): ListColumn {
    const { listed, isNullable, isUnique, isKey } = this.settingsOf(field);
    if (!listed) throw new Error(`no list sorts or filters ${this.table} by ${field}`);
    return {
      column: `${this.alias}.${this.nameOf(field)}`,
      type: listed,
      ...(isNullable && { nullable: true }),
      ...(isUnique && !isKey && { unique: true }),
    };
  }

  /** Defines a list of the record; names of sorts and filters are in snake_case. */
  list({ sorts, moreSorts, filters = sorts, moreFilters, search = [], ...rest }: RecordList<keyof C & string>) {
    const { table, alias, columns, decode } = this;
    const describe = (names: readonly (keyof C & string)[]) =>
      Object.fromEntries(names.map((field) => [snakeCase(field), this.describeColumn(field)]));
    return {
      ...{ table, alias, columns, decode, ...rest },
      sorts: { ...describe(sorts), ...moreSorts },
      filters: { ...describe(filters), ...moreFilters },
      search: search.map((field) => `${alias}.${this.nameOf(field)}`),
    } satisfies ListDefinition;
  }

  async find<Extra extends keyof C & string = never>(
    database: Database,
    where: Where<C>,
    options: ReadOptions<Extra> = {},
  ): Promise<(ShownRow<C> & Pick<Values<C>, Extra>) | null> {
    const [row] = await this.findAll(database, where, options);
    return row ?? null;
  }

  /** @throws NotFoundError */
  async require<Extra extends keyof C & string = never>(
    database: Database,
    where: Where<C>,
    options: ReadOptions<Extra> = {},
  ): Promise<ShownRow<C> & Pick<Values<C>, Extra>> {
    const row = await this.find(database, where, options);
    if (!row) throw new NotFoundError();
    return row;
  }

  async findAll<Extra extends keyof C & string = never>(
    database: Database,
    where: Where<C>,
    { transaction, lock = false, with: extra = [], order }: ReadOptions<Extra> = {},
  ): Promise<(ShownRow<C> & Pick<Values<C>, Extra>)[]> {
    // SQL has no empty list.
    if (Object.values(where).some((value) => Array.isArray(value) && value.length === 0)) return [];
    const { alias, table, decode } = this;
    const hidden = extra.map((name) => [name, `${alias}.${this.nameOf(name)}`] as const);
    const { sql, values } = this.condition(where);
    return database.select(
      `SELECT ${selectList({ ...this.columns, ...Object.fromEntries<string>(hidden) })} FROM ${table} ${alias} ${sql}
       ${order ? `ORDER BY ${order}` : ''} ${lock ? database.forUpdate : ''}`,
      values,
      { decode, transaction },
    );
  }

  async has(database: Database, where: Where<C>, transaction?: Transaction): Promise<boolean> {
    const { sql, values } = this.condition(where);
    const rows = await database.select(`SELECT 1 FROM ${this.table} ${this.alias} ${sql} LIMIT 1`, values, {
      transaction,
    });
    return rows.length > 0;
  }

  count(database: Database, where: Where<C>, transaction?: Transaction): Promise<number> {
    return this.model(database).count({ where: where as WhereOptions<Values<C>>, ...pass(transaction) });
  }

  /** @returns the id of the new row. @throws ValidationError for a value that is already taken */
  async insert(database: Database, values: NewValues<C>, transaction?: Transaction): Promise<number> {
    const row = await this.runWrite(database, transaction, (options) =>
      this.model(database).create(values as never, options),
    );
    return Number(row.get('id'));
  }

  /** @returns how many rows matched. @throws as {@link insert} */
  async update(
    database: Database,
    where: WhereOptions<Values<C>>,
    values: ChangedValues<C>,
    transaction?: Transaction,
  ): Promise<number> {
    const [matched] = await this.runWrite(database, transaction, (options) =>
      this.model(database).update(values as never, { where, ...options }),
    );
    return matched;
  }

  /** @returns how many rows there were */
  remove(database: Database, where: WhereOptions<Values<C>>, transaction?: Transaction): Promise<number> {
    return this.runWrite(database, transaction, (options) => this.model(database).destroy({ where, ...options }));
  }

  private async runWrite<T>(
    database: Database,
    transaction: Transaction | undefined,
    run: (options: WriteOptions) => Promise<T>,
  ): Promise<T> {
    try {
      // Values are typed and checked already; Sequelize's validation would build an instance per update.
      return await database.write(() => run({ validate: false, hooks: false, ...pass(transaction) }), transaction);
    } catch (error) {
      throw this.definition.refusal?.(error) ?? this.describeTaken(error) ?? error;
    }
  }

  private describeTaken(error: unknown): ValidationError | undefined {
    const { noun, fields } = this.definition;
    if (noun === undefined || !(error instanceof UniqueViolationError)) return undefined;
    const unique = Object.keys(fields).filter((name) => this.settingsOf(name).isUnique && name !== 'id');
    const taken = unique.find((name) => error.columns.includes(this.nameOf(name))) ?? unique[0] ?? 'id';
    const errors = { [snakeCase(taken)]: [`This value is already taken by another ${noun}.`] };
    return new ValidationError(errors, { cause: error });
  }

  private condition(where: Where<C>): { readonly sql: string; readonly values: readonly SqlValue[] } {
    const entries = Object.entries(where as Readonly<Record<string, SqlValue | readonly SqlValue[]>>);
    if (entries.length === 0) return { sql: '', values: [] };
    const terms = entries.map(([field, value]) => {
      const name = `${this.alias}.${this.nameOf(field)}`;
      if (value === null) return { sql: `${name} IS NULL`, values: [] };
      if (!isList(value)) return { sql: `${name} = ?`, values: [value] };
      return { sql: `${name} IN (${placeholders(value)})`, values: value };
    });
    return { sql: `WHERE ${terms.map(({ sql }) => sql).join(' AND ')}`, values: terms.flatMap(({ values }) => values) };
  }

  private settingsOf(field: string): FieldSettings {
    const found = this.definition.fields[field];
    if (!found) throw new Error(`${this.table} has no ${field}`);
    return found.settings;
  }

  private nameOf(field: string): string {
    return this.settingsOf(field).name ?? snakeCase(field);
  }
}

export function defineRecord<const C extends Fields>(definition: RecordDefinition<C>): RecordTable<C> {
  return new RecordTable(definition);
}

interface WriteOptions {
  readonly validate: false;
  readonly hooks: false;
  readonly transaction?: Transaction;
}

function pass(transaction: Transaction | undefined): { readonly transaction?: Transaction } {
  return transaction ? { transaction } : {};
}

function isList(value: SqlValue | readonly SqlValue[]): value is readonly SqlValue[] {
  return Array.isArray(value);
}

function attributeOf(field: string, { type, name, isKey, isNumbered, standard }: FieldSettings) {
  return {
    type,
    field: name ?? snakeCase(field),
    ...(isKey && { primaryKey: true }),
    ...(isNumbered && { autoIncrement: true }),
    ...(standard !== undefined && { defaultValue: standard }),
  };
}

function selectList(fields: Readonly<Record<string, string>>): string {
  return Object.entries(fields)
    .map(([name, sql]) => `${sql} AS \`${name}\``)
    .join(', ');
}

function snakeCase(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
