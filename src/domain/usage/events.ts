import { defineEvent, defineEventBase, eventField } from '../../core/index.js';
import type { AppRecord } from '../apps/index.js';
import type { QuotaPeriod } from '../catalog/index.js';

const UsageEvent = defineEventBase(
  {
    app: eventField<AppRecord>(),
    /** Slug of the product. */
    product: eventField<string>(),
  },
  { subject: ({ app }) => ({ type: 'app', id: app.id, label: app.name }), owner: ({ app }) => app.userId },
);

/** An app has used so many percent of a quota: announced once for each threshold and period, when several are passed for the highest. */
export class AppQuotaReachedEvent extends defineEvent(UsageEvent, 'app.quota_reached', {
  fields: {
    /** Name of the plan. */
    plan: eventField<string>(),
    period: eventField<QuotaPeriod>(),
    /** Calls. */
    limit: eventField<number>(),
    used: eventField<number>(),
    /** Percent. */
    threshold: eventField<number>(),
    /** When the quota starts anew. */
    ends: eventField<Date>(),
  },
  changes: ({ product, plan, period, limit, used, threshold, ends }) => ({
    ...{ product: [null, product], plan: [null, plan], period: [null, period], threshold: [null, `${threshold}%`] },
    ...{ limit: [null, limit], used: [null, used], ends: [null, ends] },
  }),
  facts: ({ product, period, limit, used, threshold, ends }) => ({
    ...{ product, period, limit, used, threshold, ends: ends.toISOString() },
  }),
}) {}

/** An app made more than three times its usual calls of a product in an hour: announced once a day. */
export class AppUsageUnusualEvent extends defineEvent(UsageEvent, 'app.usage_unusual', {
  fields: {
    /** The hour in which it made them. */
    hour: eventField<Date>(),
    calls: eventField<number>(),
    /** The median of the same hour on the days before. */
    usual: eventField<number>(),
  },
  changes: ({ product, hour, calls, usual }) => ({
    ...{ product: [null, product], hour: [null, hour], calls: [usual, calls] },
  }),
}) {}
