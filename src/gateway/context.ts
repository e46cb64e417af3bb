import type { Database } from '../database/index.js';
import type { Clock, Encrypter, Logger, Tracer, ProcessMetrics } from '../core/index.js';

/** What the portal offers a driver. */
export interface GatewayContext {
  readonly database: Database;
  readonly encrypter: Encrypter;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly vitals?: ProcessMetrics;
  /** Drivers that call another service tell it of each call. */
  readonly tracer?: Tracer;
}
