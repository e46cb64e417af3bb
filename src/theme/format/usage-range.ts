import type { ShortStyle } from '../../templates/index.js';

/** A range of time that usage is shown for, up to now. */
export interface UsageSpan {
  readonly interval: 'hour' | 'day';
  /** Hours or days that are counted, the present one included. */
  readonly count: number;
  /** Ends with the present hour, or the present day of UTC. */
  readonly ends: 'hour' | 'day';
  /** Hours or days that are one bar of the chart. */
  readonly merged: number;
  /** Times that are written below it; a divisor of the bars. */
  readonly ticks: number;
  readonly tickStyle: ShortStyle;
  readonly barStyle: ShortStyle;
}

/** Ranges to choose from, by their names in addresses. */
export const USAGE_SPANS = {
  day: span('hour', 24, 'hour', { merged: 1, ticks: 4 }),
  week: span('hour', 7 * 24, 'day', { merged: 6, ticks: 7 }),
  month: span('day', 30, 'day', { merged: 1, ticks: 5 }),
  quarter: span('day', 90, 'day', { merged: 1, ticks: 6 }),
  year: span('day', 52 * 7, 'day', { merged: 7, ticks: 4 }),
} as const;
export type UsageSpanName = keyof typeof USAGE_SPANS;

export const USAGE_SPAN_NAMES = Object.keys(USAGE_SPANS) as UsageSpanName[];

function span(
  interval: UsageSpan['interval'],
  count: number,
  ends: UsageSpan['ends'],
  bars: Pick<UsageSpan, 'merged' | 'ticks'>,
): UsageSpan {
  const barStyle = interval === 'day' ? 'day' : 'both';
  return { interval, count, ends, ...bars, tickStyle: ends, barStyle };
}

const UNIT_MS = { hour: 3_600_000, day: 86_400_000 };

/** The range of that name, `month` for one that is unknown. */
export function usageSpan(name: string | null): UsageSpanName {
  return USAGE_SPAN_NAMES.find((known) => known === name) ?? 'month';
}

/** Begin and end of a range. */
export function spanAt({ interval, count, ends }: UsageSpan, now: Date) {
  const unit = UNIT_MS[ends];
  const to = (Math.floor(now.getTime() / unit) + 1) * unit;
  return { interval, from: new Date(to - count * UNIT_MS[interval]), to: new Date(to) };
}
