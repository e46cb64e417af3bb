import { answerDone, type ApiRequest, countOf, type FakeApigeeAnswer, UnknownCall } from './api-request.js';
import { faults } from './apigee-fault.js';
import type { FakeApigeeTraffic } from './apigee-model.js';
import type { ApigeeOrganization } from './apigee-organization.js';

const MOST = 14_400;
const HOUR_MS = 3_600_000;
const NOT_SET = '(not set)';
const METRIC = 'sum(message_count)';

/** `environments/{env}/stats/{dimensions}`, as far as portals use it: calls by hour. */
export class StatisticsApi {
  constructor(private readonly organization: ApigeeOrganization) {}

  handle({ method, segments, query }: ApiRequest): FakeApigeeAnswer {
    const [, environment = '', part, dimensions] = segments;
    if (method !== 'GET' || part !== 'stats' || dimensions === undefined || segments.length !== 4)
      throw new UnknownCall();
    if (query.get('select') !== METRIC) throw faults.invalid('Only sum(message_count) is known');
    if (query.get('timeUnit') !== 'hour') throw faults.invalid('Only hours are known');
    const range = (query.get('timeRange') ?? '').split('~').map(timeOf);
    const [from = NaN, to = NaN] = range;
    if (!(from < to)) throw faults.invalid('Invalid timeRange');
    const rows = this.sums(environment, dimensions.split(','), from, to);
    const offset = Number(query.get('offset') ?? 0);
    const part2 = rows.slice(offset, offset + countOf(query, MOST, 'limit'));
    return answerDone({
      environments: [{ name: environment, ...(part2.length > 0 && { dimensions: part2 }) }],
      metaData: { errors: [], notices: ['Source:Postgres'] },
    });
  }

  private sums(environment: string, dimensions: readonly string[], from: number, to: number) {
    const { traffic, options } = this.organization;
    const seenUntil = this.organization.now() - (options.statisticsDelay ?? 0) * 1000;
    const found = new Map<string, Map<number, number>>();
    for (const one of traffic) {
      const at = one.at.getTime();
      if (one.environment !== environment || at < from || at >= to || at > seenUntil) continue;
      const name = dimensions.map((dimension) => this.valueOf(one, dimension)).join(',');
      const hours = found.get(name) ?? new Map<number, number>();
      const hour = Math.floor(at / HOUR_MS) * HOUR_MS;
      hours.set(hour, (hours.get(hour) ?? 0) + one.calls);
      found.set(name, hours);
    }
    const isX = options.flavour === 'x';
    return [...found].map(([name, hours]) => ({
      name,
      ...(isX && { individualNames: name.split(',') }),
      metrics: [{ name: METRIC, values: [...hours].map(([hour, calls]) => valueOf(hour, calls, isX)) }],
    }));
  }

  private valueOf(one: FakeApigeeTraffic, dimension: string): string {
    const values: Readonly<Record<string, string | undefined>> = {
      developer: one.developerId && `${this.organization.name}@@@${one.developerId}`,
      developer_app: one.app,
      apiproduct: one.product,
      response_status_code: String(one.status),
    };
    if (!(dimension in values)) throw faults.invalid(`Unknown dimension ${dimension}`);
    return values[dimension] ?? NOT_SET;
  }
}

/** Edge tells numbers as text with a fraction. */
function valueOf(hour: number, calls: number, isX: boolean) {
  return { timestamp: hour, value: isX ? String(calls) : `${calls}.0` };
}

function timeOf(text: string): number {
  const [, month, day, year, time] = /^(\d{2})\/(\d{2})\/(\d{4}) (\d{2}:\d{2})$/.exec(text) ?? [];
  return Date.parse(`${year}-${month}-${day}T${time}:00Z`);
}
