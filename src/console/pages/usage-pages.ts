import { addSeconds } from '../../core/index.js';
import { definePage, View, type Page } from '../../theme/index.js';
import { callOf, type AdminVisit, type ConsoleContext } from '../console-visit.js';
import { withParameters } from '../list-query.js';
import { downloadOf } from './document-pages.js';

interface Counts {
  readonly calls: number;
  readonly allowed: number;
  readonly refused: number;
}

/** What `getUsage` tells. */
interface Usage {
  readonly interval: string;
  readonly totals: Counts;
  readonly points: readonly (Counts & { readonly start: Date })[];
  readonly groups: readonly (Counts & { readonly id: number | null; readonly name: string | null })[];
  readonly rest: Counts;
}

const DAY_S = 86_400;

const HOUR_S = 3_600;

/** Ranges to choose from: `count` hours or days up to now, in seconds. */
const RANGES = {
  day: { interval: 'hour', unit: HOUR_S, count: 24 },
  week: { interval: 'hour', unit: HOUR_S, count: 7 * 24 },
  month: { interval: 'day', unit: DAY_S, count: 30 },
  year: { interval: 'day', unit: DAY_S, count: 365 },
} as const;
type RangeName = keyof typeof RANGES;

const GROUPS = ['product', 'app', 'credential', 'outcome'] as const;
const FILTERS = ['product', 'app', 'credential', 'user'] as const;

/** Calls that proxies asked about: how many, of what, and why some were refused; range and filters are in the address. */
export function usagePages(context: ConsoleContext): Page[] {
  if (!context.registry.has('usage')) return [];
  const { operations } = context;
  return [
    definePage({
      ...{
        method: 'get',
        path: '/usage',
        audience: 'admins',
        needs: ['getUsage', 'listRefusals', 'listCallsWithoutKey'],
      },
      handle: (visit) => showUsage(context, visit),
    }),
    definePage({
      ...{ method: 'get', path: '/usage/export', audience: 'admins', needs: ['exportUsage'] },
      handle: async (visit) => downloadOf(await operations.run('exportUsage', callOf(visit, askedOf(visit)))),
    }),
  ];
}

async function showUsage({ operations }: ConsoleContext, visit: AdminVisit): Promise<View> {
  const { query, parameters, range } = askedOf(visit);
  const read = async (name: string, asked: Readonly<Record<string, unknown>>) =>
    (await operations.run(name, callOf(visit, { query: asked }))).data;
  const usage = (await read('getUsage', query)) as Usage;
  const isWhole = FILTERS.every((name) => !parameters.has(name));
  const linkTo = (changes: Readonly<Record<string, string | null>>) => `/usage${withParameters(parameters, changes)}`;
  return new View(
    'console/usage',
    {
      ...{ usage, chart: chart(usage), download: `/usage/export${withParameters(parameters, {})}` },
      share: usage.totals.calls === 0 ? 0 : Math.round((usage.totals.refused / usage.totals.calls) * 1000) / 10,
      ranges: Object.keys(RANGES).map((name) => ({ name, href: linkTo({ range: name }), isCurrent: name === range })),
      by: query.group_by,
      groupings: GROUPS.map((name) => ({ name, href: linkTo({ by: name }), isCurrent: name === query.group_by })),
      rows: usage.groups.map((group) => ({ ...group, href: groupLink(query.group_by, group, linkTo) })),
      chips: FILTERS.flatMap((name) => {
        const value = parameters.get(name);
        return value === null ? [] : [{ name, value, without: linkTo({ [name]: null }) }];
      }),
      refusals: parameters.has('app') ? await read('listRefusals', { app: parameters.get('app') }) : null,
      strangers: isWhole ? await read('listCallsWithoutKey', { from: query.from }) : null,
    },
    { title: 'console.usage.title' },
  );
}

/** The query of the operation by the address of the page; what is unknown there is left out. */
function askedOf({ request, services }: AdminVisit) {
  const parameters = new URLSearchParams();
  for (const name of ['range', 'by', ...FILTERS]) {
    const value = request.query.get(name)?.at(-1);
    if (value) parameters.set(name, value);
  }
  const range = nameIn(Object.keys(RANGES) as RangeName[], parameters.get('range')) ?? 'month';
  const { interval, unit, count } = RANGES[range];
  const filters = Object.fromEntries(FILTERS.map((name) => [name, parameters.get(name) ?? undefined]));
  const query = {
    ...filters,
    interval,
    // The hour or day that has begun is one of them.
    from: addSeconds(services.clock.now(), unit - count * unit).toISOString(),
    group_by: nameIn(GROUPS, parameters.get('by')) ?? 'product',
  };
  return { query, parameters, range };
}

function nameIn<Name extends string>(names: readonly Name[], given: string | null): Name | undefined {
  return names.find((name) => name === given);
}

/** Where the calls of one group alone are shown. */
function groupLink(
  by: (typeof GROUPS)[number],
  { id, name }: Usage['groups'][number],
  linkTo: (changes: Readonly<Record<string, string | null>>) => string,
): string | null {
  if (by === 'outcome') return null;
  const value = by === 'product' ? name : id;
  return value === null ? null : linkTo({ [by]: String(value), by: by === 'product' ? 'app' : 'outcome' });
}

const [WIDTH, HEIGHT] = [720, 160];

/** Bars of allowed calls, with those that were refused on top. */
function chart({ points, interval }: Usage) {
  const most = Math.max(1, ...points.map(({ calls }) => calls));
  const step = WIDTH / Math.max(1, points.length);
  const heightOf = (count: number) => Math.round((count / most) * (HEIGHT - 8));
  const bars = points.map(({ start, ...counts }, index) => {
    const [allowed, all] = [heightOf(counts.allowed), heightOf(counts.calls)];
    return {
      ...counts,
      at: start
        .toISOString()
        .slice(0, interval === 'hour' ? 16 : 10)
        .replace('T', ' '),
      x: Math.round(index * step * 10) / 10,
      width: Math.round(Math.max(1, step * 0.8) * 10) / 10,
      good: { y: HEIGHT - allowed, height: allowed },
      bad: { y: HEIGHT - all, height: all - allowed },
    };
  });
  return { bars, most, first: bars[0]?.at, last: bars.at(-1)?.at, width: WIDTH, height: HEIGHT };
}
