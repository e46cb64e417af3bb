import type { GatewayDriver, KeyPair } from '../index.js';

/** A driver to be tried, with all that the suite must know about its backend. */
export interface GatewaySubject {
  readonly driver: GatewayDriver;
  /** Names, at the gateway, of two products that keys may get without anybody's approval. */
  readonly products: readonly [string, string];
  /** Whether the gateway lets this key through to a product now. Without it the suite can only watch the driver. */
  readonly opens?: ((key: KeyPair, product: string) => Promise<boolean>) | undefined;
  /** Milliseconds that the gateway may take until a change arrives where keys are checked; 0 by default. */
  readonly patience?: number;
  /** Moves the backend's clock by seconds; undefined where nobody can. */
  readonly advance?: ((seconds: number) => void) | undefined;
  /** The backend's clock. */
  readonly now: () => Date;
}
