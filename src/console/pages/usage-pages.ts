import {
  definePage,
  quotaBars,
  spanAt,
  usageChart,
  usageSpan,
  USAGE_SPAN_NAMES,
  USAGE_SPANS,
  View,
  withParameters,
  type Page,
} from '../../theme/index.js';
import { adminCall, type AdminVisit, type ConsoleContext } from '../console-visit.js';
import { downloadOf } from './document-pages.js';

interface Counts {
  readonly calls: number;
  readonly allowed: number;
  readonly refused: number;
}

/** Answer of `getUsage`. */
interface Usage {
  readonly interval: string;
  readonly as_of: Date | null;
  readonly totals: Counts;
  readonly points: readonly (Counts & { readonly start: Date })[];
  readonly groups: readonly (Counts & { readonly id: number | null; readonly name: string | null })[];
  readonly rest: Counts;
}

/** Answer of `getAnswers`, as far as the code looks at it. */
interface Answers {
  readonly totals: { readonly answers: number };
}

/** What `listQuotas` tells. */
interface Plan {
  readonly product: string;
  readonly plan: string;
  readonly shared: boolean;
  readonly quotas: readonly {
    readonly period: string;
    readonly limit: number;
    readonly used: number;
    readonly to: Date;
    readonly reset: { readonly at: Date; readonly reason: string } | null;
  }[];
}

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
        needs: ['getUsage', 'getAnswers', 'listRefusals', 'listQuotas', 'listCallsWithoutKey'],
      },
      handle: (visit) => showUsage(context, visit),
    }),
    definePage({
      ...{ method: 'get', path: '/usage/export', audience: 'admins', needs: ['exportUsage'] },
      handle: async (visit) => downloadOf(await operations.run('exportUsage', adminCall(visit, readAskedRange(visit)))),
    }),
    definePage({
      ...{ method: 'get', path: '/usage/plans/export', audience: 'admins', needs: ['exportPlanUsage'] },
      handle: async (visit) => {
        const month = visit.request.query.get('month')?.at(-1) ?? monthBefore(visit.services.clock.now());
        return downloadOf(await operations.run('exportPlanUsage', adminCall(visit, { query: { month } })));
      },
    }),
  ];
}

async function showUsage({ operations }: ConsoleContext, visit: AdminVisit): Promise<View> {
  const { query, parameters, span } = readAskedRange(visit);
  const read = async (name: string, asked: Readonly<Record<string, unknown>>) =>
    (await operations.run(name, adminCall(visit, { query: asked }))).data;
  const usage = (await read('getUsage', query)) as Usage;
  const by = query.group_by === 'outcome' ? undefined : query.group_by;
  const answers = (await read('getAnswers', { ...query, group_by: by })) as Answers;
  const isWhole = FILTERS.every((name) => !parameters.has(name));
  // Ids say little: apps and keys are named as their group is.
  const nameOf = async (filter: (typeof FILTERS)[number], value: string | null) => {
    if (filter !== 'app' && filter !== 'credential') return value;
    const { groups } = (await read('getUsage', { ...query, group_by: filter })) as Usage;
    return groups[0]?.name ?? value;
  };
  const linkTo = (changes: Readonly<Record<string, string | null>>) => `/usage${withParameters(parameters, changes)}`;
  return new View(
    'console/usage',
    {
      ...{ usage, span, chart: usageChart(usage.points, USAGE_SPANS[span]) },
      download: `/usage/export${withParameters(parameters, {})}`,
      share: usage.totals.calls === 0 ? 0 : usage.totals.refused / usage.totals.calls,
      ranges: USAGE_SPAN_NAMES.map((name) => ({ name, href: linkTo({ range: name }), isCurrent: name === span })),
      by: query.group_by,
      groupings: GROUPS.map((name) => ({ name, href: linkTo({ by: name }), isCurrent: name === query.group_by })),
      answers: answers.totals.answers === 0 ? null : answers,
      rows: usage.groups.map((group) => ({ ...group, href: groupLink(query.group_by, group, linkTo) })),
      chips: await Promise.all(
        FILTERS.filter((name) => parameters.has(name)).map(async (name) => {
          const value = await nameOf(name, parameters.get(name));
          return { name, value, without: linkTo({ [name]: null }) };
        }),
      ),
      plans: parameters.has('app')
        ? ((await read('listQuotas', { app: parameters.get('app') })) as Plan[]).map(planOf)
        : null,
      refusals: parameters.has('app') ? await read('listRefusals', { app: parameters.get('app') }) : null,
      month: isWhole ? monthBefore(visit.services.clock.now()) : null,
      strangers: isWhole ? await read('listCallsWithoutKey', { from: query.from, to: query.to }) : null,
    },
    { title: 'console.usage.title' },
  );
}

const planOf = ({ quotas, ...plan }: Plan) => ({
  ...plan,
  isShared: plan.shared,
  isTooSmall: quotas.some(({ used, limit }) => used >= limit),
  quotas: quotaBars(quotas.map(({ to, ...quota }) => ({ ...quota, ends: to }))),
});

/** The last whole month: `2026-05`. */
function monthBefore(now: Date): string {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 1)).toISOString().slice(0, 7);
}

/** The query of the operation by the address of the page; what is unknown there is left out. */
function readAskedRange({ request, services }: AdminVisit) {
  const parameters = new URLSearchParams();
  for (const name of ['range', 'by', ...FILTERS]) {
    const value = request.query.get(name)?.at(-1);
    if (value) parameters.set(name, value);
  }
  const span = usageSpan(parameters.get('range'));
  const { interval, from, to } = spanAt(USAGE_SPANS[span], services.clock.now());
  const filters = Object.fromEntries(FILTERS.map((name) => [name, parameters.get(name) ?? undefined]));
  const query = {
    ...filters,
    ...{ interval, from: from.toISOString(), to: to.toISOString() },
    group_by: GROUPS.find((name) => name === parameters.get('by')) ?? 'product',
  };
  return { query, parameters, span };
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
