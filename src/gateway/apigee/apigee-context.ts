import type { Clock, Logger } from '../../core/index.js';
import type { ApigeeCalls } from './apigee-calls.js';
import type { Marks } from './marks.js';

/** What the parts of the driver share. */
export interface ApigeeContext {
  readonly platform: 'x' | 'edge';
  /** Say which record of which portal something belongs to. */
  readonly marks: Marks;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Begins an operation, which has a time of its own. */
  readonly begin: () => ApigeeCalls;
}
