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
      for (const { limitKey, document } of rows) {
        const ledger = ledgers.get(limitKey);
        if (ledger) await this.write(limitKey, document, ledger, transaction);
      }
      return result;
    });
  }

  removeStale(now: Date): Promise<void> {
    return removeRows(this.database, TABLE, 'stale_at', now);
  }

  private async ensure(keys: readonly string[], transaction: Transaction): Promise<void> {
    const empty = JSON.stringify(emptyLedger());
    const rows = keys.map(() => '(?, ?, ?)').join(', ');
    const values = keys.flatMap((key) => [key, empty, new Date(0)]);
    const sql = `INSERT INTO ${TABLE} (limit_key, document, stale_at) VALUES ${rows} ${unlessPresent(this.database)}`;
    await this.database.execute(sql, values, { transaction });
  }

  private lock(keys: readonly string[], transaction: Transaction): Promise<LedgerRow[]> {
    return this.database.select<LedgerRow>(
      `SELECT limit_key AS limitKey, document FROM ${TABLE} WHERE limit_key IN (${placeholders(keys)}) ORDER BY limit_key ` +
        this.database.forUpdate,
      keys,
      { transaction },
    );
  }

  private async write(key: string, before: string, ledger: AttemptLedger, transaction: Transaction): Promise<void> {
    const document = JSON.stringify(ledger);
    if (document === before) return;
    await this.database.execute(
      `UPDATE ${TABLE} SET document = ?, stale_at = ? WHERE limit_key = ?`,
      [document, new Date(neededUntil(ledger)), key],
      { transaction },
    );
  }
}
