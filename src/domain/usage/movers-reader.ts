import type { Clock } from '../../core/index.js';
import type { Database } from '../../database/index.js';
import { UsageNames } from './usage-names.js';
import { startOf, type UsageGrouping } from './usage-query.js';
import { UsageSums } from './usage-sums.js';
import { dayOf, HOURS_OF_DAY, NONE, oldestOpenHour } from './usage.js';

export const MOVER_GROUPS = ['app', 'product'] as const satisfies readonly UsageGrouping[];
export type MoverGrouping = (typeof MOVER_GROUPS)[number];

/** What was called more, or less, than in the period before. */
export interface Mover {
  readonly id: number;
  /** Name of the app, or slug; null: gone. */
  readonly name: string | null;
  readonly calls: number;
  /** Calls in the period before. */
  readonly before: number;
}

export interface Movers {
  /** Of the period before. */
  readonly since: Date;
  readonly from: Date;
  readonly to: Date;
  /** Those whose calls changed most first. */
  readonly movers: readonly Mover[];
}

const MOST_MOVERS = 20;

/** Reads whose calls changed most. */
export class MoversReader {
  private readonly names: UsageNames;

  constructor(private readonly parts: { readonly database: Database; readonly clock: Clock }) {
    this.names = new UsageNames(parts.database);
  }

  /** @param days whole ones before today, in UTC, that are compared with as many before them */
  async read(by: MoverGrouping, days: number): Promise<Movers> {
    const now = this.parts.clock.now();
    const end = dayOf(now);
    const range = { interval: 'day', first: end - 2 * days, end } as const;
    const sums = new UsageSums(this.parts.database, oldestOpenHour(now) / HOURS_OF_DAY);
    const changed = await sums.byChange(range, by, MOST_MOVERS);
    const ids = changed.map(({ group }) => Number(group));
    const names = await this.names.of(by, ids, null);
    const movers = changed.flatMap(({ group, calls, before }): Mover[] =>
      group === NONE || calls === before
        ? []
        : [{ id: Number(group), name: names.get(Number(group)) ?? null, calls, before }],
    );
    const [since, from, to] = [range.first, end - days, end].map((day) => startOf('day', day)) as [Date, Date, Date];
    return { since, from, to, movers };
  }
}
