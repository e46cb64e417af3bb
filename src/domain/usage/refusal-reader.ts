import { Op, type Database } from '../../database/index.js';
import type { Clock } from '../../core/index.js';
import { UsageNames } from './usage-names.js';
import { usageRange, type AskedRange } from './usage-query.js';
import { HOURS_OF_DAY, NONE, usageHourRecord, type Outcome } from './usage.js';

/** Refused calls of an hour that are alike. */
export interface Refusal {
  readonly outcome: Outcome;
  readonly credentialId: number;
  /** As it is shown; null: the key is gone. */
  readonly key: string | null;
  /** Slug; null: not known, or nothing that the viewer may know. */
  readonly product: string | null;
  readonly calls: number;
  /** When the last of them came. */
  readonly lastAt: Date;
}

/** Calls without a known key that are alike. */
export interface StrangersCalls {
  readonly outcome: Outcome;
  readonly product: string | null;
  /** null: not known. */
  readonly network: string | null;
  readonly calls: number;
  readonly lastAt: Date;
}

const MOST_REFUSALS = 50;
const MOST_STRANGERS = 100;

/** Reads which calls were refused, and why. */
export class RefusalReader {
  private readonly names: UsageNames;

  constructor(private readonly parts: { readonly database: Database; readonly clock: Clock }) {
    this.names = new UsageNames(parts.database);
  }

  /** The last refused calls of an app, as far back as hours are kept. @param viewerId a developer; null: an admin */
  async ofApp(appId: number, viewerId: number | null): Promise<Refusal[]> {
    const rows = await usageHourRecord.findAll(
      this.parts.database,
      { appId, outcome: { [Op.ne]: 'allowed' } },
      { order: 'h.last_at DESC', limit: MOST_REFUSALS },
    );
    const products = await this.names.products(idsOf(rows), viewerId);
    const keys = await this.names.keys([...new Set(rows.map(({ credentialId }) => credentialId))]);
    return rows.map(({ outcome, credentialId, productId, calls, lastAt }) => {
      const shown = { key: keys.get(credentialId) ?? null, product: products.get(productId) ?? null };
      return { outcome, credentialId, ...shown, calls, lastAt: new Date(lastAt) };
    });
  }

  /** Calls without a known key, most of them first, for admins. @throws ValidationError on `from` */
  async ofStrangers(asked: Omit<AskedRange, 'interval'>): Promise<StrangersCalls[]> {
    const { first, end } = usageRange({ ...asked, interval: 'day' }, this.parts.clock.now());
    const rows = await this.parts.database.select<StrangerRow>(
      `SELECT product_id AS productId, network AS network, outcome AS outcome, SUM(calls) AS total, MAX(last_at) AS lastAt
       FROM portal_usage_refusals WHERE hour >= ? AND hour < ?
       GROUP BY product_id, network, outcome ORDER BY total DESC, lastAt DESC LIMIT ${MOST_STRANGERS}`,
      [first * HOURS_OF_DAY, end * HOURS_OF_DAY],
    );
    const products = await this.names.products(idsOf(rows), null);
    return rows.map(({ productId, network, outcome, total, lastAt }) => {
      const place = { product: products.get(productId) ?? null, network: network === '' ? null : network };
      return { outcome, ...place, calls: Number(total), lastAt: new Date(Number(lastAt)) };
    });
  }
}

interface StrangerRow {
  readonly productId: number;
  readonly network: string;
  readonly outcome: Outcome;
  readonly total: number | string;
  readonly lastAt: number | string;
}

function idsOf(rows: readonly { readonly productId: number }[]): number[] {
  return [...new Set(rows.flatMap(({ productId }) => (productId === NONE ? [] : productId)))];
}
