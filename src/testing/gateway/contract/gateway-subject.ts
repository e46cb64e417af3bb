import type { GatewayCapabilities, GatewayDriver, KeyPair } from '../../../gateway/index.js';
import type { GatewayStage } from './gateway-stage.js';

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

/** One promise of the contract. */
export interface GatewayCheck {
  /** What a good driver does, as the end of a sentence. */
  readonly name: string;
  /** Capability without which there is nothing to check. */
  readonly needs?: readonly Need[];
  run(stage: GatewayStage): Promise<void>;
}

/** What a check cannot do without: a capability, a door to try keys at, a clock to move, an inventory. */
export type Need = keyof GatewayCapabilities | 'door' | 'clock' | 'inventory';

/** Why a check cannot be made; undefined: it can. */
export function obstacle({ needs = [] }: GatewayCheck, subject: GatewaySubject): string | undefined {
  return needs.map((need) => lacking(need, subject)).find((reason) => reason !== undefined);
}

function lacking(need: Need, { driver, opens, advance }: GatewaySubject): string | undefined {
  switch (need) {
    case 'door':
      return opens ? undefined : 'no door to try keys at';
    case 'clock':
      return advance ? undefined : 'nobody can move the clock of this gateway';
    case 'inventory':
      return driver.inventory ? undefined : 'the driver cannot tell what is there';
    case 'expiry':
      return driver.capabilities.expiry === 'none' ? 'keys never end by themselves' : undefined;
    default:
      return driver.capabilities[need] ? undefined : `lacks the capability ${need}`;
  }
}
