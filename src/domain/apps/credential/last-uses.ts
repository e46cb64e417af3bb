import { addSeconds, BoundedCache, type Clock, type Logger } from '../../../core/index.js';
import type { AppGateway } from '../provisioning/app-gateway.js';
import type { CredentialRecord } from './credential.js';

/** So long an answer of the gateway is good: it tells uses to the minute. */
const FRESH_S = 15;
/** Most keys to remember. */
const MOST_KEPT = 20_000;

export interface CredentialLastUse {
  /** null: never, as far as anybody has told. */
  readonly at: Date | null;
  /** When the gateway told so; null: it never did. */
  readonly asOf: Date | null;
  /** The gateway was asked and did not answer: this is what it said before. */
  readonly isStale: boolean;
}

interface Kept {
  readonly at: Date;
  readonly asOf: Date;
}

const UNKNOWN: CredentialLastUse = { at: null, asOf: null, isStale: false };

/**
 * When keys were last used, asked of the gateway at most once for any number of keys and kept for a moment. While the
 * gateway is away, the last answer stands and says so: reading must not fail with it, since nothing else of these records
 * comes from there. A key that was never used is asked about each time, so that its first call shows at once.
 */
export class LastUses {
  private readonly kept = new BoundedCache<Kept>({ entries: MOST_KEPT });

  constructor(
    private readonly gateway: AppGateway,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  async of(credentials: readonly CredentialRecord[]): Promise<(credential: CredentialRecord) => CredentialLastUse> {
    if (credentials.length === 0) return () => UNKNOWN;
    const now = this.clock.now();
    const fresh = addSeconds(now, -FRESH_S);
    const isFresh = ({ id }: CredentialRecord) => (this.kept.get(String(id))?.asOf ?? fresh) > fresh;
    if (credentials.every(isFresh)) return ({ id }) => ({ ...UNKNOWN, ...this.kept.get(String(id)) });
    try {
      const uses = await this.gateway.lastUse(credentials);
      if (uses === null) return () => UNKNOWN;
      for (const [id, at] of uses) this.kept.set(String(id), { at, asOf: now });
      return ({ id }) => ({ at: uses.get(id) ?? null, asOf: now, isStale: false });
    } catch (error) {
      this.logger.warn({ err: error }, 'the gateway did not tell when keys were last used');
      return ({ id }) => ({ ...UNKNOWN, ...this.kept.get(String(id)), isStale: true });
    }
  }

  /** What was said of a key whose life has changed. */
  forget(credentialId: number): void {
    this.kept.delete(String(credentialId));
  }
}
