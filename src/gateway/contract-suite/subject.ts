import type { GatewayDriver, KeyPair } from '../index.js';

/** A driver under test, with what the suite must know about its backend. */
export interface GatewaySubject {
  readonly driver: GatewayDriver;
  /** Gateway names of two products that keys may get without approval. */
  readonly products: readonly [string, string];
  /** Whether the gateway accepts this key for a product right now. Without it the suite can only observe the driver. */
  readonly opens?: ((key: KeyPair, product: string) => Promise<boolean>) | undefined;
  /** Milliseconds until a change takes effect where keys are checked; 0 by default. */
  readonly patience?: number;
  /** Moves the backend's clock by seconds; undefined if that is impossible. */
  readonly advance?: ((seconds: number) => void) | undefined;
  /** The backend's clock. */
  readonly now: () => Date;
}
