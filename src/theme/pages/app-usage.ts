import type { OwnedApp } from '../../domain/apps/index.js';
import {
  answersIn,
  latencyOf,
  usageCsv,
  usageFileName,
  withRefused,
  type AnswerCounts,
  type Refusal,
  type UsageGrouping,
  type UsageOverview,
  type UsageShare,
} from '../../domain/usage/index.js';
import { withParameters } from '../format/paging.js';
import { quotaBars } from '../format/quota-bars.js';
import { usageChart } from '../format/usage-chart.js';
import { spanAt, usageSpan, USAGE_SPAN_NAMES, USAGE_SPANS } from '../format/usage-range.js';
import { definePage, Download, View } from '../page.js';
import { productNames } from './local-names.js';
import { APP_PLACES, findAppsOwner, ownApp, placeOf, presentAppsOwner, type DeveloperVisit } from './show-app.js';

const GROUPINGS = ['product', 'outcome', 'credential'] as const;
const PARAMETERS = ['range', 'product', 'key'] as const;
const DAY_MS = 86_400_000;

const own = { method: 'get', audience: 'developers', viewable: true, budget: { gateway: 0 } } as const;

/** How an app calls: how much, of what, and why calls were refused. Range and filters are in the address. */
export const appUsagePages = APP_PLACES.flatMap((place) => [
  definePage({
    ...own,
    path: `${place}/:appName/usage`,
    handle: async (visit) => showUsage(visit, await findUsedApp(visit)),
  }),
  definePage({ ...own, path: `${place}/:appName/usage/export`, handle: exportUsage }),
]);

const findUsedApp = (visit: DeveloperVisit) => ownApp(visit, 'usage.view');

async function showUsage(visit: DeveloperVisit, owned: OwnedApp): Promise<View> {
  const { services, params } = visit;
  const { parameters, span, asked } = readAskedRange(visit, owned);
  const [usage, answers, refusals, plans, asOf] = await Promise.all([
    services.usage.reader.overview(asked, GROUPINGS),
    services.usage.answers.report({ ...asked, groupBy: 'product' }),
    services.usage.refusals.reasons(asked),
    services.usage.quotas.ofApp(asked.appId),
    services.usage.traffic.asOf(),
  ]);
  const called = [...(usage.shares.get('product')?.groups ?? []), ...(answers.groups ?? [])];
  const products = [...called.map(({ name }) => name), asked.product];
  const slugs = [...products, ...refusals.map(({ product }) => product), ...plans.map(({ slug }) => slug)];
  const names = await productNames(visit, [...new Set(slugs.flatMap((slug) => slug ?? []))]);
  const place = `${placeOf(visit)}/${encodeURIComponent(params.appName ?? '')}/usage`;
  const linkTo = (changes: Changes) => place + withParameters(parameters, changes);
  return new View(
    'apps/usage',
    {
      ...presentAppsOwner(await findAppsOwner(visit, 'usage.view')),
      ...{ app: owned.app, totals: withRefused(usage), today: callsToday(usage, services.clock.now()) },
      refusedShare: usage.calls === 0 ? 0 : 1 - usage.allowed / usage.calls,
      asOf,
      ...{ span, chart: usageChart(usage.points, USAGE_SPANS[span]) },
      ranges: USAGE_SPAN_NAMES.map((name) => ({ name, href: linkTo({ range: name }), isCurrent: name === span })),
      chips: chipsOf(parameters, usage, names, linkTo),
      plans: plans.map(({ slug, name, plan, quotas }) => {
        const { isShared } = plan.limits;
        return { product: names.get(slug) ?? name, plan: plan.name, isShared, quotas: quotaBars(quotas) };
      }),
      shares: presentShares(usage, names, linkTo),
      // Only where proxies report them.
      answers: answersIn(answers.totals) > 0 && {
        rows: (answers.groups ?? []).map(({ name, counts }) =>
          presentAnswers(name && (names.get(name) ?? name), counts),
        ),
        all: presentAnswers(null, answers.totals),
      },
      reasons: groupByReason(refusals, names),
      downloads: [null, ...GROUPINGS].map((by) => ({
        ...{ by: by ?? 'time', href: `${place}/export${withParameters(parameters, { by })}` },
      })),
    },
    { title: 'usage.title' },
  );
}

async function exportUsage(visit: DeveloperVisit): Promise<Download> {
  const by = visit.request.query.get('by')?.at(-1);
  const groupBy = GROUPINGS.find((name) => name === by);
  const { asked } = readAskedRange(visit, await findUsedApp(visit));
  const report = await visit.services.usage.reader.report({ ...asked, groupBy });
  return new Download(usageCsv(report), {
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': `attachment; filename="${usageFileName(report)}.csv"`,
    'Cache-Control': 'no-store',
  });
}

/** What the address asks for; what is unknown there is left out. */
function readAskedRange({ request, services }: DeveloperVisit, { app, owner }: OwnedApp) {
  const parameters = new URLSearchParams();
  for (const name of PARAMETERS) {
    const value = request.query.get(name)?.at(-1);
    if (value && (name !== 'key' || /^[1-9]\d{0,15}$/.test(value))) parameters.set(name, value);
  }
  const span = usageSpan(parameters.get('range'));
  const key = parameters.get('key');
  const filter = {
    ...{ appId: app.id, viewerId: owner.id, product: parameters.get('product') ?? undefined },
    credentialId: key === null ? undefined : Number(key),
  };
  return { parameters, span, asked: { ...spanAt(USAGE_SPANS[span], services.clock.now()), ...filter } };
}

type Changes = Readonly<Record<string, string | null>>;
type LinkTo = (changes: Changes) => string;
type Names = ReadonlyMap<string, string>;

function callsToday({ points }: UsageOverview, now: Date): number {
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS;
  return points.reduce((sum, { start, calls }) => (start.getTime() >= today ? sum + calls : sum), 0);
}

/** The filters that are on, each with the address without it. */
function chipsOf(parameters: URLSearchParams, { shares }: UsageOverview, names: Names, linkTo: LinkTo) {
  const [product, key] = [parameters.get('product'), parameters.get('key')];
  const shown = shares.get('credential')?.groups.find(({ id }) => String(id) === key)?.name;
  return [
    ...(product === null ? [] : [{ by: 'product', value: names.get(product) ?? product, name: 'product' }]),
    ...(key === null ? [] : [{ by: 'credential', value: shown ?? key, name: 'key' }]),
  ].map(({ name, ...chip }) => ({ ...chip, without: linkTo({ [name]: null }) }));
}

function presentShares({ calls, shares }: UsageOverview, names: Names, linkTo: LinkTo) {
  return [...shares].map(([by, { groups, rest }]) => ({
    by,
    rest: withRefused(rest),
    rows: groups.map((share) => ({
      ...withRefused(share),
      name: chooseName(by, share.name, names),
      isBad: by === 'outcome' && share.name !== 'allowed',
      width: Math.round((share.calls / calls) * 1000) / 10,
      href: filterFor(by, share, linkTo),
    })),
  }));
}

function presentAnswers(name: string | null, counts: AnswerCounts) {
  return { ...counts, name, answers: answersIn(counts), latency: latencyOf(counts) };
}

function chooseName(by: UsageGrouping, name: string | null, names: Names): string | null {
  if (name === null || by === 'credential') return name;
  return by === 'outcome' ? name.replaceAll('_', '-') : (names.get(name) ?? name);
}

/** Where the calls of this share alone are shown. */
function filterFor(by: UsageGrouping, { id, name }: UsageShare, linkTo: LinkTo): string | null {
  if (by === 'product') return name === null ? null : linkTo({ product: name });
  return by === 'credential' && id !== null ? linkTo({ key: String(id) }) : null;
}

/** The reasons, the latest first, each with the keys and products that it hit. */
function groupByReason(refusals: readonly Refusal[], names: Names) {
  const outcomes = [...new Set(refusals.map(({ outcome }) => outcome))];
  return outcomes.map((outcome) => ({
    outcome: outcome.replaceAll('_', '-'),
    rows: refusals
      .filter((refusal) => refusal.outcome === outcome)
      .map((refusal) => ({ ...refusal, product: refusal.product && (names.get(refusal.product) ?? refusal.product) })),
  }));
}
