import { addSeconds, BoundedCache, type Clock, type Logger } from '../../../core/index.js';
import type { AppGateway } from '../gateway-operations/app-gateway.js';
import type { CredentialRecord } from './credential.js';

/** How long a gateway response counts as fresh: it is exact to the minute. */
const FRESH_S = 15;
/** Maximum number of keys to remember. */
const MOST_KEPT = 20_000;

export interface CredentialLastUse {
  /** null: never, as far as is known. */
  readonly at: Date | null;
  /** When the gateway reported it; null if it never did. */
  readonly asOf: Date | null;
  /** The gateway did not respond: this is its earlier answer. */
  readonly isStale: boolean;
}

interface CachedUse {
  readonly at: Date;
  readonly asOf: Date;
}

const UNKNOWN: CredentialLastUse = { at: null, asOf: null, isStale: false };

/**
 * Last use of keys, fetched from the gateway in one call for any number of keys and cached briefly. While the gateway
 * is down, the last answer is served and marked stale: reads must not fail over this one field. A key that was never
 * used is looked up every time, so that its first call shows at once.
 */
export class LastUses {
  private readonly cache = new BoundedCache<CachedUse>({ entries: MOST_KEPT });

  constructor(
    private readonly gateway: AppGateway,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  async of(credentials: readonly CredentialRecord[]): Promise<(credential: CredentialRecord) => CredentialLastUse> {
    if (credentials.length === 0) return () => UNKNOWN;
    const now = this.clock.now();
    const fresh = addSeconds(now, -FRESH_S);
    const isFresh = ({ id }: CredentialRecord) => (this.cache.get(String(id))?.asOf ?? fresh) > fresh;
    if (credentials.every(isFresh)) return ({ id }) => ({ ...UNKNOWN, ...this.cache.get(String(id)) });
    try {
      const uses = await this.gateway.lastUse(credentials);
      if (uses === null) return () => UNKNOWN;
      for (const [id, at] of uses) this.cache.set(String(id), { at, asOf: now });
      return ({ id }) => ({ at: uses.get(id) ?? null, asOf: now, isStale: false });
    } catch (error) {
      this.logger.warn({ err: error }, 'the gateway did not tell when keys were last used');
      return ({ id }) => ({ ...UNKNOWN, ...this.cache.get(String(id)), isStale: true });
    }
  }

  /** Drops the cached answer for a key whose lifetime has changed. */
  forget(credentialId: number): void {
    this.cache.delete(String(credentialId));
  }
}
