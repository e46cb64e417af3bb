import { csvLine } from '../../core/index.js';
import type { CallCounts, UsageReport } from './usage-reader.js';

/** Counts with the calls that were refused among them. */
export function withRefused({ calls, allowed }: CallCounts) {
  return { calls, allowed, refused: calls - allowed };
}

/** What a file of the report is called, without ending. */
export function usageFileName({ from, to }: Pick<UsageReport, 'from' | 'to'>): string {
  return `usage-${dayOf(from)}-${dayOf(to)}`;
}

/**
 * A line of CSV for each hour or day; with groups one for each of them that has calls there. A generator that is
 * asynchronous, as what is sent at the pace of the client has to be.
 */
export async function* usageCsv({ points, groups }: UsageReport): AsyncGenerator<string> {
  if (!groups) {
    yield csvLine(['start', 'calls', 'allowed', 'refused']);
    yield points.map(({ start, ...counts }) => csvLine([start, ...Object.values(withRefused(counts))])).join('');
    return;
  }
  yield csvLine(['start', 'id', 'name', 'calls']);
  for (const [index, { start }] of points.entries()) {
    const there = groups.filter(({ series }) => series[index]);
    yield there.map(({ id, name, series }) => csvLine([start, id, name, series[index]])).join('');
  }
}

function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}
