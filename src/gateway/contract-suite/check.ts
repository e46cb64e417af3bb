import type { GatewayCapabilities } from '../index.js';
import type { GatewayStage } from './stage.js';
import type { GatewaySubject } from './subject.js';

/** One requirement of the contract. */
export interface GatewayCheck {
  /** What a correct driver does, as the end of a sentence. */
  readonly name: string;
  /** What the check requires; it is skipped otherwise. */
  readonly needs?: readonly Need[];
  run(stage: GatewayStage): Promise<void>;
}

/**
 * Requirements of a check: a capability, an endpoint to try keys at, a controllable clock, an inventory, a changeable
 * expiry.
 */
export type Need = keyof GatewayCapabilities | 'door' | 'clock' | 'inventory' | 'movableExpiry';

/** Why a check cannot run; undefined if it can. */
export function obstacle({ needs = [] }: GatewayCheck, subject: GatewaySubject): string | undefined {
  return needs.map((need) => findLacking(need, subject)).find((reason) => reason !== undefined);
}

function findLacking(need: Need, { driver, opens, advance }: GatewaySubject): string | undefined {
  switch (need) {
    case 'door':
      return opens ? undefined : 'no door to try keys at';
    case 'clock':
      return advance ? undefined : 'nobody can move the clock of this gateway';
    case 'inventory':
      return driver.inventory ? undefined : 'the driver cannot tell what is there';
    case 'expiry':
      return driver.capabilities.expiry === 'none' ? 'keys never end by themselves' : undefined;
    case 'movableExpiry':
      return driver.capabilities.expiry === 'changeable' ? undefined : 'the end of a key stays where it is';
    default:
      return driver.capabilities[need] ? undefined : `lacks the capability ${need}`;
  }
}
