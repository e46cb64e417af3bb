import type { CountedTraffic, GatewayStatistics, InventoryPage } from '../../gateway/index.js';
import type { ApigeeContext } from './apigee-calls.js';
import { places } from './place.js';

/** What Apigee returns at most, and by default. */
const PAGE = 14_400;
const METRIC = 'sum(message_count)';
const HOUR_MS = 3_600_000;
/** Apigee's name of what a call has not, such as the app of one without a key. */
const NOT_SET = '(not set)';

/** Apigee's analytics: calls by developer, app, product and status. */
export class ApigeeStatistics implements GatewayStatistics {
  /** Apigee says up to 10 minutes for X, and 12 or 13 for Edge. */
  readonly delay = 900;

  /** @param environments at least one */
  constructor(
    private readonly context: ApigeeContext,
    private readonly environments: readonly string[],
  ) {}

  async read(hour: Date, after: string | null): Promise<InventoryPage<CountedTraffic>> {
    const [index = 0, offset = 0] = (after ?? '0 0').split(' ').map(Number);
    const query = {
      select: METRIC,
      timeRange: `${timeOf(hour)}~${timeOf(new Date(hour.getTime() + HOUR_MS))}`,
      timeUnit: 'hour',
      // Largest first, so that rows which change between two pages are near the end.
      ...{ sortby: METRIC, sort: 'DESC', limit: PAGE, offset },
    };
    const place = places.statistics(this.environments[index] ?? '');
    const rows = await this.context.begin().get(place, (body) => rowsOf(body, hour.getTime()), query);
    const isLast = rows.length < PAGE;
    const hasMore = !isLast || index + 1 < this.environments.length;
    const next = hasMore ? (isLast ? `${index + 1} 0` : `${index} ${offset + PAGE}`) : null;
    return { items: rows.flatMap((row) => row ?? []), next };
  }
}

/** `06/01/2026 12:00`, in UTC. */
function timeOf(time: Date): string {
  const [year, month, day] = time.toISOString().slice(0, 10).split('-');
  return `${month}/${day}/${year} ${time.toISOString().slice(11, 16)}`;
}

interface Dimension {
  readonly name?: unknown;
  readonly individualNames?: unknown;
  readonly metrics?: readonly { readonly name?: unknown; readonly values?: readonly unknown[] }[];
}

interface StatisticsBody {
  readonly environments?: readonly { readonly dimensions?: readonly Dimension[] }[];
}

/** null for a row that belongs to no app. */
function rowsOf(body: unknown, hour: number): (CountedTraffic | null)[] {
  const { environments = [] } = (body ?? {}) as StatisticsBody;
  return environments.flatMap(({ dimensions = [] }) => dimensions.map((dimension) => trafficOf(dimension, hour)));
}

// None of these names can hold a comma.
function trafficOf({ name, individualNames, metrics = [] }: Dimension, hour: number): CountedTraffic | null {
  const names = Array.isArray(individualNames) ? individualNames.map(String) : String(name).split(',');
  const [developer = '', app = '', product = '', status = ''] = names;
  const values = metrics.find((metric) => metric.name === METRIC)?.values ?? [];
  const calls = values.reduce<number>((sum, value) => sum + callsIn(value, hour), 0);
  if (calls === 0 || [developer, app].some((text) => text === '' || text === NOT_SET)) return null;
  return {
    developerId: developer.split('@@@').at(-1) ?? '',
    app,
    product: product === '' || product === NOT_SET ? null : product,
    status: /^\d{3}$/.test(status) ? Number(status) : 0,
    calls,
  };
}

function callsIn(value: unknown, hour: number): number {
  const { timestamp, value: count } = (value ?? {}) as { readonly timestamp?: unknown; readonly value?: unknown };
  const calls = Number(timestamp) === hour ? Math.round(Number(count)) : 0;
  return Number.isSafeInteger(calls) && calls > 0 ? calls : 0;
}
