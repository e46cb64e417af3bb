import type { Database } from '../database/index.js';
import type { Clock, Encrypter, Logger, Tracer, ProcessMetrics } from '../core/index.js';
import type { KeysConfig } from './config.js';
import { GatewayUnavailableError } from './errors.js';

/** What the portal provides to a driver. */
export interface GatewayContext {
  readonly database: Database;
  readonly encrypter: Encrypter;
  readonly clock: Clock;
  readonly logger: Logger;
  /** `keys.*`: how keys begin that the portal itself makes; by default as `portal_live_`. */
  readonly keys?: KeysConfig;
  readonly processMetrics?: ProcessMetrics;
  /** For drivers that call another service: records a span per call. */
  readonly tracer?: Tracer;
}

/** This portal's random id from the first migration; shared by all its replicas and unique to it. */
export async function readInstallation(database: Database): Promise<string> {
  const sql = 'SELECT installation FROM portal_installation WHERE id = 1';
  const [row] = await database.select<{ installation: string }>(sql);
  if (row) return row.installation;
  throw new GatewayUnavailableError(1, { detail: 'portal_installation is empty. Fix: portal migrate' });
}
