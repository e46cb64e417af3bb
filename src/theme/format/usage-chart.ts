import { barChart } from './bar-chart.js';
import type { UsageSpan } from './usage-range.js';

interface Point {
  readonly start: Date;
  readonly calls: number;
  readonly allowed: number;
}

/** Bars of calls with those that were refused in red, by the partial `usage.chart`. */
export function usageChart(points: readonly Point[], span: UsageSpan) {
  const starts = points.filter((_, index) => index % span.merged === 0);
  const bars = starts.map(({ start }, index) => {
    const part = points.slice(index * span.merged, (index + 1) * span.merged);
    const [calls, allowed] = [sumOf(part, 'calls'), sumOf(part, 'allowed')];
    return { start, value: calls, bad: calls - allowed, allowed };
  });
  return barChart(bars, span);
}

function sumOf(points: readonly Point[], name: 'calls' | 'allowed'): number {
  return points.reduce((sum, point) => sum + point[name], 0);
}
