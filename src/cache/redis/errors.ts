import { ServiceUnavailableError, type PortalErrorOptions } from '../../core/index.js';

/** Redis is away, too slow, or refuses what it was told (full, read-only). */
export class RedisUnavailableError extends ServiceUnavailableError {
  static override readonly code: string = 'redis_unavailable';

  constructor(options: PortalErrorOptions = {}) {
    super(2, options);
  }
}
