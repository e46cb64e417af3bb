import type { Database, Transaction } from '../database/index.js';
import { emptyLedger, type AttemptLedger } from './attempt-ledger.js';
import { placesFor, removeRows, unlessPresent } from './limit-rows.js';

const TABLE = 'portal_limit_ledgers';

interface LedgerRow {
  readonly limitKey: string;
  readonly document: string;
}

/** Ledgers as rows of `portal_limit_ledgers`, changed one step at a time by whoever shares the database. */
export class LedgerTable {
  constructor(private readonly database: Database) {}

  /**
   * One atomic step over the ledgers of `keys`, written back as the step leaves them. The step may run several times.
   * @param missing `create`: the step finds an empty ledger; `skip`: it finds none
   */
  change<T>(
    keys: readonly string[],
    missing: 'create' | 'skip',
    step: (ledgers: ReadonlyMap<string, AttemptLedger>) => T,
  ): Promise<T> {
    // Locked in one order by everybody, so that two steps never wait for each other.
    const sorted = [...new Set(keys)].sort();
    return this.database.transaction(async (transaction) => {
      if (missing === 'create') await this.ensure(sorted, transaction);
      const rows = await this.lock(sorted, transaction);
      const ledgers = new Map(rows.map((row) => [row.limitKey, JSON.parse(row.document) as AttemptLedger]));
      const result = step(ledgers);
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
      `SELECT limit_key AS limitKey, document FROM ${TABLE} WHERE limit_key IN (${placesFor(keys)}) ORDER BY limit_key ` +
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
      [document, staleAt(ledger), key],
      { transaction },
    );
  }
}

/** From when on nothing is lost with the row. */
function staleAt({ failures, inARow, staleAt: counted, pending }: AttemptLedger): Date {
  const remembered = failures.length + inARow > 0 ? counted : 0;
  return new Date(Math.max(remembered, ...pending.map(({ until }) => until)));
}
