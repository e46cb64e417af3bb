import {
  GatewayConflictError,
  GatewayNotFoundError,
  type DeveloperAddress,
  type FoundApp,
  type Gateway,
  type GatewayInventory,
} from '../../../gateway/index.js';
import { ConflictError } from '../../../core/index.js';
import type { UserRecord } from '../../accounts/index.js';
import type { AppRecord } from '../app/app.js';
import { type Addressee, type GatewayAddresses, gatewayStatus } from './gateway-addresses.js';

/** Brings accounts to the gateway. */
export class DeveloperGateway {
  constructor(
    private readonly gateway: Gateway,
    private readonly addresses: GatewayAddresses,
  ) {}

  /**
   * Makes the developer known, or brings their name and e-mail up to date.
   * @throws ConflictError when the e-mail belongs to somebody else there: nobody is taken over by address (S70)
   */
  async ensure(owner: UserRecord): Promise<void> {
    const driver = await this.gateway();
    const { firstName, lastName } = owner;
    const status = owner.status === 'active' ? 'active' : 'inactive';
    const address = await this.addresses.developer(owner);
    try {
      const gatewayId = await driver.developers.ensure({ ...address, firstName, lastName, status });
      if (gatewayId !== address.gatewayId) await this.addresses.keep(owner, gatewayId);
    } catch (error) {
      if (!(error instanceof GatewayConflictError)) throw error;
      const fault = 'The gateway knows somebody else by this e-mail address. Ask the operator of this portal.';
      throw new ConflictError({ errors: { email: [fault] }, cause: error });
    }
  }

  /** Whether they ever had an app: only then the gateway has heard of them. */
  async isKnown(owner: Addressee): Promise<boolean> {
    return (await this.addresses.developer(owner)).gatewayId !== null;
  }

  /**
   * Opens or closes all their keys at once, as their account says; what is not there opens nothing anyway.
   * @param apps for gateways whose developers have no status of their own
   */
  async setStatus(owner: UserRecord, apps: readonly AppRecord[]): Promise<void> {
    const driver = await this.gateway();
    const isActive = owner.status === 'active';
    if (driver.capabilities.developers) {
      const address = await this.addresses.developer(owner);
      return ignoreMissingDeveloper(driver.developers.setStatus(address, isActive ? 'active' : 'inactive'));
    }
    for (const app of apps) {
      const status = gatewayStatus(driver, isActive ? app.status : 'revoked');
      await ignoreMissingDeveloper(driver.apps.setStatus(await this.addresses.app({ owner, app }), status));
    }
  }

  /** With all apps and keys. */
  async remove(owner: Addressee): Promise<void> {
    const driver = await this.gateway();
    await driver.developers.remove(await this.addresses.developer(owner));
  }

  /** Once nothing of them is left there. */
  forget(owner: Addressee): Promise<void> {
    return this.addresses.forget(owner);
  }

  /** Their apps as the gateway has them; undefined when it cannot tell. */
  async appsOf(owner: Addressee): Promise<readonly FoundApp[] | undefined> {
    const { inventory } = await this.gateway();
    if (!inventory) return undefined;
    const address = await this.addresses.developer(owner);
    const gatewayId = address.gatewayId ?? (await ownGatewayId(inventory, address));
    return gatewayId === null ? [] : inventory.apps(gatewayId);
  }
}

// Before their id was kept: who carries the portal's id there is them.
async function ownGatewayId(inventory: GatewayInventory, { id, email }: DeveloperAddress): Promise<string | null> {
  const found = await inventory.developerByEmail(email);
  return found?.portalId === id ? found.gatewayId : null;
}

async function ignoreMissingDeveloper(call: Promise<void>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof GatewayNotFoundError)) throw error;
  }
}
