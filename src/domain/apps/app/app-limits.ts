import { ConflictError, ValidationError, type Changes, type ListPage, type ListQuery } from '../../../core/index.js';
import { Op } from '../../../database/index.js';
import {
  isInForce,
  planOverrideList,
  planOverrideRecord,
  pickRaisedLimits,
  type PlanOverride,
  type RaisedLimits,
} from '../../catalog/index.js';
import type { AppParts } from '../app-parts.js';
import { appLimitChange } from '../gateway-operations/limit-operations.js';
import { AppChanges } from './app-changes.js';
import type { OwnedApp } from './app-reader.js';
import { requireOpenApp, type Approver } from './approval.js';
import { findLimitedProduct, slugsOf } from './limited-product.js';

/** What an admin raises for a product of an app. */
export interface NewOverride {
  /** Slug or id. */
  readonly product: string;
  readonly raised: Partial<RaisedLimits>;
  /** No limits at all. */
  readonly isExempt: boolean;
  readonly reason: string;
  /** null: until an admin ends it. */
  readonly endsAt: Date | null;
}

/** An override as it is shown. */
export interface OverrideView extends PlanOverride {
  /** Slug. */
  readonly product: string;
  readonly isInForce: boolean;
}

export interface OwnedOverride extends OwnedApp {
  readonly override: OverrideView;
}

/** Limits that admins raise or lift for one product of one app, whatever the plans of its keys. */
export class AppLimits {
  private readonly changes: AppChanges;

  constructor(private readonly parts: AppParts) {
    this.changes = new AppChanges(parts);
  }

  /** Present and past ones. @throws ValidationError for a query that the list does not support */
  async list({ app }: OwnedApp, query: ListQuery): Promise<ListPage<OverrideView>> {
    const scope = { where: "po.app_id = ? AND po.state <> 'starting'", values: [app.id] };
    const page = await this.parts.lists.run(planOverrideList, query, { scope });
    return { ...page, items: await this.view(page.items) };
  }

  /** @throws NotFoundError */
  async find(owned: OwnedApp, id: number): Promise<OwnedOverride> {
    const where = { id, appId: owned.app.id, state: { [Op.ne]: 'starting' } } as const;
    const [override] = await this.view([await planOverrideRecord.require(this.parts.database, where)]);
    return { ...owned, override: override as OverrideView };
  }

  /**
   * In force with its answer, on every key that has the product and on those that get it; takes the place of what was raised.
   * @throws ValidationError for an end that is over, or nothing to raise; on `product` for one that no key has
   * @throws ConflictError for a revoked app, and for keys without a plan, which have no limits
   */
  start(owned: OwnedApp, input: NewOverride, by: Approver): Promise<OwnedOverride> {
    requireContent(input, this.parts.clock.now());
    return this.changes.changeApp(owned, async (present) => {
      requireOpenApp(present.app);
      const { product } = await findLimitedProduct(this.parts, present, input.product);
      const { isExempt, endsAt, reason } = input;
      const raised = pickRaisedLimits(isExempt ? {} : input.raised);
      const next = { appId: present.app.id, productId: product.id, ...raised, isExempt, endsAt, reason };
      const changes = tell({ ...raised, isExempt: isExempt || null, endsAt, reason });
      const change = { kind: 'raise', product, next, changes } as const;
      const id = await this.parts.runner.run(appLimitChange(this.parts, present, change, by));
      return this.find(present, id ?? 0);
    });
  }

  /** The limits of the plans hold again, at once. @throws ConflictError for one that is over */
  end({ override: { id }, ...owned }: OwnedOverride, reason: string | null, by: Approver): Promise<OwnedOverride> {
    return this.changes.changeApp(owned, async (present) => {
      const { override } = await this.find(present, id);
      if (!override.isInForce) throw new ConflictError({ errors: { override: ['It does not hold any more.'] } });
      const product = { id: override.productId, slug: override.product };
      const changes: Changes = { override: [id, null], reason: [null, reason] };
      await this.parts.runner.run(appLimitChange(this.parts, present, { kind: 'restore', product, changes }, by));
      return this.find(present, id);
    });
  }

  private async view(overrides: readonly PlanOverride[]): Promise<OverrideView[]> {
    const slugs = await slugsOf(this.parts.database, overrides);
    const now = this.parts.clock.now();
    return overrides.map((override) => ({
      ...override,
      ...{ product: slugs.get(override.productId) ?? '', isInForce: isInForce(override, now) },
    }));
  }
}

function requireContent({ raised, isExempt, endsAt }: NewOverride, now: Date): void {
  if (!isExempt && Object.values(pickRaisedLimits(raised)).every((limit) => limit === null)) {
    throw new ValidationError({ exempt: ['Raise a limit, or exempt the app from all of them.'] });
  }
  if (endsAt && endsAt <= now) throw new ValidationError({ ends_at: ['The end must lie in the future.'] });
}

/** In events only what there is. */
function tell(values: Readonly<Record<string, number | string | boolean | Date | null>>): Changes {
  const told = Object.entries(values).filter(([, value]) => value !== null);
  return Object.fromEntries(told.map(([name, value]) => [name, [null, value]]));
}
