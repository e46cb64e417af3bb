import type { Database } from '../database/index.js';
import type { Clock, Encrypter, Logger, Tracer, ProcessMetrics } from '../core/index.js';

/** What the portal provides to a driver. */
export interface GatewayContext {
  readonly database: Database;
  readonly encrypter: Encrypter;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly vitals?: ProcessMetrics;
  /** For drivers that call another service: records a span per call. */
  readonly tracer?: Tracer;
}
