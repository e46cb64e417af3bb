import type { Dialect, RawRow, Session, SqlValue } from '../driver.js';
import { appendOnlyTriggers, mayNotMakeTriggers } from './append-only.js';
import type { Column } from './column.js';
import type { Grammar } from './grammar.js';
import { mysqlGrammar } from './mysql-grammar.js';
import { sqliteGrammar } from './sqlite-grammar.js';
import { foreignKeyName, indexName, quote, uniqueName, type TableDefinition } from './table.js';

interface IndexOptions {
  unique?: boolean;
}

/**
 * Schema changes for migrations. Each step is skipped if it is already done: DDL is not transactional on MySQL and
 * MariaDB, so an interrupted migration runs again from its start.
 */
export class SchemaBuilder {
  private readonly grammar: Grammar;
  private stepNumber = 0;
  private stepName = 'before its first step';

  /** @param record collects the statements instead of running them (`--pretend`) */
  constructor(
    private readonly session: Session,
    readonly dialect: Dialect,
    private readonly record?: (sql: string) => unknown,
  ) {
    this.grammar = dialect === 'sqlite' ? sqliteGrammar : mysqlGrammar;
  }

  /** The current or last step, for error messages: `step 2 (create table portal_users)`. */
  get currentStep(): string {
    return this.stepNumber === 0 ? this.stepName : `step ${this.stepNumber} (${this.stepName})`;
  }

  async createTable(name: string, table: TableDefinition): Promise<void> {
    this.step(`create table ${name}`);
    await this.run(this.grammar.createTable(name, table));
  }

  async dropTable(name: string): Promise<void> {
    this.step(`drop table ${name}`);
    await this.run([`DROP TABLE IF EXISTS ${quote(name)}`]);
  }

  async addColumn(table: string, name: string, column: Column): Promise<void> {
    this.step(`add column ${table}.${name}`);
    if (await this.hasColumn(table, name)) return;
    await this.run(this.grammar.addColumn(table, name, column));
  }

  /** Drop the column's indexes first, or SQLite refuses. */
  async dropColumn(table: string, name: string): Promise<void> {
    this.step(`drop column ${table}.${name}`);
    if (!(await this.hasColumn(table, name))) return;
    const { findForeignKey } = this.grammar;
    const foreignKey =
      findForeignKey !== undefined && (await this.exists(findForeignKey, [table, foreignKeyName(table, name)]));
    await this.run(this.grammar.dropColumn(table, name, foreignKey));
  }

  async addIndex(table: string, columns: readonly string[], { unique = false }: IndexOptions = {}): Promise<void> {
    this.step(`add index on ${table} (${columns.join(', ')})`);
    if (await this.hasIndex(table, columns, unique)) return;
    await this.run(this.grammar.addIndex(table, columns, unique));
  }

  async dropIndex(table: string, columns: readonly string[], { unique = false }: IndexOptions = {}): Promise<void> {
    this.step(`drop index on ${table} (${columns.join(', ')})`);
    if (!(await this.hasIndex(table, columns, unique))) return;
    await this.run(this.grammar.dropIndex(table, columns, unique));
  }

  /**
   * Refuses UPDATE and DELETE of a table's rows by triggers. Continues without them where the server does not permit
   * triggers; `portal doctor` reports that.
   * @param until SQL of the highest id that may currently be deleted
   */
  async appendOnly(table: string, until: string): Promise<void> {
    this.step(`make ${table} append-only`);
    const { create, drop } = appendOnlyTriggers(this.dialect, table, until);
    try {
      await this.run([...drop, ...create]);
    } catch (error) {
      if (!mayNotMakeTriggers(error)) throw error;
    }
  }

  async dropAppendOnly(table: string): Promise<void> {
    this.step(`let ${table} be changed again`);
    try {
      await this.run(appendOnlyTriggers(this.dialect, table, '0').drop);
    } catch (error) {
      if (!mayNotMakeTriggers(error)) throw error;
    }
  }

  /** Any other statement. It must be repeatable. */
  async execute(sql: string, values: readonly SqlValue[] = []): Promise<void> {
    this.step('execute a statement');
    if (this.record) this.record(sql);
    else await this.session.execute(sql, values);
  }

  /** Reads rows for a data migration; none with `--pretend`, because the table may not exist yet. */
  async select(sql: string, values: readonly SqlValue[] = []): Promise<RawRow[]> {
    this.step('select rows');
    return this.record ? [] : this.session.select(sql, values);
  }

  hasTable(name: string): Promise<boolean> {
    return this.exists(this.grammar.findTable, [name]);
  }

  hasColumn(table: string, name: string): Promise<boolean> {
    return this.exists(this.grammar.findColumn, [table, name]);
  }

  private hasIndex(table: string, columns: readonly string[], unique: boolean): Promise<boolean> {
    const name = unique ? uniqueName(table, columns) : indexName(table, columns);
    return this.exists(this.grammar.findIndex, [table, name]);
  }

  private async exists(query: string, names: string[]): Promise<boolean> {
    return (await this.session.select(query, names)).length > 0;
  }

  private async run(statements: readonly string[]): Promise<void> {
    for (const sql of statements) {
      if (this.record) this.record(sql);
      else await this.session.execute(sql);
    }
  }

  private step(name: string): void {
    this.stepNumber += 1;
    this.stepName = name;
  }
}
