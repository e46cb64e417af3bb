import { ServiceUnavailableError, type PortalErrorOptions } from '../core/index.js';

/** Redis is down, too slow, or refuses the command (full, read-only). */
export class RedisUnavailableError extends ServiceUnavailableError {
  static override readonly code: string = 'redis_unavailable';

  constructor(options: PortalErrorOptions = {}) {
    super(2, options);
  }
}
