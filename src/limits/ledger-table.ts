import { defineRecord, fieldOf, type Database, type RowOf, type Transaction } from '../database/index.js';
import type { Clock } from '../core/index.js';
import { makeLedger, findEnd, type AttemptLedger } from './attempt-ledger.js';
import { removeRows, unlessPresent } from './limit-rows.js';
import type { Ledgers } from './ledger-limit-store.js';

const TABLE = 'portal_limit_ledgers';
/** Lost races before rows are locked. */
const MOST_LOSSES = 3;

const ledgerRecord = defineRecord({
  name: 'LimitLedger',
  table: TABLE,
  alias: 'l',
  fields: { limitKey: fieldOf.text(255).key(), document: fieldOf.longText(), staleAt: fieldOf.time().hidden() },
});

type LedgerRow = RowOf<typeof ledgerRecord>;

interface Change {
  readonly key: string;
  readonly before: string;
  readonly after: string;
  readonly staleAt: Date;
}

/** Ledgers as rows of `portal_limit_ledgers`, changed one step at a time across replicas. */
export class LedgerTable implements Ledgers {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  change<T>(
    keys: readonly string[],
    step: (ledgers: ReadonlyMap<string, AttemptLedger>, now: number) => T,
  ): Promise<T> {
    const sorted = sortKeys(keys);
    return this.database.transaction(async (transaction) => {
      await this.ensure(sorted, transaction);
      const rows = await this.read(sorted, transaction);
      const ledgers = new Map(rows.map((row) => [row.limitKey, parseLedger(row)]));
      const result = step(ledgers, this.clock.now().getTime());
      const changes = rows.flatMap((row) => changeOf(row, ledgers.get(row.limitKey)));
      await this.replace(changes, transaction);
      return result;
    });
  }

  /**
   * Two statements without a transaction: a row is replaced if unchanged since it was read, otherwise the step is
   * retried.
   */
  async changeEach(
    keys: readonly string[],
    step: (ledger: AttemptLedger, key: string, now: number) => void,
  ): Promise<void> {
    const sorted = sortKeys(keys);
    for (let losses = 0; losses < MOST_LOSSES; losses += 1) {
      const changes = this.changesOf(await this.read(sorted), step);
      if ((await this.replace(changes)) === changes.length) return;
    }
    await this.database.transaction(async (transaction) => {
      const rows = await this.read(sorted, transaction);
      await this.replace(this.changesOf(rows, step), transaction);
    });
  }

  removeStale(now: Date): Promise<void> {
    return removeRows(this.database, TABLE, 'stale_at', now);
  }

  private async ensure(keys: readonly string[], transaction: Transaction): Promise<void> {
    const empty = JSON.stringify(makeLedger());
    const rows = keys.map((key) => [key, empty, new Date(0)]);
    const sql =
      `INSERT INTO ${TABLE} (limit_key, document, stale_at) VALUES ${rows.map(() => '(?, ?, ?)').join(', ')} ` +
      unlessPresent(this.database);
    await this.database.execute(sql, rows.flat(), { transaction });
  }

  /** Within a transaction the rows are locked. */
  private read(keys: readonly string[], transaction?: Transaction): Promise<LedgerRow[]> {
    const options = { order: 'l.limit_key', lock: transaction !== undefined, transaction };
    return ledgerRecord.findAll(this.database, { limitKey: keys }, options);
  }

  private changesOf(
    rows: readonly LedgerRow[],
    step: (ledger: AttemptLedger, key: string, now: number) => void,
  ): Change[] {
    const now = this.clock.now().getTime();
    return rows.flatMap((row) => {
      const ledger = parseLedger(row);
      step(ledger, row.limitKey, now);
      return changeOf(row, ledger);
    });
  }

  /** @returns how many rows were unchanged and replaced */
  private async replace(changes: readonly Change[], transaction?: Transaction): Promise<number> {
    if (changes.length === 0) return 0;
    const by = `CASE limit_key ${changes.map(() => 'WHEN ? THEN ?').join(' ')} END`;
    const unchanged = changes.map(() => '(limit_key = ? AND document = ?)').join(' OR ');
    const { affectedRows } = await this.database.execute(
      `UPDATE ${TABLE} SET stale_at = ${by}, document = ${by} WHERE ${unchanged}`,
      [
        ...changes.flatMap(({ key, staleAt }) => [key, staleAt]),
        ...changes.flatMap(({ key, after }) => [key, after]),
        ...changes.flatMap(({ key, before }) => [key, before]),
      ],
      { transaction },
    );
    return affectedRows;
  }
}

// A fixed lock order prevents deadlocks.
function sortKeys(keys: readonly string[]): string[] {
  return [...new Set(keys)].sort();
}

function parseLedger({ document }: LedgerRow): AttemptLedger {
  return JSON.parse(document) as AttemptLedger;
}

function changeOf({ limitKey: key, document: before }: LedgerRow, ledger: AttemptLedger | undefined): Change[] {
  if (!ledger) return [];
  const after = JSON.stringify(ledger);
  return after === before ? [] : [{ key, before, after, staleAt: new Date(findEnd(ledger)) }];
}
