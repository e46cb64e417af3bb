import { ExpiringKeys } from '../domain/notices/index.js';
import type { ReadinessProbe } from '../http/index.js';
import { JobLeases, JobRunner, type Job } from '../jobs/index.js';
import type { MailOutbox, OutboxDelivery } from '../mail/index.js';
import { formatDate } from '../views/index.js';
import type { DomainBase } from './base.js';
import { accountPages } from './mail.js';

const MAIL_EVERY_S = 15;
const EXPIRING_EVERY_S = 3_600;

interface JobParts {
  readonly outbox: MailOutbox;
  readonly delivery: OutboxDelivery;
  readonly readiness: ReadinessProbe;
}

/** What a portal does outside of requests. */
export function createJobs(base: DomainBase, { outbox, delivery, readiness }: JobParts): JobRunner {
  const { database, clock, config } = base;
  const expiring = new ExpiringKeys({
    ...{ database, clock, mail: outbox, pages: accountPages(base), defaultLocale: config.theme.locale },
    formatDate: (date, locale) => formatDate(date, locale, 'date'),
  });
  const jobs: Job[] = [
    { name: 'mail', every: MAIL_EVERY_S, exclusive: false, run: async () => void (await delivery.run()) },
    { name: 'expiring-keys', every: EXPIRING_EVERY_S, exclusive: true, run: () => expiring.announce() },
  ];
  const isReady = async () => (await readiness.read()).ready;
  const runner = new JobRunner({ leases: new JobLeases(database, clock), clock, logger: base.logger, isReady }, jobs);
  outbox.onQueued(() => runner.wake('mail'));
  return runner;
}
