import {
  defineList,
  defineRecord,
  fieldOf,
  times,
  type Database,
  type RowOf,
  type Transaction,
} from '../../../database/index.js';

/** Day since 1970 → calls. */
export type CallsByDay = ReadonlyMap<number, number>;

export const quotaResetRecord = defineRecord({
  name: 'QuotaReset',
  table: 'portal_quota_resets',
  alias: 'qr',
  noun: 'reset',
  fields: {
    id: fieldOf.id(),
    appId: fieldOf.reference(),
    productId: fieldOf.reference(),
    /** `starting`: the gateway is being told. `ended`: a later one took its place. */
    state: fieldOf.text<'starting' | 'current' | 'ended'>(16),
    /** Day since 1970 and calls that were counted by then, of the days that a running period may have. */
    callsByDay: fieldOf.json<readonly (readonly [day: number, calls: number])[]>(),
    reason: fieldOf.text(500),
    ...times,
  },
});

/**
 * An admin let the quotas that an app has of a product start anew: calls that were counted by then use nothing up. Except for its
 * state it never changes, so that what was read of it may be kept.
 */
export type QuotaReset = RowOf<typeof quotaResetRecord>;

/** What quotas count from. */
export interface CountStart {
  readonly id: number;
  readonly at: Date;
  readonly reason: string;
  /** Calls that were counted by then. */
  readonly calls: CallsByDay;
}

/** The resets of an app, as admins list them. */
export const quotaResetList = defineList<QuotaReset>(
  quotaResetRecord.list({ name: 'quota-resets', sorts: ['id', 'createdAt'] }),
);

/** Starts of counting by the ids of resets. Reads nothing for no ids. */
export async function readCountStarts(
  database: Database,
  ids: readonly number[],
  transaction?: Transaction,
): Promise<ReadonlyMap<number, CountStart>> {
  const rows = await quotaResetRecord.findAll(database, { id: [...new Set(ids)] }, { transaction });
  return new Map(rows.map((row) => [row.id, countStartOf(row)]));
}

export function countStartOf({ id, createdAt: at, reason, callsByDay }: QuotaReset): CountStart {
  return { id, at, reason, calls: new Map(callsByDay) };
}

/** Calls of the days from the first one up to the second, which is excluded. */
export function callsBetween(calls: CallsByDay, first: number, end: number): number {
  let sum = 0;
  for (const [day, count] of calls) if (day >= first && day < end) sum += count;
  return sum;
}
