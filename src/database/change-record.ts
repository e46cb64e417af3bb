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

/** A record that can be changed: numbered, and with a time of change that is its version. */
interface Versioned {
  readonly id: number;
  readonly updatedAt: Date;
}

interface ChangeParts {
  readonly database: Database;
  readonly events: EventBus<Transaction>;
  readonly clock: Clock;
}

/** What shall change; it is compared with what is there. */
interface Wish<C extends Fields> {
  /** Undefined stays as it is. */
  readonly values?: { readonly [K in keyof ShownRow<C>]?: ShownRow<C>[K] | undefined };
  /** Hidden columns: written, and told to nobody. */
  readonly hidden?: { readonly [K in keyof Values<C>]?: Values<C>[K] | undefined } | false | undefined;
  /** What changed in other tables by now. */
  readonly elsewhere?: Changes | null | undefined;
  /** Whether the record has another version even when nothing of the above changed. */
  readonly isTouched?: boolean;
}

interface RecordChange<C extends Fields, After> {
  readonly id: number;
  readonly expected?: ExpectedVersion;
  /** The rules: may throw, and may write what belongs to the record elsewhere. */
  readonly wish: (before: ShownRow<C>, now: Date) => Wish<C> | Promise<Wish<C>>;
  /** Once the row is written. */
  readonly written?: (before: ShownRow<C>) => Promise<void>;
  /** The record as it is now, with all that belongs to it. */
  readonly read: () => Promise<After>;
  /** What is announced; `changes` is empty when only the unseen changed. */
  readonly announce: (after: After, changes: Changes, occurredAt: Date, before: ShownRow<C>) => readonly PortalEvent[];
}

/**
 * The one way to change a record, within a transaction of the caller: locks its row, refuses an older version, writes what
 * differs under a later version, and announces it. What is equal already is no change and no event.
 * @throws NotFoundError, PreconditionFailedError, and what `wish` throws
 */
export async function changeRecord<C extends Fields, After>(
  record: RecordTable<C>,
  { database, events, clock }: ChangeParts,
  transaction: Transaction,
  { id, expected, wish, written, read, announce }: RecordChange<C, After>,
): Promise<After> {
  const before = await lockRecord(record, database, id, expected, transaction);
  const now = clock.now();
  const { values = {}, hidden, elsewhere, isTouched = false } = await wish(before, now);
  const own = changesOf<object>(before, values);
  if (!own && !elsewhere && !hidden && !isTouched) return read();
  const changed = Object.fromEntries(Object.entries(own ?? {}).map(([field, [, after]]) => [field, after]));
  const version = { updatedAt: nextVersion(now, before) };
  await record.update(database, { id } as never, { ...changed, ...hidden, ...version }, transaction);
  await written?.(before);
  const after = await read();
  for (const event of announce(after, { ...own, ...elsewhere }, now, before)) await events.emit(event, transaction);
  return after;
}

/** The row, which nobody else changes until the transaction ends. @throws NotFoundError, PreconditionFailedError */
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
