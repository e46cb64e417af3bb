import type { CallCounts, Refusal, StrangersCalls, UsageReport } from '../../domain/usage/index.js';
import { csvLine } from '../../core/index.js';
import { StreamReply } from '../../http/index.js';

export function presentUsage({ interval, from, to, points, groups, rest, ...totals }: UsageReport) {
  return {
    ...{ interval, from, to },
    totals: presentCounts(totals),
    points: points.map(({ start, ...counts }) => ({ start, ...presentCounts(counts) })),
    groups: groups && groups.map(({ id, name, series, ...counts }) => ({ id, name, ...presentCounts(counts), series })),
    rest: rest && presentCounts(rest),
  };
}

export function presentRefusal({ outcome, product, credentialId, key, calls, lastAt }: Refusal) {
  return { outcome, product, credential: { id: credentialId, consumer_key: key }, calls, last_at: lastAt };
}

export function presentStrangers({ outcome, product, network, calls, lastAt }: StrangersCalls) {
  return { outcome, product, network, calls, last_at: lastAt };
}

/** A line for each hour or day; with groups one for each of them that has calls there. */
export function usageAsCsv(report: UsageReport): StreamReply {
  return new StreamReply(csvLines(report), {
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': `attachment; filename="usage-${dayOf(report.from)}-${dayOf(report.to)}.csv"`,
    'Cache-Control': 'no-store',
  });
}

// A generator that is asynchronous, as what is sent at the pace of the client has to be.
async function* csvLines({ points, groups }: UsageReport): AsyncGenerator<string> {
  if (!groups) {
    yield csvLine(['start', 'calls', 'allowed', 'refused']);
    yield points.map(({ start, ...counts }) => csvLine([start, ...Object.values(presentCounts(counts))])).join('');
    return;
  }
  yield csvLine(['start', 'id', 'name', 'calls']);
  for (const [index, { start }] of points.entries()) {
    const there = groups.filter(({ series }) => series[index]);
    yield there.map(({ id, name, series }) => csvLine([start, id, name, series[index]])).join('');
  }
}

function presentCounts({ calls, allowed }: CallCounts) {
  return { calls, allowed, refused: calls - allowed };
}

function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}
