import { removeExpired } from '../database/index.js';
import type { AppServices } from '../domain/apps/index.js';
import type { ActivityServices } from '../domain/audit-log/index.js';
import type { SessionService } from '../domain/auth/index.js';
import type { CatalogServices } from '../domain/catalog/index.js';
import type { ContentServices } from '../domain/content/index.js';
import { pruneBulkJobs, type ConsoleServices } from '../domain/console/index.js';
import {
  ExpiringKeys,
  WaitingApprovals,
  WaitingSunsets,
  type ChangeDigests,
  type ChangeNotices,
} from '../domain/notifications/index.js';
import type { SearchServices } from '../domain/search/index.js';
import type { TeamServices } from '../domain/teams/index.js';
import type { UsageServices } from '../domain/usage/index.js';
import { pruneWebhooks, type WebhookServices } from '../domain/webhooks/index.js';
import type { RouteAuthorizer } from '../domain/rbac/index.js';
import type { ReadinessProbe } from '../http/index.js';
import { JobLeases, JobRunner, type Job } from '../jobs/index.js';
import type { MailOutbox, OutboxDelivery } from '../mail/index.js';
import { addSeconds } from '../core/index.js';
import { formatDate } from '../templates/index.js';
import type { DomainBase } from './base.js';
import { REDIS } from './readiness.js';

const MAIL_EVERY_S = 15;
/** Webhooks are woken when something happens; this is how late a second attempt may come. */
const WEBHOOKS_EVERY_S = 5;
/** An interrupted operation can be picked up after half a minute; portal and gateway must agree within one minute. */
const RECOVERY_EVERY_S = 10;
/** Bulk jobs are woken when they start; this is how soon another replica finds the job of one that died. */
const BULK_EVERY_S = 10;
/** How long after its time a plan may come. */
const PLANS_EVERY_S = 10;
/** Notices are woken when something is published; this is how late a reminder may come. */
const CHANGE_NOTICES_EVERY_S = 60;
/** How long after its hour a digest may come. */
const DIGESTS_EVERY_S = 300;
/** How late the end of what ended by itself may be recorded; keys are refused from its last second on. */
const SUNSETS_EVERY_S = 60;
const EXPIRING_EVERY_S = 3_600;
/** How soon the first of several pending approvals is mailed; `notices.approvalsEvery` limits further mails. */
const APPROVALS_EVERY_S = 60;
/** A part of the activity log for each run, all of it again and again. */
const VERIFY_EVERY_S = 600;
/** Readers sum up what is younger themselves. */
const USAGE_EVERY_S = 600;
const ALERTS_EVERY_S = 60;
/** Gateways count some minutes late, and let themselves be asked some ten times in a minute. */
const TRAFFIC_EVERY_S = 120;
/** How late the end of a view that ran out may be recorded; it shows nothing from its last second on. */
const VIEWS_EVERY_S = 60;
/** How soon a changed file of guides is read; only its times are looked at. */
const CONTENT_EVERY_S = 5;
/** Also woken by changes; this is for those that another process has noted. */
const SEARCH_EVERY_S = 5;
const MISSES_EVERY_S = 60;
const HOUSEKEEPING_EVERY_S = 3_600;
/** An expired link is useless, but support may ask about a mail for a month. */
const KEEP_MAILS_S = 30 * 86_400;

interface JobParts {
  readonly outbox: MailOutbox;
  readonly delivery: OutboxDelivery;
  readonly readiness: ReadinessProbe;
  readonly sessions: Pick<SessionService, 'prune'>;
  readonly recovery: Pick<AppServices['recovery'], 'run'>;
  readonly plans: Pick<AppServices, 'duePlans' | 'trials'>;
  readonly bulk: Pick<ConsoleServices, 'jobs' | 'worker' | 'developerViews'>;
  readonly activities: Pick<ActivityServices, 'check'>;
  readonly deprecations: Pick<CatalogServices['deprecations'], 'closeDue'>;
  readonly changeNotices: Pick<ChangeNotices, 'run' | 'onQueued'>;
  readonly changeDigests: Pick<ChangeDigests, 'run'>;
  readonly usage: UsageServices;
  readonly webhooks: WebhookServices;
  readonly content: ContentServices;
  readonly search: SearchServices;
  readonly recipients: TeamServices['recipients'];
  readonly authorizer: Pick<RouteAuthorizer, 'authorize'>;
}

/** The background jobs of a portal. */
export function createJobs(base: DomainBase, parts: JobParts): JobRunner {
  const { outbox, delivery, readiness, sessions, recovery, plans, bulk, activities } = parts;
  const { usage, webhooks, content, search } = parts;
  const { database, clock, logger, tracer } = base;
  const expiring = new ExpiringKeys({
    ...{ ...base, mail: outbox, recipients: parts.recipients },
    formatDate: (date, locale) => formatDate(date, locale, 'date'),
  });
  const waiting = createWaitingApprovals(base, parts);
  const jobs: Job[] = [
    { name: 'mail', every: MAIL_EVERY_S, exclusive: false, run: async () => void (await delivery.run()) },
    { name: 'webhooks', every: WEBHOOKS_EVERY_S, exclusive: false, run: (ending) => webhooks.dispatcher.run(ending) },
    // Runs on every replica: operations are claimed one by one, and a job lease would outlive a crashed holder.
    {
      name: 'gateway-recovery',
      every: RECOVERY_EVERY_S,
      exclusive: false,
      run: async () => void (await recovery.run()),
    },
    {
      name: 'plans',
      every: PLANS_EVERY_S,
      exclusive: true,
      run: async (stopping) => {
        await plans.duePlans.run(stopping);
        await plans.trials.run(stopping);
      },
    },
    { name: 'bulk', every: BULK_EVERY_S, exclusive: false, run: (stopping) => bulk.worker.run(stopping) },
    {
      name: 'verify-activities',
      every: VERIFY_EVERY_S,
      exclusive: true,
      run: (stopping) => activities.check.run(stopping),
    },
    { name: 'developer-views', every: VIEWS_EVERY_S, exclusive: true, run: () => bulk.developerViews.sweep() },
    { name: 'housekeeping', every: HOUSEKEEPING_EVERY_S, exclusive: true, run: () => keepHouse(base) },
    {
      name: 'prune-tokens',
      every: HOUSEKEEPING_EVERY_S,
      exclusive: true,
      run: async () => void (await sessions.prune()),
    },
    ...changeJobs(base, parts),
    { name: 'expiring-keys', every: EXPIRING_EVERY_S, exclusive: true, run: () => expiring.announce() },
    { name: 'usage', every: USAGE_EVERY_S, exclusive: true, run: (stopping) => usage.maintain(stopping) },
    ...countingJobs(base, usage),
    ...trafficJobs(base, usage),
    ...contentJobs(content),
    ...searchJobs(base, search),
    { name: 'waiting-approvals', every: APPROVALS_EVERY_S, exclusive: true, run: () => waiting.announce() },
  ];
  // Jobs do not need Redis, which only holds sessions and limits.
  const isReady = async () => (await readiness.read()).failing.every((check) => check === REDIS);
  const runner = new JobRunner({ leases: new JobLeases(database, clock), clock, logger, tracer, isReady }, jobs);
  wakeWhenDue(runner, parts);
  return runner;
}

/** What is queued is not kept waiting for the next interval. */
function wakeWhenDue(runner: JobRunner, { outbox, webhooks, search, bulk, usage, changeNotices }: JobParts): void {
  outbox.onQueued(() => runner.wake('mail'));
  changeNotices.onQueued(() => runner.wake(CHANGE_NOTICES));
  webhooks.outbox.onQueued(() => runner.wake('webhooks'));
  search.index.onChanged(() => runner.wake(SEARCH));
  bulk.jobs.onQueued(() => runner.wake('bulk'));
  usage.counter?.runWhenFull(() => runner.wake(FLUSH));
}

/** Of each replica: it writes what changed in its own files. */
function contentJobs({ sync, feedback }: ContentServices): Job[] {
  return [
    { name: 'content', every: CONTENT_EVERY_S, exclusive: false, run: () => sync.refresh() },
    { name: 'prune-feedback', every: HOUSEKEEPING_EVERY_S, exclusive: true, run: () => feedback.prune() },
  ];
}

const CHANGE_NOTICES = 'change-notices';

/** Jobs that carry out deprecations and notify people about changes. */
function changeJobs(base: DomainBase, parts: JobParts): Job[] {
  const { outbox, authorizer, deprecations, changeNotices, changeDigests } = parts;
  const waiting = new WaitingSunsets({
    ...{ ...base, mail: outbox, authorizer, locale: base.config.theme.locale, adminApi: adminApiOf(base) },
    page: (path) => base.pages.consolePage(path),
    formatDate: (date, locale) => formatDate(date, locale, 'date'),
  });
  const endDue = async (stopping: AbortSignal) => {
    await deprecations.closeDue(stopping);
    await waiting.announce(stopping);
  };
  return [
    {
      name: CHANGE_NOTICES,
      every: CHANGE_NOTICES_EVERY_S,
      exclusive: true,
      run: (stopping) => changeNotices.run(stopping),
    },
    {
      name: 'change-digests',
      every: DIGESTS_EVERY_S,
      exclusive: true,
      run: (stopping) => changeDigests.run(stopping),
    },
    { name: 'sunsets', every: SUNSETS_EVERY_S, exclusive: true, run: endDue },
  ];
}

/** Of drivers that count calls themselves; no other gateway is opened for it. */
function trafficJobs({ config }: DomainBase, { traffic }: UsageServices): Job[] {
  if (!config.usage.enabled || config.gateway.driver === 'local') return [];
  return [{ name: 'usage-traffic', every: TRAFFIC_EVERY_S, exclusive: true, run: (stopping) => traffic.run(stopping) }];
}

const FLUSH = 'usage-flush';

/** Every process writes what it has counted itself. */
function countingJobs({ config }: DomainBase, usage: UsageServices): Job[] {
  const { counter, ending } = usage;
  if (!counter) return [];
  const flush = async () => {
    await counter.flush();
    await ending?.flush();
  };
  return [
    { name: FLUSH, every: config.usage.flush, exclusive: false, run: flush },
    { name: 'usage-alerts', every: ALERTS_EVERY_S, exclusive: true, run: (stopping) => usage.alert(stopping) },
  ];
}

const SEARCH = 'search';

/** Every replica indexes what waits; of two that take the same record one gives way. */
function searchJobs({ config }: DomainBase, { index, misses }: SearchServices): Job[] {
  const flush: Job = { name: 'search-misses', every: MISSES_EVERY_S, exclusive: false, run: () => misses.flush() };
  if (!config.search.enabled) return [];
  return [
    flush,
    {
      name: SEARCH,
      every: SEARCH_EVERY_S,
      exclusive: false,
      run: async (stopping) => void (await index.run(stopping)),
    },
    {
      name: 'search-sweep',
      every: HOUSEKEEPING_EVERY_S,
      exclusive: true,
      run: async (stopping) => {
        await misses.prune();
        if ((await index.sweep()) > 0) await index.run(stopping);
      },
    },
  ];
}

function createWaitingApprovals(base: DomainBase, { outbox, authorizer }: JobParts): WaitingApprovals {
  const { database, clock, config } = base;
  return new WaitingApprovals({
    ...{ database, clock, authorizer, mail: outbox, config: config.notices, locale: config.theme.locale },
    verifyEmail: config.accounts.verifyEmail,
    adminApi: adminApiOf(base),
  });
}

function adminApiOf({ config, address }: DomainBase): () => string {
  const { prefix, adminPrefix } = config.portalApi;
  return () => `${address.base()}${prefix}/${adminPrefix}`;
}

/** Removes expired rows. */
async function keepHouse({ database, clock }: DomainBase): Promise<void> {
  await pruneBulkJobs({ database, clock });
  await pruneWebhooks({ database, clock });
  const now = clock.now();
  const ended = { condition: 'expires_at <= ?', values: [now] };
  await removeExpired(database, { table: 'portal_web_sessions', key: 'id', ...ended });
  await removeExpired(database, { table: 'portal_one_time_values', key: 'id', ...ended });
  await removeExpired(database, { table: 'portal_account_links', key: 'id', ...ended });
  for (const state of ['sent', 'failed']) {
    const old = { condition: 'state = ? AND updated_at <= ?', values: [state, addSeconds(now, -KEEP_MAILS_S)] };
    await removeExpired(database, { table: 'portal_mails', key: 'id', ...old });
  }
}
