import { defineRecord, fieldOf, type NewRowOf } from '../../../database/index.js';

/** Milliseconds. A bucket counts what took at most as long, and longer than the one before. */
const LATENCY_BOUNDS = [
  1, 2, 5, 10, 20, 35, 50, 75, 100, 150, 200, 300, 500, 750, 1000, 1500, 2000, 3000, 5000, 10_000, 30_000,
] as const;

const STATUS_CLASSES = ['successes', 'redirects', 'clientErrors', 'serverErrors', 'others'] as const;
export type StatusClass = (typeof STATUS_CLASSES)[number];
export type LatencyBucket = `upTo${(typeof LATENCY_BOUNDS)[number]}` | 'longer';

const bucketFields = Object.fromEntries([
  ...LATENCY_BOUNDS.map((bound) => [`upTo${bound}`, fieldOf.bigint().named(`up_to_${bound}`)]),
  ['longer', fieldOf.bigint()],
]) as Record<LatencyBucket, ReturnType<typeof fieldOf.bigint>>;
const LATENCY_BUCKETS = Object.keys(bucketFields) as LatencyBucket[];

/** Answers of an API, which can be added up: by class of status, by time, and their bytes. */
export type AnswerCounts = Record<StatusClass | LatencyBucket | 'bytes', number>;
export const ANSWER_COUNTS: readonly (keyof AnswerCounts)[] = [...STATUS_CLASSES, 'bytes', ...LATENCY_BUCKETS];

/** How counts are merged into a row that exists. */
export const ADDED_ANSWERS = Object.fromEntries(ANSWER_COUNTS.map((name) => [name, 'add'])) as Record<
  keyof AnswerCounts,
  'add'
>;

const place = { credentialId: fieldOf.reference().key(), productId: fieldOf.reference().key() };
const counts = {
  successes: fieldOf.bigint(),
  redirects: fieldOf.bigint(),
  clientErrors: fieldOf.bigint(),
  serverErrors: fieldOf.bigint(),
  others: fieldOf.bigint(),
  bytes: fieldOf.bigint(),
  ...bucketFields,
};

/** By the hour. A credential of 0: the gateway tells no keys apart. */
export const answerHourRecord = defineRecord({
  name: 'AnswerHour',
  table: 'portal_answer_hours',
  alias: 'h',
  fields: { appId: fieldOf.reference().key(), hour: fieldOf.integer().key(), ...place, ...counts },
});

/** The same by the day. */
export const answerDayRecord = defineRecord({
  name: 'AnswerDay',
  table: 'portal_answer_days',
  alias: 'd',
  fields: { appId: fieldOf.reference().key(), day: fieldOf.integer().key(), ...place, ...counts },
});

/** Reports that were counted, so that none counts twice when it is sent again. */
export const usageBatchRecord = defineRecord({
  name: 'UsageBatch',
  table: 'portal_usage_batches',
  alias: 'b',
  fields: {
    /** SHA-256 of what the sender called it, or of its bytes. */
    id: fieldOf.text(64).key(),
    /** SHA-256 of its bytes. */
    content: fieldOf.text(64),
    receivedAt: fieldOf.time(),
  },
});

/** Imported access logs, with how far each was read. */
export const usageFileRecord = defineRecord({
  name: 'UsageFile',
  table: 'portal_usage_files',
  alias: 'l',
  fields: {
    /** SHA-256 of everything up to the end of its first line of JSON. */
    head: fieldOf.text(64).key(),
    /** SHA-256 of all that was read. */
    content: fieldOf.text(64),
    /** Number of bytes read. */
    bytes: fieldOf.bigint(),
    importedAt: fieldOf.time(),
  },
});

/** How far the counts of a gateway were read. */
export const usageReadingRecord = defineRecord({
  name: 'UsageReading',
  table: 'portal_usage_readings',
  alias: 'g',
  fields: {
    driver: fieldOf.text(64).key(),
    /** The first hour to be read, again or for the first time. */
    hour: fieldOf.integer(),
    /** Until when calls are known. */
    asOf: fieldOf.time(),
  },
});

export type AnswerHour = NewRowOf<typeof answerHourRecord>;

export function noAnswers(): AnswerCounts {
  return Object.fromEntries(ANSWER_COUNTS.map((name) => [name, 0])) as AnswerCounts;
}

/** @param status 0: the caller left before there was an answer */
export function statusClassOf(status: number): StatusClass {
  const first = Math.floor(status / 100);
  return (first >= 2 && STATUS_CLASSES[first - 2]) || 'others';
}

/** @param milliseconds at least 0 */
export function bucketOf(milliseconds: number): LatencyBucket {
  const bound = LATENCY_BOUNDS.find((most) => milliseconds <= most);
  return bound === undefined ? 'longer' : `upTo${bound}`;
}

export function answersIn(counts: AnswerCounts): number {
  return STATUS_CLASSES.reduce((sum, name) => sum + counts[name], 0);
}

/**
 * The time within which a share of the answers came, in milliseconds; within its bucket they are taken to be spread evenly. 30 s
 * stands for anything longer. null: no time is known.
 * @param share above 0, at most 1
 */
function latencyAt(counts: AnswerCounts, share: number): number | null {
  const total = LATENCY_BUCKETS.reduce((sum, name) => sum + counts[name], 0);
  if (total === 0) return null;
  let before = 0;
  let lower = 0;
  for (const bound of LATENCY_BOUNDS) {
    const here = counts[`upTo${bound}`];
    if (here > 0 && before + here >= share * total) {
      const exact = lower + ((share * total - before) / here) * (bound - lower);
      return exact < 10 ? Math.round(exact * 10) / 10 : Math.round(exact);
    }
    before += here;
    lower = bound;
  }
  return lower;
}

/** Milliseconds within which half, 95 and 99 % of the answers came; null: no time is known. */
export function latencyOf(counts: AnswerCounts): { p50: number; p95: number; p99: number } | null {
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => latencyAt(counts, share));
  return p50 == null || p95 == null || p99 == null ? null : { p50, p95, p99 };
}
