interface Quota {
  readonly period: string;
  readonly limit: number;
  readonly used: number;
  /** When it starts anew. */
  readonly ends: Date;
  /** Since when it counts, where that is not the begin of the period. */
  readonly reset: { readonly at: Date; readonly reason: string } | null;
}

/** From which share of a quota its bar warns. */
export const NEAR = 0.8;

/** Bars of the quotas of a plan, as numbers for an SVG made on the server. */
export function quotaBars(quotas: readonly Quota[]) {
  return quotas.map(({ period, limit, used, ends, reset }) => {
    const share = limit === 0 ? 1 : used / limit;
    return {
      ...{ limit, used, share, ends, reset, width: Math.round(Math.min(1, share) * 1000) / 10 },
      name: period.startsWith('anchored') ? 'anchored' : period,
      tone: share >= 1 ? 'bad' : share >= NEAR ? 'warn' : 'good',
    };
  });
}
