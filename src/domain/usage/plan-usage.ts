import { Op, type Database } from '../../database/index.js';
import { csvLine, type Clock } from '../../core/index.js';
import { userRecord } from '../accounts/index.js';
import { appRecord } from '../apps/index.js';
import { readPlanFacts } from '../catalog/index.js';
import { withRefused } from './usage-csv.js';
import { UsageNames } from './usage-names.js';
import { sumByPlan, type PlanSums } from './usage-queries.js';
import { dayOf, HOURS_OF_DAY, NONE, oldestOpenHour } from './usage.js';

/** What an app called of a product with a version of a plan in a month: what a biller needs. */
interface PlanCalls {
  readonly userId: number;
  /** Of the developer. */
  readonly email: string;
  readonly appId: number;
  readonly app: string;
  /** Slug; null: not known, or gone. */
  readonly product: string | null;
  /** Slug and number of its version; null: no plan, or one that is gone. */
  readonly plan: string | null;
  readonly version: number | null;
  readonly calls: number;
  readonly allowed: number;
}

/** Keeps memory and statements small, whatever the number of apps. */
const APPS_PER_STEP = 200;
const COLUMNS = [
  'month',
  'user_id',
  'email',
  'app_id',
  'app',
  'product',
  'plan',
  'version',
  'calls',
  'allowed',
  'refused',
];

/** Reads how much was called with which plan. */
export class PlanUsage {
  private readonly names: UsageNames;

  constructor(private readonly parts: { readonly database: Database; readonly clock: Clock }) {
    this.names = new UsageNames(parts.database);
  }

  /** CSV of all apps that have called, by their ids. @param month `2026-06`, in UTC */
  async *csv(month: string): AsyncGenerator<string> {
    yield csvLine(COLUMNS);
    for await (const rows of this.ofMonth(new Date(month))) {
      yield rows
        .map(({ userId, email, appId, app, product, plan, version, ...counts }) => {
          const about = [month, userId, email, appId, app, product, plan, version];
          return csvLine([...about, ...Object.values(withRefused(counts))]);
        })
        .join('');
    }
  }

  private async *ofMonth(month: Date): AsyncGenerator<PlanCalls[]> {
    const { database } = this.parts;
    for (let last = 0; ;) {
      const next = { only: ['id', 'userId', 'name'], order: 'a.id', limit: APPS_PER_STEP } as const;
      const apps = await appRecord.findAll(database, { id: { [Op.gt]: last } }, next);
      const calls = apps.length > 0 ? await this.ofApps(apps, month) : [];
      if (calls.length > 0) yield calls;
      if (apps.length < APPS_PER_STEP) return;
      last = apps.at(-1)?.id ?? 0;
    }
  }

  private async ofApps(
    apps: readonly { readonly id: number; readonly userId: number; readonly name: string }[],
    month: Date,
  ): Promise<PlanCalls[]> {
    const { database } = this.parts;
    const rows = await this.sums(
      apps.map(({ id }) => id),
      month,
    );
    const called = apps.filter(({ id }) => rows.some(({ appId }) => appId === id));
    const users = await userRecord.findAll(database, { id: [...new Set(called.map(({ userId }) => userId))] });
    const idsOf = (pick: (row: PlanSums) => number) => [...new Set(rows.map(pick))].filter((id) => id !== NONE);
    const products = await this.names.products(
      idsOf(({ productId }) => productId),
      null,
    );
    const plans = await readPlanFacts(
      database,
      idsOf(({ versionId }) => versionId),
    );
    return rows.flatMap((row): PlanCalls[] => {
      const app = called.find(({ id }) => id === row.appId);
      const user = users.find(({ id }) => id === app?.userId);
      // Deleted since its calls were read.
      if (!app || !user) return [];
      const plan = plans.get(row.versionId);
      return [
        {
          ...{ userId: user.id, email: user.email, appId: app.id, app: app.name },
          product: products.get(row.productId) ?? null,
          ...{ plan: plan?.slug ?? null, version: plan?.version ?? null },
          ...{ calls: Number(row.calls), allowed: Number(row.allowed) },
        },
      ];
    });
  }

  /** Days that are over come from their sums, those that calls are still added to from their hours. */
  private sums(apps: readonly number[], month: Date): Promise<PlanSums[]> {
    const { database, clock } = this.parts;
    const [first, end] = [0, 1].map((more) =>
      dayOf(new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + more, 1))),
    ) as [number, number];
    const split = Math.min(Math.max(oldestOpenHour(clock.now()) / HOURS_OF_DAY, first), end);
    return sumByPlan(database, apps, { first, split, end });
  }
}
