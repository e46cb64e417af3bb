import type { Clock, Logger } from '../../kernel/index.js';
import type { ApigeeCalls } from './apigee-calls.js';

/** What the parts of the driver share. */
export interface ApigeeContext {
  readonly platform: 'x' | 'edge';
  /** Name of the attribute that says which record of the portal something belongs to. */
  readonly mark: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Begins an operation, which has a time of its own. */
  readonly begin: () => ApigeeCalls;
}
