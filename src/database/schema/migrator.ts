import { systemClock, type Clock } from '../../core/index.js';
import type { Database } from '../database.js';
import type { Session } from '../driver.js';
import { MigrationError } from '../errors.js';
import { mapDatabaseError } from '../error-mapping.js';
import { MIGRATIONS_TABLE, MigrationStore, readMigrationRecords, type MigrationRecord } from './migration-store.js';
import { packageMigrations, type NamedMigration } from './package-migrations.js';
import { SchemaBuilder } from './schema-builder.js';

export interface MigratorOptions {
  /** Migrations of the host and of modules. One that has the name of a package's migration replaces it. */
  extra?: readonly NamedMigration[];
  /** Seconds to wait for another process that runs migrations. */
  wait?: number;
  clock?: Clock;
}

export interface MigrationStatus {
  name: string;
  runAt: Date | null;
  batch: number | null;
  /** It was applied, but its file no longer exists. */
  missing: boolean;
}

export interface MigrationRun {
  name: string;
  /** The SQL that would run; only with `pretend`. */
  statements: string[];
}

interface RunOptions {
  /** Collects the SQL instead of running it. */
  pretend?: boolean;
  /** Called before each migration. */
  onStart?: (name: string) => void;
}

interface Walk extends RunOptions {
  /** In order of execution. */
  due: readonly NamedMigration[];
  /** Batch number of this run, recorded with each migration. */
  batch: number;
  direction: 'up' | 'down';
}

/** Runs migrations in order of their names, each once, even with concurrent starts (R22). */
export class Migrator {
  private readonly migrations: readonly NamedMigration[];
  private readonly wait: number;
  private readonly clock: Clock;

  constructor(
    private readonly database: Database,
    { extra = [], wait = 60, clock = systemClock }: MigratorOptions = {},
  ) {
    const byName = new Map([...packageMigrations(), ...extra].map((migration) => [migration.name, migration]));
    this.migrations = [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    this.wait = wait;
    this.clock = clock;
  }

  /** Every known or recorded migration, by name. Changes nothing, takes no lock. */
  async status(): Promise<MigrationStatus[]> {
    const records = new Map((await this.readRecords()).map((record) => [record.name, record]));
    const known = new Set(this.migrations.map(({ name }) => name));
    const names = [...new Set([...known, ...records.keys()])].sort();
    return names.map((name) => ({
      name,
      runAt: records.get(name)?.runAt ?? null,
      batch: records.get(name)?.batch ?? null,
      missing: !known.has(name),
    }));
  }

  /** Names of the migrations that have not run. */
  async findPending(): Promise<string[]> {
    return (await this.status()).filter(({ runAt }) => runAt === null).map(({ name }) => name);
  }

  /**
   * Runs pending migrations.
   * @throws MigrationError naming the migration and its step; earlier migrations stay applied
   * @throws DatabaseUnavailableError when another process holds the migration lock
   */
  up(options: RunOptions = {}): Promise<MigrationRun[]> {
    return this.withLock(async (session, store) => {
      const records = options.pretend ? await this.readRecords() : await store.records();
      const done = new Set(records.map(({ name }) => name));
      const due = this.migrations.filter(({ name }) => !done.has(name));
      return this.run(session, store, { due, batch: findLastBatch(records) + 1, direction: 'up', ...options });
    }, options);
  }

  /** Undoes the last `steps` migrations, or those of the last batch. @throws as {@link up} */
  rollback({ steps, ...options }: RunOptions & { steps?: number | undefined } = {}): Promise<MigrationRun[]> {
    return this.withLock(async (session, store) => {
      const records = options.pretend ? await this.readRecords() : await store.records();
      const latestFirst = [...records].sort((a, b) => b.batch - a.batch || (a.name < b.name ? 1 : -1));
      const last = findLastBatch(records);
      const undone =
        steps === undefined ? latestFirst.filter(({ batch }) => batch === last) : latestFirst.slice(0, steps);
      return this.run(session, store, { due: this.filesOf(undone), batch: last, direction: 'down', ...options });
    }, options);
  }

  private async run(
    session: Session,
    store: Pick<MigrationStore, 'add' | 'remove'>,
    { due, batch, direction, pretend = false, onStart }: Walk,
  ): Promise<MigrationRun[]> {
    // Loads all files first: an unreadable one stops the run before anything changes.
    const changes = await Promise.all(due.map(async ({ name, load }) => ({ name, migration: await load() })));
    const runs: MigrationRun[] = [];
    for (const { name, migration } of changes) {
      onStart?.(name);
      const statements: string[] = [];
      const collect = pretend ? (sql: string) => statements.push(sql) : undefined;
      const schema = new SchemaBuilder(session, this.database.dialect, collect);
      try {
        // Recorded in the same unit as the change, which on SQLite is one transaction.
        const change = () => migration[direction](schema);
        const remember = () => (direction === 'up' ? store.add(name, batch) : store.remove(name));
        await (pretend ? change() : session.unit(() => change().then(remember)));
      } catch (error) {
        throw new MigrationError(name, direction, schema.currentStep, mapDatabaseError(error));
      }
      runs.push({ name, statements });
    }
    return runs;
  }

  private filesOf(records: readonly MigrationRecord[]): NamedMigration[] {
    const known = new Map(this.migrations.map((migration) => [migration.name, migration]));
    return records.map(({ name }) => {
      const migration = known.get(name);
      if (migration) return migration;
      const cause = new Error('there is no migration of that name any more; bring its file back to undo it');
      throw new MigrationError(name, 'down', 'looking for its file', cause);
    });
  }

  // `pretend` only reads; it neither takes the lock nor creates the table of records.
  private async withLock<T>(
    work: (session: Session, store: MigrationStore) => Promise<T>,
    { pretend }: RunOptions,
  ): Promise<T> {
    const { driver, dialect } = this.database;
    const session = await openOrExplain(() => driver.openSession());
    const store = new MigrationStore(session, dialect, this.clock);
    try {
      if (pretend) return await work(session, store);
      const lock = await openOrExplain(() => driver.lockMigrations(session, this.wait));
      try {
        await store.createTable();
        return await work(session, store);
      } finally {
        await lock.release();
      }
    } finally {
      await session.close();
    }
  }

  private async readRecords(): Promise<MigrationRecord[]> {
    const { database } = this;
    const session: Pick<Session, 'select'> = { select: (sql, values) => database.select(sql, values) };
    const exists = await new SchemaBuilder(session as Session, database.dialect).hasTable(MIGRATIONS_TABLE);
    return exists ? readMigrationRecords((sql, values) => database.select(sql, values)) : [];
  }
}

function findLastBatch(records: readonly MigrationRecord[]): number {
  return Math.max(0, ...records.map(({ batch }) => batch));
}

async function openOrExplain<T>(open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    throw mapDatabaseError(error);
  }
}
