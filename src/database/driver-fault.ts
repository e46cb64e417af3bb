import type { ConstraintDetails } from './errors.js';

/** What the dialects find out about an error; the rest is the same for both. */
export type DriverFault =
  | ({ kind: 'unique' } & ConstraintDetails)
  | { kind: 'foreign-key'; constraint: string | null }
  | { kind: 'conflict' }
  | { kind: 'unavailable' }
  /** The connection broke; whether the statement took effect is not known. */
  | { kind: 'lost' }
  /** `revealing`: the driver's sentence repeats values of the statement and must not reach a log (S69). */
  | { kind: 'fault'; revealing?: boolean };
