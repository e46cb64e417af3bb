import { BoundedCache, networkOf, type Clock, type NetworkPrefixes } from '../../../core/index.js';
import type { RedisConnection } from '../../../cache/index.js';
import type { Database } from '../../../database/index.js';
import type { KeyAdmission } from '../../../gateway/index.js';
import { findKeylessProduct, SLUG, type KeylessProduct } from '../../catalog/index.js';
import { CallLimitsReader } from './call-limits.js';
import { NetworkCounts, type NetworkOwner } from './network-counts.js';
import { OwnCounts } from './own-counts.js';
import type { LimitDecision } from './limit-decision.js';

interface KeylessCallsParts {
  readonly database: Database;
  /** null: each process counts for itself. */
  readonly redis: RedisConnection | null;
  readonly clock: Clock;
  /** How much of an address tells callers apart. */
  readonly prefixes: NetworkPrefixes;
  /** Told when a process counts for itself although it should not. */
  readonly onFallback: (error: unknown) => void;
}

/** A call without a key to a product that needs none. */
export interface KeylessCall {
  readonly decision: KeyAdmission;
  /** What its plan says to it; null: no limits. */
  readonly limits: LimitDecision | null;
}

const MOST_PRODUCTS = 500;
/** How soon a change of a product or a plan is in force. */
const KEPT_MS = 1_000;
/** Networks that a process tells apart; who was longest away is forgotten first. */
const MOST_NETWORKS = 20_000;
const NOBODY = { developer: '', app: '', keyId: '' };

/** Lets calls without a key pass to products that offer a plan for them, and holds each network against it. */
export class KeylessCalls {
  private readonly products: BoundedCache<KeylessProduct | null>;
  private readonly reader: CallLimitsReader;
  private readonly own: OwnCounts<NetworkOwner>;
  private readonly shared: NetworkCounts | null;

  constructor(private readonly parts: KeylessCallsParts) {
    const { redis, clock } = parts;
    this.products = new BoundedCache({ entries: MOST_PRODUCTS, age: { ms: KEPT_MS, clock } });
    this.reader = new CallLimitsReader(parts);
    const progress = { begun: 0, isFlushing: false };
    const own = { stored: null, progress, clock, flush: 0, onUnread: () => undefined, entries: MOST_NETWORKS };
    this.own = new OwnCounts<NetworkOwner>(own, ({ productId, network }) => `${productId} ${network}`);
    this.shared = redis && new NetworkCounts({ connection: redis, clock });
  }

  /**
   * @param product slug
   * @param caller address as the proxy tells it; callers that it does not tell count as one
   * @returns null for a product that needs a key
   * @throws DatabaseUnavailableError
   */
  async admit(product: string, caller: string | undefined): Promise<KeylessCall | null> {
    if (!SLUG.test(product)) return null;
    const found = await this.products.read(product, () => findKeylessProduct(this.parts.database, product));
    if (!found) return null;
    const decision: KeyAdmission = { allowed: true, ...NOBODY, products: [product], plan: found.plan };
    const limits = await this.reader.limitsOf(found.plan);
    if (!limits) return { decision, limits: null };
    const owner = { productId: found.productId, network: networkOf(caller ?? '', this.parts.prefixes) };
    try {
      return { decision, limits: await (this.shared ?? this.own).decide(owner, limits) };
    } catch (error) {
      this.parts.onFallback(error);
      return { decision, limits: await this.own.decide(owner, limits) };
    }
  }
}
