import { addSeconds } from '../../core/index.js';
import { barChart, definePage, View, withParameters, type Page } from '../../theme/index.js';
import { listAllowed, adminCall, type AdminVisit, type ConsoleContext } from '../console-visit.js';

interface DailyCount {
  readonly date: string;
  readonly count: number;
}

/** Answer of `getStatistics`; null where the admin may not see it. */
interface Statistics {
  readonly waiting: Readonly<Record<'developers' | 'apps' | 'credentials' | 'products' | 'plans', number | null>>;
  readonly sign_ups: readonly DailyCount[] | null;
  readonly keys_ending: number | null;
  readonly first_calls: number | null;
  readonly mails: Readonly<Record<'queued' | 'failed', number>> | null;
  readonly top_products:
    readonly { readonly id: number; readonly slug: string; readonly name: string; readonly keys: number }[] | null;
  readonly gateway: { readonly driver: string; readonly state: 'up' | 'down'; readonly checked_at: Date };
}

/** A number with the list that makes it, below the prefix. */
interface Figure {
  /** Its message is `console.figure.<name>`. */
  readonly name: string;
  readonly count: number;
  readonly href: string;
  readonly isBad?: boolean;
}

/** Kinds of the inbox by the names of the statistics. */
const KINDS = { developers: 'developer', apps: 'app', credentials: 'key', products: 'product', plans: 'plan' } as const;
const DAY_S = 86_400;
const ENDING_S = 14 * DAY_S;
const MONTH = 30;
const CHART = { ticks: 5, tickStyle: 'day', barStyle: 'day' } as const;
const WEEK = 7;

/** The first page: what waits and how the portal does, each number with the list behind it. */
export function homePage(context: ConsoleContext): Page {
  const handle = async (visit: AdminVisit) => {
    const { data } = await context.operations.run('getStatistics', adminCall(visit));
    const statistics = data as Statistics;
    const { sign_ups: signUps, top_products: products, gateway } = statistics;
    const mayRead = await readableOf(context, visit);
    return new View('console/home', {
      decisions: countWaiting(statistics, mayRead),
      figures: [
        ...(await callFigures(context, visit, mayRead)),
        ...figuresOf(statistics, mayRead, visit.services.clock.now()),
        ...(await jobFigures(context, visit, mayRead)),
      ],
      signUps: signUps && mayRead('users') ? chart(signUps) : null,
      products: mayRead('keys')
        ? products?.map(({ id, ...product }) => ({ ...product, href: pathToKeysOf(id) }))
        : null,
      gateway,
    });
  };
  return definePage({ method: 'get', path: '/', audience: 'admins', needs: ['getStatistics'], handle });
}

type MayRead = (list: string) => boolean;

/** Which lists the admin may open: `inbox`, and resources by name. */
async function readableOf(context: ConsoleContext, visit: AdminVisit): Promise<MayRead> {
  const lists = new Map(context.registry.all.map(({ name, operations }) => [name, operations.list]));
  lists.set('inbox', 'listWaiting');
  const allowed = await listAllowed(context, visit, [...lists.values()]);
  return (name) => allowed.has(lists.get(name) ?? '');
}

function countWaiting({ waiting }: Statistics, mayRead: MayRead): Figure[] {
  if (!mayRead('inbox')) return [];
  return Object.entries(KINDS).flatMap(([name, kind]) => {
    const count = waiting[name as keyof typeof KINDS];
    return count === null ? [] : [{ name, count, href: `/inbox?kind=${kind}` }];
  });
}

function figuresOf(statistics: Statistics, mayRead: MayRead, now: Date): Figure[] {
  const { sign_ups: days, keys_ending: ending, first_calls: first, mails } = statistics;
  const signUps = (name: string, counts: readonly DailyCount[]) => ({
    ...{ name, count: sumOf(counts), href: linkToSignUps(counts) },
  });
  // The statistics count those of the last millisecond, too.
  const until = new Date(addSeconds(now, ENDING_S).getTime() + 1).toISOString();
  return [
    ...(days && mayRead('users') ? [signUps('sign-ups-week', days.slice(-WEEK)), signUps('sign-ups-month', days)] : []),
    ...(first !== null && mayRead('apps') ? [{ name: 'first-calls', count: first, href: linkToFirstCalls(now) }] : []),
    ...(ending !== null && mayRead('keys')
      ? [
          {
            ...{ name: 'keys-ending', count: ending },
            href: linkToList('keys', {
              status: 'approved',
              replaced: 'false',
              'expires_at.to': until,
              sort: 'expires_at',
            }),
          },
        ]
      : []),
    ...(mails && mayRead('mails')
      ? (['queued', 'failed'] as const).map((state) => ({
          ...{ name: `mails-${state}`, count: mails[state], href: linkToList('mails', { state }) },
          isBad: state === 'failed' && mails[state] > 0,
        }))
      : []),
  ];
}

/** Calls of the last 24 hours and those refused, in red from one in twenty. */
async function callFigures({ operations }: ConsoleContext, visit: AdminVisit, mayRead: MayRead): Promise<Figure[]> {
  if (!mayRead('usage')) return [];
  const { data } = await operations.run('getUsage', adminCall(visit, { query: { interval: 'hour' } }));
  const { calls, refused } = (data as { readonly totals: Readonly<Record<'calls' | 'refused', number>> }).totals;
  return [
    { name: 'calls-day', count: calls, href: '/usage?range=day' },
    {
      ...{ name: 'refused-day', count: refused, href: '/usage?by=outcome&range=day' },
      isBad: refused > 0 && refused * 20 >= calls,
    },
  ];
}

/** How many background jobs there are, in red when the last run of one has failed. */
async function jobFigures({ operations }: ConsoleContext, visit: AdminVisit, mayRead: MayRead): Promise<Figure[]> {
  if (!mayRead('jobs')) return [];
  const { data, page } = await operations.run('listJobs', adminCall(visit));
  const jobs = (page?.items ?? data) as readonly { readonly last_outcome: string }[];
  const failed = jobs.filter(({ last_outcome: outcome }) => outcome === 'failed').length;
  return [
    failed > 0
      ? { name: 'jobs-failing', count: jobs.length, href: '/jobs', isBad: true }
      : { name: 'jobs', count: jobs.length, href: '/jobs' },
  ];
}

const linkToList = (name: string, filters: Readonly<Record<string, string>>) =>
  `/${name}${withParameters(new URLSearchParams(), filters)}`;
const linkToSignUps = ([first]: readonly DailyCount[], end?: string) =>
  linkToList('users', { 'created_at.from': first?.date ?? '', ...(end !== undefined && { 'created_at.to': end }) });
const linkToFirstCalls = (now: Date) =>
  linkToList('apps', { 'first_called_at.from': dayOf(addSeconds(now, (1 - MONTH) * DAY_S)) });
const pathToKeysOf = (product: number) => `/keys?product=${product}`;
const sumOf = (days: readonly DailyCount[]) => days.reduce((sum, { count }) => sum + count, 0);

const dayOf = (time: Date) => time.toISOString().slice(0, 10);
const dayAfter = (date: string) => dayOf(addSeconds(new Date(date), DAY_S));

/** Bars of a chart, each with the list of its day. */
function chart(days: readonly DailyCount[]) {
  const bars = days.map((day) => ({
    ...{ label: day.date, start: new Date(day.date), value: day.count },
    href: linkToSignUps([day], dayAfter(day.date)),
  }));
  return { ...barChart(bars, CHART), total: sumOf(days), href: linkToSignUps(days) };
}
