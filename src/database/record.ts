import {
  literal,
  Op,
  type Model,
  type ModelAttributes,
  type ModelStatic,
  type Transaction,
  type WhereOptions,
} from 'sequelize';
import { NotFoundError, ValidationError } from '../core/index.js';
import type { Database } from './database.js';
import type { Decode } from './decode.js';
import type { SqlValue } from './driver.js';
import { UniqueViolationError } from './errors.js';
import type { ListColumn, ListDefinition } from './listing/list.js';
import { allOf, anyOf, sqlOf, type SqlCondition, type Where } from './record-condition.js';
import {
  attributeOf,
  FromRow,
  type ChangedValues,
  type Fields,
  type FieldSettings,
  type NewValues,
  type ShownRow,
  snakeCase,
  type Values,
} from './record-field.js';

/** The values for an insert into a {@link RecordTable}. */
export type NewRowOf<R> = R extends RecordTable<infer C> ? NewValues<C> : never;
/** The record type of a {@link RecordTable}: the shown fields of a row. */
export type RowOf<R> = R extends RecordTable<infer C> ? ShownRow<C> : never;

/** SQL over the alias of a record, such as who may see a row. */
interface Restriction {
  readonly where: string;
  readonly values: readonly SqlValue[];
}

interface CountOptions {
  readonly transaction?: Transaction | undefined;
  /** A condition that must hold besides. */
  readonly and?: Restriction;
}

interface ReadOptions<Only, Extra> extends CountOptions {
  /** Locks the rows until the transaction ends. */
  readonly lock?: boolean;
  /** The columns to read, where not the whole record. */
  readonly only?: readonly Only[];
  /** Hidden columns to read too. */
  readonly with?: readonly Extra[];
  /** SQL using the record's alias. */
  readonly order?: string;
  readonly limit?: number;
}

type Shown<C extends Fields> = keyof ShownRow<C> & string;
type Found<C extends Fields, Only extends keyof C, Extra extends keyof C> = Readonly<Pick<Values<C>, Only | Extra>>;

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
  private readonly shown: string;
  /** Shown field → SQL using the alias. */
  readonly columns: Readonly<Record<keyof ShownRow<C> & string, string>>;
  /** Each {@link Database} gets its own model class, so that two portals in one process never share a connection. */
  readonly model: (database: Database) => ModelStatic<Model<Values<C>, NewValues<C>>>;

  constructor(private readonly definition: RecordDefinition<C>) {
    const { name, table, alias, fields } = definition;
    this.table = table;
    this.alias = alias;
    this.columns = this.qualify(alias);
    this.shown = selectList(this.columns);
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

  async find<Only extends keyof C & string = Shown<C>, Extra extends keyof C & string = never>(
    database: Database,
    where: Where<C>,
    options: ReadOptions<Only, Extra> = {},
  ): Promise<Found<C, Only, Extra> | null> {
    const [row] = await this.findAll(database, where, options);
    return row ?? null;
  }

  /** @throws NotFoundError */
  async require<Only extends keyof C & string = Shown<C>, Extra extends keyof C & string = never>(
    database: Database,
    where: Where<C>,
    options: ReadOptions<Only, Extra> = {},
  ): Promise<Found<C, Only, Extra>> {
    const row = await this.find(database, where, options);
    if (!row) throw new NotFoundError();
    return row;
  }

  async findAll<Only extends keyof C & string = Shown<C>, Extra extends keyof C & string = never>(
    database: Database,
    where: Where<C>,
    { transaction, and, lock = false, only, with: extra = [], order, limit }: ReadOptions<Only, Extra> = {},
  ): Promise<Found<C, Only, Extra>[]> {
    // SQL has no empty list.
    if (Object.values(where).some((value) => Array.isArray(value) && value.length === 0)) return [];
    const { sql, values } = this.condition(where, and);
    const columns = [...(only ? [] : [this.shown]), ...[...(only ?? []), ...extra].map((name) => this.selectOne(name))];
    return database.select(
      `SELECT ${columns.join(', ')} FROM ${this.table} ${this.alias} ${sql}
       ${order ? `ORDER BY ${order}` : ''} ${limit === undefined ? '' : `LIMIT ${limit}`} ${lock ? database.forUpdate : ''}`,
      values,
      { decode: this.decode, transaction },
    );
  }

  async has(database: Database, where: Where<C>, transaction?: Transaction): Promise<boolean> {
    const { sql, values } = this.condition(where);
    const rows = await database.select(`SELECT 1 FROM ${this.table} ${this.alias} ${sql} LIMIT 1`, values, {
      transaction,
    });
    return rows.length > 0;
  }

  async count(database: Database, where: Where<C>, transaction?: Transaction): Promise<number> {
    const { sql, values } = this.condition(where);
    const [row] = await database.select<{ total: number }>(
      `SELECT COUNT(*) AS total FROM ${this.table} ${this.alias} ${sql}`,
      values,
      { transaction },
    );
    return Number(row?.total);
  }

  /** How many rows there are for each value of a field; a value without rows is absent. */
  async countBy<Name extends keyof C & string>(
    database: Database,
    field: Name,
    where: Where<C>,
    { transaction, and }: CountOptions = {},
  ): Promise<ReadonlyMap<C[Name]['value'], number>> {
    const { sql, values } = this.condition(where, and);
    const rows = await database.select<{ value: C[Name]['value']; total: number }>(
      `SELECT ${this.alias}.${this.nameOf(field)} AS value, COUNT(*) AS total FROM ${this.table} ${this.alias} ${sql}
       GROUP BY 1`,
      values,
      { transaction },
    );
    return new Map(rows.map(({ value, total }) => [value, Number(total)]));
  }

  /** @returns the id of the new row. @throws ValidationError for a value that is already taken */
  async insert(database: Database, values: NewValues<C>, transaction?: Transaction): Promise<number> {
    const row = await this.runWrite(database, transaction, (options) =>
      this.model(database).create(values as never, options),
    );
    return Number(row.get('id'));
  }

  /** @throws as {@link insert} */
  async insertAll(database: Database, rows: readonly NewValues<C>[], transaction?: Transaction): Promise<void> {
    if (rows.length === 0) return;
    await this.runWrite(database, transaction, (options) => this.model(database).bulkCreate(rows as never, options));
  }

  /** One statement, so its conditions decide between concurrent calls. @returns how many rows matched. @throws as {@link insert} */
  async update(
    database: Database,
    where: Where<C>,
    values: ChangedValues<C>,
    transaction?: Transaction,
  ): Promise<number> {
    const changed = Object.entries(values).map(([field, value]) => [field, this.resolve(value)] as const);
    const [matched] = await this.runWrite(database, transaction, (options) =>
      this.model(database).update(Object.fromEntries(changed) as never, {
        where: where as WhereOptions<Values<C>>,
        ...options,
      }),
    );
    return matched;
  }

  /** @returns how many rows there were */
  remove(database: Database, where: Where<C>, transaction?: Transaction): Promise<number> {
    return this.runWrite(database, transaction, (options) =>
      this.model(database).destroy({ where: where as WhereOptions<Values<C>>, ...options }),
    );
  }

  /** Names of the primary key's columns. */
  keyColumns(): string[] {
    const { fields } = this.definition;
    return Object.keys(fields).flatMap((field) => (this.settingsOf(field).isKey ? this.nameOf(field) : []));
  }

  private async runWrite<T>(
    database: Database,
    transaction: Transaction | undefined,
    run: (options: WriteOptions) => Promise<T>,
  ): Promise<T> {
    try {
      // Values are typed and checked already; Sequelize's validation would build an instance per update.
      return await database.write((own) => run({ validate: false, hooks: false, ...pass(own) }), transaction);
    } catch (error) {
      throw this.definition.refusal?.(error) ?? this.describeTaken(error) ?? error;
    }
  }

  private resolve(value: unknown): unknown {
    if (!(value instanceof FromRow)) return value;
    const name = this.nameOf(value.field);
    return literal(value.plus === 0 ? name : `${name} + ${value.plus}`);
  }

  private describeTaken(error: unknown): ValidationError | undefined {
    const { noun, fields } = this.definition;
    if (noun === undefined || !(error instanceof UniqueViolationError)) return undefined;
    const unique = Object.keys(fields).filter((name) => this.settingsOf(name).isUnique && name !== 'id');
    const taken = unique.find((name) => error.columns.includes(this.nameOf(name))) ?? unique[0] ?? 'id';
    const errors = { [snakeCase(taken)]: [`This value is already taken by another ${noun}.`] };
    return new ValidationError(errors, { cause: error });
  }

  private condition(where: Where<C>, and?: Restriction): SqlCondition {
    const terms = [...this.terms(where), ...(and ? [{ sql: and.where, values: and.values }] : [])];
    if (terms.length === 0) return { sql: '', values: [] };
    const { sql, values } = allOf(terms);
    return { sql: `WHERE ${sql}`, values };
  }

  private terms(where: Where<C>): SqlCondition[] {
    const terms = Object.entries<unknown>(where).map(([field, condition]) =>
      sqlOf(`${this.alias}.${this.nameOf(field)}`, condition),
    );
    const choices = where[Op.or];
    if (!choices) return terms;
    const { sql, values } = anyOf(choices.map((choice) => allOf(this.terms(choice))));
    return [...terms, { sql: `(${sql})`, values }];
  }

  private selectOne(field: string): string {
    return `${this.alias}.${this.nameOf(field)} AS \`${field}\``;
  }

  private settingsOf(field: string): FieldSettings {
    const found = this.definition.fields[field];
    if (!found) throw new Error(`${this.table} has no ${field}`);
    return found.settings;
  }

  /** Name of the column of a field. */
  nameOf(field: string): string {
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

function selectList(fields: Readonly<Record<string, string>>): string {
  return Object.entries(fields)
    .map(([name, sql]) => `${sql} AS \`${name}\``)
    .join(', ');
}
