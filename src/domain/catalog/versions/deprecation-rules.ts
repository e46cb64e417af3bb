import { ValidationError, type FieldErrors } from '../../../core/index.js';
import { addSeconds } from '../../../core/index.js';
import type { Brownout, Deprecation, DeprecationScope, DeprecationTerms } from './deprecation.js';

const DAY_S = 86_400;
const LONGEST_BROWNOUT_MS = 24 * 3_600_000;

type Dates = Pick<Deprecation, 'deprecatedAt' | 'sunsetAt' | 'brownouts'>;

/**
 * @param days least ones between deprecation and sunset
 * @throws ValidationError on `sunset_at` and `brownouts`
 */
export function requireDates({ deprecatedAt, sunsetAt, brownouts }: Dates, days: number): void {
  const errors: Record<string, string[]> = {};
  if (sunsetAt && sunsetAt < addSeconds(deprecatedAt, days * DAY_S)) {
    errors.sunset_at = [`The sunset must come at least ${days} days after the deprecation.`];
  }
  const wrong = brownouts.some(({ from, to }) => !isWindow(from, to, deprecatedAt, sunsetAt));
  if (wrong) {
    errors.brownouts = ['Each must end within 24 hours of its beginning, between deprecation and sunset.'];
  }
  refuse(errors);
}

function isWindow(from: string, to: string, deprecatedAt: Date, sunsetAt: Date | null): boolean {
  const [start, end] = [Date.parse(from), Date.parse(to)];
  const isOrdered = start < end && end - start <= LONGEST_BROWNOUT_MS;
  return isOrdered && start >= deprecatedAt.getTime() && (sunsetAt === null || end <= sunsetAt.getTime());
}

/** @throws ValidationError for a method without a path, and the other way round */
export function requireScope({ method = null, path = null }: DeprecationScope): void {
  if ((method === null) === (path === null)) return;
  refuse({ [method === null ? 'method' : 'path']: ['An operation has a method and a path.'] });
}

/** An address in the one spelling that can stand in a header. @throws ValidationError on the field */
export function cleanAddress(field: string, address: string | null | undefined): string | null | undefined {
  if (address === null || address === undefined) return address;
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '' || url.href.length > 2_048) {
    throw new ValidationError({ [field]: ['The address must begin with https:// and hold no password.'] });
  }
  return url.href.replace(/[<>"'`\\^{|}]/g, encodeURIComponent);
}

/** Brownouts in the order of time, in one spelling. */
export function cleanBrownouts(windows: DeprecationTerms['brownouts']): readonly Brownout[] | undefined {
  return windows
    ?.map(({ from, to }) => ({ from: new Date(from).toISOString(), to: new Date(to).toISOString() }))
    .sort((a, b) => (a.from < b.from ? -1 : 1));
}

function refuse(errors: FieldErrors): void {
  if (Object.keys(errors).length > 0) throw new ValidationError(errors);
}
