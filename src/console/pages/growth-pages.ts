import { addSeconds } from '../../core/index.js';
import { definePage, View, withParameters, type Page } from '../../theme/index.js';
import { listAllowed, adminCall, type AdminVisit, type ConsoleContext } from '../console-visit.js';

/** Answer of `getFunnel`. */
interface Funnel {
  readonly from: Date;
  readonly to: Date;
  readonly signed_up: number;
  readonly app: number;
  readonly key: number;
  readonly first_call: number;
  readonly median_seconds: number | null;
}

/** Answer of `getMovers`. */
interface Movers {
  readonly since: Date;
  readonly from: Date;
  readonly to: Date;
  readonly movers: readonly {
    readonly id: number;
    readonly name: string | null;
    readonly calls: number;
    readonly before: number;
    readonly change: number;
  }[];
}

/** Steps, each with the filter that lists the developers who reached it. */
const STEPS = { signed_up: null, app: 'has_app', key: 'has_key', first_call: 'has_called' } as const;
const PERIODS = ['1', '7', '30'] as const;
const GROUPS = ['app', 'product'] as const;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const DAY_S = 86_400;

/** The path of developers to their first call, and whose calls changed most; the address holds what is shown. */
export function growthPages(context: ConsoleContext): Page[] {
  if (!context.registry.has('usage')) return [];
  const page = { method: 'get', audience: 'admins' } as const;
  return [
    definePage({
      ...{ ...page, path: '/usage/funnel', needs: ['getFunnel'] },
      handle: (visit) => showFunnel(context, visit),
    }),
    definePage({
      ...{ ...page, path: '/usage/movers', needs: ['getMovers'] },
      handle: (visit) => showMovers(context, visit),
    }),
  ];
}

async function showFunnel(context: ConsoleContext, visit: AdminVisit): Promise<View> {
  const [from, last] = ['from', 'to'].map((name) => {
    const value = visit.request.query.get(name)?.at(-1) ?? '';
    return DAY.test(value) ? value : undefined;
  });
  // The last day is one of them, as people choose it.
  const to = last === undefined ? undefined : dayOf(addSeconds(new Date(last), DAY_S));
  const { data } = await context.operations.run('getFunnel', adminCall(visit, { query: { from, to } }));
  const funnel = data as Funnel;
  const mayList = (await listAllowed(context, visit, ['listUsers'])).has('listUsers');
  const days = { 'created_at.from': dayOf(funnel.from), 'created_at.to': dayOf(funnel.to) };
  const counts = Object.keys(STEPS).map((name) => funnel[name as keyof typeof STEPS]);
  return new View(
    'console/funnel',
    {
      ...{ from: dayOf(funnel.from), last: dayOf(addSeconds(funnel.to, -DAY_S)), median: funnel.median_seconds },
      steps: Object.entries(STEPS).map(([name, filter], index) => {
        const [count = 0, previous = 0] = [counts[index], counts[index - 1]];
        const share = funnel.signed_up === 0 ? 0 : count / funnel.signed_up;
        return {
          ...{ name: name.replaceAll('_', '-'), count, share, width: Math.round(share * 1000) / 10 },
          ofPrevious: index === 0 || previous === 0 ? null : count / previous,
          href: mayList ? listOf({ ...days, ...(filter !== null && { [filter]: 'true' }) }) : null,
        };
      }),
    },
    { title: 'console.funnel.title' },
  );
}

async function showMovers({ operations }: ConsoleContext, visit: AdminVisit): Promise<View> {
  const choose = <Name extends string>(name: string, known: readonly Name[], usual: Name): Name =>
    known.find((one) => one === visit.request.query.get(name)?.at(-1)) ?? usual;
  const [days, by] = [choose('days', PERIODS, '7'), choose('by', GROUPS, 'app')];
  const { data } = await operations.run('getMovers', adminCall(visit, { query: { days, group_by: by } }));
  const { movers, ...period } = data as Movers;
  const linkTo = (changes: Readonly<Record<string, string>>) =>
    `/usage/movers${withParameters(new URLSearchParams({ days, by }), changes)}`;
  const range = { 1: 'day', 7: 'week', 30: 'month' }[days];
  const value = ({ id, name }: Movers['movers'][number]) => (by === 'app' ? String(id) : (name ?? String(id)));
  return new View(
    'console/movers',
    {
      ...{ by, since: period.since, from: period.from },
      last: addSeconds(period.to, -DAY_S),
      periods: PERIODS.map((name) => ({ name, href: linkTo({ days: name }), isCurrent: name === days })),
      groupings: GROUPS.map((name) => ({ name, href: linkTo({ by: name }), isCurrent: name === by })),
      rows: movers.map((mover) => ({
        ...mover,
        // There is no percentage for products that were not called before.
        share: mover.before === 0 ? null : mover.change / mover.before,
        href: `/usage${withParameters(new URLSearchParams(), { [by]: value(mover), range })}`,
      })),
    },
    { title: 'console.movers.title' },
  );
}

const dayOf = (time: Date) => time.toISOString().slice(0, 10);
const listOf = (filters: Readonly<Record<string, string>>) => `/users${withParameters(new URLSearchParams(), filters)}`;
