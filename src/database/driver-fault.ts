import type { ConstraintDetails } from './errors.js';

/** The dialect-specific classification of an error; the rest is shared. */
export type DriverFault =
  | ({ kind: 'unique' } & ConstraintDetails)
  | { kind: 'foreign-key'; constraint: string | null }
  | { kind: 'conflict' }
  | { kind: 'unavailable' }
  /** The connection broke; whether the statement took effect is unknown. */
  | { kind: 'lost' }
  /** `revealing`: the driver's message repeats values of the statement and must not be logged (S69). */
  | { kind: 'fault'; revealing?: boolean };
