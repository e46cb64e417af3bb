import { Umzug, type RunnableMigration } from 'umzug';
import { systemClock, type Clock } from '../kernel/index.js';
import type { Database } from './database.js';
import type { Session } from './driver.js';
import { MigrationError } from './errors.js';
import { mapDatabaseError } from './map-error.js';
import { MIGRATIONS_TABLE, MigrationStore, readMigrationRecords, type MigrationRecord } from './migration-store.js';
import { packageMigrations, type NamedMigration } from './package-migrations.js';
import { SchemaBuilder } from './schema/schema-builder.js';

export interface MigratorOptions {
  /** Migrations of the host and of modules. One with the name of a package's migration replaces it. */
  extra?: readonly NamedMigration[];
  /** Seconds to wait for another process that is migrating. */
  wait?: number;
  clock?: Clock;
}

export interface MigrationStatus {
  name: string;
  runAt: Date | null;
  batch: number | null;
  /** It ran once, but there is no file of that name any more. */
  missing: boolean;
}

export interface MigrationRun {
  name: string;
  /** What would run; filled while pretending only. */
  statements: string[];
}

interface RunOptions {
  /** Collects the SQL instead of running it. */
  pretend?: boolean;
  /** Told before each migration. */
  onStart?: (name: string) => void;
}

type Direction = 'up' | 'down';

/** Runs migrations in the order of their names, each once, whoever starts at the same time (R22). */
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

  /** Every migration known or recorded, by name. Changes nothing, takes no lock. */
  async status(): Promise<MigrationStatus[]> {
    const records = new Map((await this.recorded()).map((record) => [record.name, record]));
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
  async pending(): Promise<string[]> {
    return (await this.status()).filter(({ runAt }) => runAt === null).map(({ name }) => name);
  }

  /**
   * Runs what is pending.
   * @throws MigrationError naming the migration and its step; what ran before it stays
   * @throws DatabaseUnavailableError when another process keeps migrating
   */
  up(options: RunOptions = {}): Promise<MigrationRun[]> {
    return this.locked(async (session, store) => {
      const records = options.pretend ? await this.recorded() : await store.records();
      const batch = 1 + Math.max(0, ...records.map((record) => record.batch));
      return this.run(session, records, 'up', options, (name) => store.add(name, batch), {});
    }, options);
  }

  /** Undoes the last `steps` migrations, or those of the last batch. @throws as {@link up} */
  rollback({ steps, ...options }: RunOptions & { steps?: number | undefined } = {}): Promise<MigrationRun[]> {
    return this.locked(async (session, store) => {
      const records = options.pretend ? await this.recorded() : await store.records();
      const last = Math.max(0, ...records.map((record) => record.batch));
      const count = steps ?? records.filter((record) => record.batch === last).length;
      const undone = inOrderOfRun(records).slice(-count || records.length);
      this.assertKnown(undone);
      if (count === 0) return [];
      return this.run(session, inOrderOfRun(records), 'down', options, (name) => store.remove(name), { step: count });
    }, options);
  }

  private async run(
    session: Session,
    records: readonly MigrationRecord[],
    direction: Direction,
    { pretend = false, onStart }: RunOptions,
    remember: (name: string) => Promise<void>,
    range: { step?: number },
  ): Promise<MigrationRun[]> {
    const runs: MigrationRun[] = [];
    const perform = async (migration: NamedMigration) => {
      onStart?.(migration.name);
      const run: MigrationRun = { name: migration.name, statements: [] };
      const record = pretend ? (sql: string) => void run.statements.push(sql) : undefined;
      const schema = new SchemaBuilder(session, this.database.dialect, record);
      try {
        const { [direction]: change } = await migration.load();
        // The record belongs to the same unit as the change, which on SQLite is one transaction.
        await session.unit(async () => {
          await change(schema);
          if (!pretend) await remember(migration.name);
        });
      } catch (error) {
        throw new MigrationError(migration.name, direction, schema.currentStep, mapDatabaseError(error));
      }
      runs.push(run);
    };
    const umzug = this.createUmzug(records, perform);
    try {
      await (direction === 'up' ? umzug.up() : umzug.down({ step: range.step ?? 1 }));
    } catch (error) {
      throw error instanceof Error && error.cause instanceof MigrationError ? error.cause : error;
    }
    return runs;
  }

  private createUmzug(records: readonly MigrationRecord[], perform: (migration: NamedMigration) => Promise<void>) {
    const runnable = this.migrations.map((migration): RunnableMigration<object> => ({
      name: migration.name,
      up: () => perform(migration),
      down: () => perform(migration),
    }));
    return new Umzug({
      migrations: runnable,
      logger: undefined,
      storage: {
        executed: async () => records.map(({ name }) => name),
        // Recorded by `perform`, inside the unit of the change.
        logMigration: async () => undefined,
        unlogMigration: async () => undefined,
      },
    });
  }

  private assertKnown(records: readonly MigrationRecord[]): void {
    const known = new Set(this.migrations.map(({ name }) => name));
    const missing = records.find(({ name }) => !known.has(name));
    if (!missing) return;
    throw new MigrationError(
      missing.name,
      'down',
      'looking for its file',
      new Error('there is no migration of that name'),
    );
  }

  // Pretending reads only; it neither waits for a lock nor creates the table of records.
  private async locked<T>(
    work: (session: Session, store: MigrationStore) => Promise<T>,
    { pretend }: RunOptions,
  ): Promise<T> {
    const { driver, dialect } = this.database;
    const session = await opened(() => driver.openSession());
    const store = new MigrationStore(session, dialect, this.clock);
    try {
      if (pretend) return await work(session, store);
      const lock = await opened(() => driver.lockMigrations(session, this.wait));
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

  private async recorded(): Promise<MigrationRecord[]> {
    const { database } = this;
    const session: Pick<Session, 'select'> = { select: (sql, values) => database.select(sql, values) };
    const exists = await new SchemaBuilder(session as Session, database.dialect).hasTable(MIGRATIONS_TABLE);
    return exists ? readMigrationRecords((sql, values) => database.select(sql, values)) : [];
  }
}

function inOrderOfRun(records: readonly MigrationRecord[]): MigrationRecord[] {
  return [...records].sort((a, b) => a.batch - b.batch || (a.name < b.name ? -1 : 1));
}

async function opened<T>(open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    throw mapDatabaseError(error);
  }
}
