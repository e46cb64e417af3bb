import type { Database } from '../../database/index.js';
import type { Clock } from '../../core/index.js';
import { UsageNames } from './usage-names.js';
import { sumRefusals, sumStrangers } from './usage-queries.js';
import { conditionOf, usageRange, type AskedRange } from './usage-query.js';
import type { AskedUsage } from './usage-reader.js';
import { hourOf, NONE, type CallOutcome, type UsageHour } from './usage.js';

/** Refused calls that are alike. */
export interface Refusal {
  readonly outcome: CallOutcome;
  readonly credentialId: number;
  /** As it is shown; null: the key is gone. */
  readonly key: string | null;
  /** Slug; null: not known, or nothing that the viewer may know. */
  readonly product: string | null;
  readonly calls: number;
  /** When the last of them came. */
  readonly lastAt: Date;
}

interface AskedRefusals extends Pick<AskedUsage, 'credentialId' | 'product' | 'viewerId'> {
  readonly appId: number;
  readonly from?: Date | undefined;
}

/** Calls without a known key that are alike. */
export interface StrangersCalls {
  readonly outcome: CallOutcome;
  readonly product: string | null;
  /** null: not known. */
  readonly network: string | null;
  readonly calls: number;
  readonly lastAt: Date;
}

/** Reads which calls were refused, and why. */
export class RefusalReader {
  private readonly names: UsageNames;

  constructor(private readonly parts: { readonly database: Database; readonly clock: Clock }) {
    this.names = new UsageNames(parts.database);
  }

  /**
   * Why calls of an app were refused, the latest reason first: those of a reason, product and key together.
   * @param asked `from` as far back as hours are kept, and without it; `viewerId` null: an admin. @throws ValidationError on `product` for one that the viewer may not know
   */
  async reasons({ appId, credentialId, product, from, viewerId }: AskedRefusals): Promise<Refusal[]> {
    const productId = product === undefined ? undefined : await this.names.requireProduct(product, viewerId);
    const condition = conditionOf({ appId, credentialId, productId });
    const rows = await sumRefusals(this.parts.database, condition, from ? hourOf(from) : 0);
    return this.name(
      rows.map(({ total, lastAt, ...row }) => ({ ...row, calls: Number(total), lastAt: Number(lastAt) })),
      viewerId,
    );
  }

  /** Calls without a known key, most of them first, for admins. @throws ValidationError on `from` */
  async ofStrangers(asked: Omit<AskedRange, 'interval'>): Promise<StrangersCalls[]> {
    const { first, end } = usageRange({ ...asked, interval: 'day' }, this.parts.clock.now());
    const rows = await sumStrangers(this.parts.database, first, end);
    const products = await this.names.products(idsOf(rows), null);
    return rows.map(({ productId, network, outcome, total, lastAt }) => {
      const place = { product: products.get(productId) ?? null, network: network === '' ? null : network };
      return { outcome, ...place, calls: Number(total), lastAt: new Date(Number(lastAt)) };
    });
  }

  private async name(rows: readonly RefusedCalls[], viewerId: number | null): Promise<Refusal[]> {
    const products = await this.names.products(idsOf(rows), viewerId);
    const keys = await this.names.keys([...new Set(rows.map(({ credentialId }) => credentialId))]);
    return rows.map(({ outcome, credentialId, productId, calls, lastAt }) => {
      const shown = { key: keys.get(credentialId) ?? null, product: products.get(productId) ?? null };
      return { outcome, credentialId, ...shown, calls, lastAt: new Date(lastAt) };
    });
  }
}

type RefusedCalls = Pick<UsageHour, 'outcome' | 'credentialId' | 'productId' | 'calls' | 'lastAt'>;

function idsOf(rows: readonly { readonly productId: number }[]): number[] {
  return [...new Set(rows.flatMap(({ productId }) => (productId === NONE ? [] : productId)))];
}
