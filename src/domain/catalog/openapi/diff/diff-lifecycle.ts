import type { JsonObject } from '../lookup.js';
import { isDate, sunsetOf } from './api-operations.js';

/** How long what is deprecated stays. */
export interface SunsetPolicy {
  /** As `YYYY-MM-DD`. */
  readonly today: string;
  /** Least days from a deprecation to the sunset; 0 asks for none, and for no sunset at all. */
  readonly sunsetDays: number;
}

/** What became of `deprecated` and `x-sunset`; `sunset-invalid` of something newly deprecated. */
export type LifecycleChange =
  | 'reactivated'
  | 'deprecated'
  | 'deprecated-with-sunset'
  | 'sunset-missing'
  | 'sunset-too-soon'
  | 'sunset-invalid'
  | 'sunset-deleted'
  | 'sunset-unreadable'
  | 'sunset-earlier';

type Tell = (change: LifecycleChange, values: { readonly old: string | null; readonly new: string | null }) => void;

/** Of an operation, a parameter or a field. */
export function tellLifecycle(old: JsonObject, present: JsonObject, policy: SunsetPolicy, tell: Tell): void {
  const [was, is] = [old.deprecated === true, present.deprecated === true];
  const values = { old: sunsetOf(old), new: sunsetOf(present) };
  const change = !is ? (was ? 'reactivated' : null) : was ? changeOf(values, policy) : beginOf(values.new, policy);
  if (change !== null) tell(change, values);
}

function beginOf(sunset: string | null, policy: SunsetPolicy): LifecycleChange {
  if (sunset === null) return policy.sunsetDays > 0 ? 'sunset-missing' : 'deprecated';
  if (!isDate(sunset)) return 'sunset-invalid';
  return daysUntil(sunset, policy) < policy.sunsetDays ? 'sunset-too-soon' : 'deprecated-with-sunset';
}

function changeOf(values: { old: string | null; new: string | null }, policy: SunsetPolicy): LifecycleChange | null {
  if (values.old === values.new) return null;
  if (values.new === null) return 'sunset-deleted';
  if ([values.old, values.new].some((sunset) => sunset !== null && !isDate(sunset))) return 'sunset-unreadable';
  const isEarlier = values.old !== null && values.new.slice(0, 10) < values.old.slice(0, 10);
  return isEarlier && daysUntil(values.new, policy) < policy.sunsetDays ? 'sunset-earlier' : null;
}

const DAY = 86_400_000;

function daysUntil(sunset: string, { today }: SunsetPolicy): number {
  return (Date.parse(sunset.slice(0, 10)) - Date.parse(today)) / DAY;
}

/** What may change at any time is removed and deprecated without a word before. */
export function isUnstable(operation: JsonObject): boolean {
  return ['draft', 'alpha'].includes(String(operation['x-stability-level']));
}
