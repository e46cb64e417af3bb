import type { Transaction } from 'sequelize';
import {
  changesOf,
  nextVersion,
  requireVersion,
  type Changes,
  type Clock,
  type EventBus,
  type ExpectedVersion,
  type PortalEvent,
} from '../core/index.js';
import type { Database } from './database.js';
import type { Fields, ShownRow, Values } from './record-field.js';
import type { RecordTable } from './record.js';

/** A record that can be changed: with an id, and `updatedAt` as its version. */
interface Versioned {
  readonly id: number;
  readonly updatedAt: Date;
}

interface ChangeParts {
  readonly database: Database;
  readonly events: EventBus<Transaction>;
  readonly clock: Clock;
}

/** The desired state, compared with the current row. */
interface DesiredState<C extends Fields> {
  /** Undefined means unchanged. */
  readonly values?: { readonly [K in keyof ShownRow<C>]?: ShownRow<C>[K] | undefined };
  /** Hidden columns: written, but not part of `changes`. */
  readonly hidden?: { readonly [K in keyof Values<C>]?: Values<C>[K] | undefined } | false | undefined;
  /** Changes already made in other tables. */
  readonly elsewhere?: Changes | null | undefined;
  /** Forces a new version even without any of the changes above. */
  readonly isTouched?: boolean;
}

interface RecordChange<C extends Fields, After> {
  readonly id: number;
  readonly expected?: ExpectedVersion;
  /** The business rules: may throw, and may write related rows. */
  readonly plan: (before: ShownRow<C>, now: Date) => DesiredState<C> | Promise<DesiredState<C>>;
  /** Runs once the row is written. */
  readonly afterWrite?: (before: ShownRow<C>) => Promise<void>;
  /** Reads the changed record with everything that belongs to it. */
  readonly read: () => Promise<After>;
  /** The events to emit; `changes` is empty when only hidden columns changed. */
  readonly announce: (after: After, changes: Changes, occurredAt: Date, before: ShownRow<C>) => readonly PortalEvent[];
}

/**
 * The only way to change a record, in the caller's transaction: locks its row, refuses an older version, writes the
 * differences under a new version and emits the events. Equal values are no change and emit nothing.
 * @throws NotFoundError, PreconditionFailedError, and what `plan` throws
 */
export async function changeRecord<C extends Fields, After>(
  record: RecordTable<C>,
  { database, events, clock }: ChangeParts,
  transaction: Transaction,
  { id, expected, plan, afterWrite, read, announce }: RecordChange<C, After>,
): Promise<After> {
  const before = await lockRecord(record, database, id, expected, transaction);
  const now = clock.now();
  const { values = {}, hidden, elsewhere, isTouched = false } = await plan(before, now);
  const own = changesOf<object>(before, values);
  if (!own && !elsewhere && !hidden && !isTouched) return read();
  const changed = Object.fromEntries(Object.entries(own ?? {}).map(([field, [, after]]) => [field, after]));
  const version = { updatedAt: nextVersion(now, before) };
  await record.update(database, { id }, { ...changed, ...hidden, ...version }, transaction);
  await afterWrite?.(before);
  const after = await read();
  for (const event of announce(after, { ...own, ...elsewhere }, now, before)) await events.emit(event, transaction);
  return after;
}

/** Gives records a new version, so that their `ETag`s change; locks their rows in order of id. */
export async function touchRecords<C extends Fields>(
  record: RecordTable<C>,
  database: Database,
  ids: readonly number[],
  now: Date,
  transaction: Transaction,
): Promise<void> {
  const options = { transaction, lock: true, only: ['id', 'updatedAt'], order: `${record.alias}.id` };
  const rows = await record.findAll(database, { id: ids }, options);
  for (const row of rows as unknown as readonly Versioned[]) {
    const version = { updatedAt: nextVersion(now, row) } as never;
    await record.update(database, { id: row.id }, version, transaction);
  }
}

/** Locks the row until the transaction ends. @throws NotFoundError, PreconditionFailedError */
export async function lockRecord<C extends Fields>(
  record: RecordTable<C>,
  database: Database,
  id: number,
  expected: ExpectedVersion,
  transaction: Transaction,
): Promise<ShownRow<C> & Versioned> {
  const row = (await record.require(database, { id }, { transaction, lock: true })) as ShownRow<C> & Versioned;
  requireVersion(expected, row);
  return row;
}
