import { SLUG } from '../../catalog/index.js';

/** A call that a proxy let through and has answered. */
export interface ReportedCall {
  readonly at: Date;
  readonly credentialId: number;
  /** Slug; null: not known. */
  readonly product: string | null;
  /** 0: the caller left before there was an answer. */
  readonly status: number;
  /** null: not known. */
  readonly milliseconds: number | null;
  readonly bytes: number;
}

/** Why a line is not counted. Never what stands in it: that is shown in terminals and logs. */
export const LINE_FAULTS = {
  too_long: 'longer than 16 kB',
  not_json: 'not a JSON object',
  bad_time: 'no time that is one (ISO 8601, or seconds since 1970)',
  in_future: 'the time is in the future',
  too_old: 'the time is too long ago',
  bad_key_id: 'no id of a key',
  bad_product: 'the product is no slug',
  bad_status: 'no status of HTTP',
  bad_time_taken: 'the time taken is no number of milliseconds',
  bad_bytes: 'the bytes are no number',
  unknown_key: 'there is no such key',
  unknown_product: 'the key does not carry this product',
} as const;
export type LineFault = keyof typeof LINE_FAULTS;

/** The fields of a line under the names of the portal; proxies write many numbers as text. */
export interface CallFields {
  readonly time?: unknown;
  readonly key_id?: unknown;
  readonly product?: unknown;
  readonly status?: unknown;
  readonly ms?: unknown;
  readonly bytes?: unknown;
}

/** Earliest and latest time of a call. */
export interface TimeWindow {
  readonly from: Date;
  readonly to: Date;
}

const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:?\d{2})$/;
const NUMBER = /^\d{1,15}(?:\.\d{1,9})?$/;
const DAY_MS = 86_400_000;
const MOST_BYTES = 1e11;

/** Reads one line, or tells what is wrong with it. Fields that the portal does not know are ignored. */
export function readReportedCall(fields: CallFields, window: TimeWindow): ReportedCall | LineFault {
  const at = timeOf(fields.time);
  if (at === null) return 'bad_time';
  if (at > window.to) return 'in_future';
  if (at < window.from) return 'too_old';
  const credentialId = readNumber(fields.key_id);
  if (!isWhole(credentialId) || credentialId === 0) return 'bad_key_id';
  const product = isNothing(fields.product) ? null : fields.product;
  if (product !== null && (typeof product !== 'string' || !SLUG.test(product))) return 'bad_product';
  const status = readNumber(fields.status);
  if (!isWhole(status) || (status !== 0 && (status < 100 || status > 599))) return 'bad_status';
  const milliseconds = isNothing(fields.ms) ? null : readNumber(fields.ms);
  if (milliseconds === undefined || (milliseconds ?? 0) > DAY_MS) return 'bad_time_taken';
  const bytes = isNothing(fields.bytes) ? 0 : readNumber(fields.bytes);
  if (!isWhole(bytes) || bytes > MOST_BYTES) return 'bad_bytes';
  return { at, credentialId, product, status, milliseconds, bytes };
}

/** `-` is what proxies write where a value is missing. */
export function isNothing(value: unknown): boolean {
  return value === undefined || value === null || value === '' || value === '-';
}

/** A number that is not negative, also as text. */
export function readNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) && value >= 0 ? value : undefined;
  return typeof value === 'string' && NUMBER.test(value) ? Number(value) : undefined;
}

function isWhole(value: number | undefined): value is number {
  return value !== undefined && Number.isSafeInteger(value);
}

function timeOf(value: unknown): Date | null {
  const seconds = readNumber(value);
  const time = new Date(seconds === undefined ? isoTime(value) : seconds * 1000);
  return Number.isNaN(time.getTime()) ? null : time;
}

function isoTime(value: unknown): number {
  return typeof value === 'string' && ISO.test(value) ? Date.parse(value) : NaN;
}
