import { ConflictError, type ListPage, type ListQuery } from '../../../core/index.js';
import { Op } from '../../../database/index.js';
import { quotaResetList, quotaResetRecord, type PlanLimits, type QuotaReset } from '../../catalog/index.js';
import type { AppParts } from '../app-parts.js';
import type { CountedCalls } from '../contracts.js';
import { appLimitChange } from '../gateway-operations/limit-operations.js';
import { AppChanges } from './app-changes.js';
import type { OwnedApp } from './app-reader.js';
import { requireOpenApp, type Approver } from './approval.js';
import { findLimitedProduct, slugsOf } from './limited-product.js';

/** A reset as it is shown. */
export interface ResetView extends QuotaReset {
  /** Slug. */
  readonly product: string;
}

export interface OwnedReset extends OwnedApp {
  readonly reset: ResetView;
}

/** Quotas that admins let start anew for one product of one app, in the middle of their periods. */
export class QuotaResets {
  private readonly changes: AppChanges;

  constructor(private readonly parts: AppParts) {
    this.changes = new AppChanges(parts);
  }

  /** @throws ValidationError for a query that the list does not support */
  async list({ app }: OwnedApp, query: ListQuery): Promise<ListPage<ResetView>> {
    const scope = { where: "qr.app_id = ? AND qr.state <> 'starting'", values: [app.id] };
    const page = await this.parts.lists.run(quotaResetList, query, { scope });
    return { ...page, items: await this.view(page.items) };
  }

  /** @throws NotFoundError */
  async find(owned: OwnedApp, id: number): Promise<OwnedReset> {
    const where = { id, appId: owned.app.id, state: { [Op.ne]: 'starting' } } as const;
    const [reset] = await this.view([await quotaResetRecord.require(this.parts.database, where)]);
    return { ...owned, reset: reset as ResetView };
  }

  /**
   * In force with its answer, on every key that has the product and on those that get it: from now on quotas count what is called
   * after the calls that are counted by now.
   * @param input `product` slug or id
   * @throws ValidationError on `product` for one that no key has, ConflictError for a revoked app and where the app has no
   *   quota of its own
   */
  start(
    owned: OwnedApp,
    input: { readonly product: string; readonly reason: string },
    counted: CountedCalls,
    by: Approver,
  ): Promise<OwnedReset> {
    return this.changes.changeApp(owned, async (present) => {
      requireOpenApp(present.app);
      await this.parts.gateway.requireOwnCounts();
      const { product, grants } = await findLimitedProduct(this.parts, present, input.product);
      requireOwnQuota(grants.flatMap(({ grant }) => grant.plan?.limits ?? []));
      const about = { appId: present.app.id, productId: product.id };
      const countedAt = this.parts.clock.now();
      const calls = await counted(about);
      const next = { ...about, callsByDay: [...calls], reason: input.reason };
      const changes = { reason: [null, input.reason] } as const;
      const change = { kind: 'reset', product, next, countedAt, changes } as const;
      const id = await this.parts.runner.run(appLimitChange(this.parts, present, change, by));
      return this.find(present, id ?? 0);
    });
  }

  private async view(resets: readonly QuotaReset[]): Promise<ResetView[]> {
    const slugs = await slugsOf(this.parts.database, resets);
    return resets.map((reset) => ({ ...reset, product: slugs.get(reset.productId) ?? '' }));
  }
}

const QUOTAS = ['quotaPerDay', 'quotaPerMonth', 'quotaPerAnchoredMonth'] as const;

/** @throws ConflictError without a quota, and for those that other apps use up as well */
function requireOwnQuota(held: readonly PlanLimits[]): void {
  const withQuota = held.filter((limits) => QUOTAS.some((name) => limits[name] !== null));
  if (withQuota.length === 0) {
    throw new ConflictError({ errors: { product: ['No key of this app has a quota for this product.'] } });
  }
  if (withQuota.some(({ isShared }) => !isShared)) return;
  const fault =
    'All apps of its owner share this quota, so it is not reset for one. Raise the limits of the app instead.';
  throw new ConflictError({ errors: { product: [fault] } });
}
