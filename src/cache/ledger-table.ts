import { placeholders, type Database, type Transaction } from '../database/index.js';
import type { Clock } from '../kernel/index.js';
import { emptyLedger, neededUntil, type AttemptLedger } from './attempt-ledger.js';
import { removeRows, unlessPresent } from './limit-rows.js';
import type { Ledgers } from './shared-limit-store.js';

const TABLE = 'portal_limit_ledgers';

interface LedgerRow {
  readonly limitKey: string;
  readonly document: string;
}

type Row = readonly [key: string, document: string, staleAt: Date];

/** Ledgers as rows of `portal_limit_ledgers`, changed one step at a time by whoever shares the database. */
export class LedgerTable implements Ledgers {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  change<T>(
    keys: readonly string[],
    missing: 'create' | 'skip',
    step: (ledgers: ReadonlyMap<string, AttemptLedger>, now: number) => T,
  ): Promise<T> {
    // Locked in one order by everybody, so that two steps never wait for each other.
    const sorted = [...new Set(keys)].sort();
    return this.database.transaction(async (transaction) => {
      if (missing === 'create') await this.ensure(sorted, transaction);
      const rows = await this.lock(sorted, transaction);
      const ledgers = new Map(rows.map((row) => [row.limitKey, JSON.parse(row.document) as AttemptLedger]));
      const result = step(ledgers, this.clock.now().getTime());
      await this.write(rows, ledgers, transaction);
      return result;
    });
  }

  removeStale(now: Date): Promise<void> {
    return removeRows(this.database, TABLE, 'stale_at', now);
  }

  private async ensure(keys: readonly string[], transaction: Transaction): Promise<void> {
    const empty = JSON.stringify(emptyLedger());
    const rows = keys.map((key) => [key, empty, new Date(0)] as const);
    await this.insert(rows, unlessPresent(this.database), transaction);
  }

  private lock(keys: readonly string[], transaction: Transaction): Promise<LedgerRow[]> {
    return this.database.select<LedgerRow>(
      `SELECT limit_key AS limitKey, document FROM ${TABLE} WHERE limit_key IN (${placeholders(keys)}) ORDER BY limit_key ` +
        this.database.forUpdate,
      keys,
      { transaction },
    );
  }

  // One statement for all: the rows are there and locked, so that each of them is only changed.
  private async write(
    before: readonly LedgerRow[],
    ledgers: ReadonlyMap<string, AttemptLedger>,
    transaction: Transaction,
  ): Promise<void> {
    const changed = before.flatMap(({ limitKey, document }) => {
      const ledger = ledgers.get(limitKey);
      if (!ledger) return [];
      const text = JSON.stringify(ledger);
      return text === document ? [] : [[limitKey, text, new Date(neededUntil(ledger))] as const];
    });
    if (changed.length > 0) await this.insert(changed, orReplace(this.database), transaction);
  }

  private async insert(rows: readonly Row[], ending: string, transaction: Transaction): Promise<void> {
    const values = rows.map(() => '(?, ?, ?)').join(', ');
    const sql = `INSERT INTO ${TABLE} (limit_key, document, stale_at) VALUES ${values} ${ending}`;
    await this.database.execute(sql, rows.flat(), { transaction });
  }
}

function orReplace({ dialect }: Database): string {
  return dialect === 'sqlite'
    ? 'ON CONFLICT (limit_key) DO UPDATE SET document = excluded.document, stale_at = excluded.stale_at'
    : 'ON DUPLICATE KEY UPDATE document = VALUES(document), stale_at = VALUES(stale_at)';
}
