import type { ReadinessProbe } from '../http/index.js';
import type { Clock } from '../kernel/index.js';

/** What routes may call: the services of every domain, built once by `portal.ts`. */
export interface PortalServices {
  readonly clock: Clock;
  readonly readiness: ReadinessProbe;
}
