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
import type { TeamPeople } from '../contracts.js';
import { type Addressee, type GatewayAddresses, gatewayStatus } from './gateway-addresses.js';

/** Provisions developers at the gateway. */
export class DeveloperGateway {
  constructor(
    private readonly gateway: Gateway,
    private readonly addresses: GatewayAddresses,
    private readonly people: TeamPeople,
  ) {}

  /**
   * Creates the developer, or updates their name and e-mail.
   * @throws ConflictError when the e-mail belongs to somebody else there: a developer is never taken over by address
   *   (S70)
   */
  async ensure(owner: UserRecord): Promise<void> {
    const driver = await this.gateway();
    const { firstName, lastName } = owner;
    const isTeam = driver.capabilities.teams === true && (await this.addresses.isTeam(owner));
    const status = owner.status === 'active' ? 'active' : 'inactive';
    const members = isTeam ? { members: await this.people.peopleOf(owner.id) } : {};
    const address = await this.addresses.developer(owner);
    try {
      const gatewayId = await driver.developers.ensure({ ...address, firstName, lastName, status, isTeam, ...members });
      if (gatewayId !== address.gatewayId) await this.addresses.keep(owner, gatewayId);
    } catch (error) {
      if (!(error instanceof GatewayConflictError)) throw error;
      const fault = 'The gateway knows somebody else by this e-mail address. Ask the operator of this portal.';
      throw new ConflictError({ errors: { email: [fault] }, cause: error });
    }
  }

  /** Whether the gateway keeps teams, and so may show who is in them. */
  async keepsTeams(): Promise<boolean> {
    return (await this.gateway()).capabilities.teams === true;
  }

  /** Whether the gateway knows the developer, which it does once they have had an app. */
  async isKnown(owner: Addressee): Promise<boolean> {
    return (await this.addresses.developer(owner)).gatewayId !== null;
  }

  /**
   * Opens or closes all keys of a developer at once to match the account; missing records need no closing.
   * @param apps for gateways where developers have no status
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

  /** Removes the developer with all apps and keys. */
  async remove(owner: Addressee): Promise<void> {
    const driver = await this.gateway();
    await driver.developers.remove(await this.addresses.developer(owner));
  }

  /** Drops the stored link. Call it once the gateway holds nothing of the developer. */
  forget(owner: Addressee): Promise<void> {
    return this.addresses.forget(owner);
  }

  /** The apps of a developer at the gateway; undefined when it cannot list them. */
  async appsOf(owner: Addressee): Promise<readonly FoundApp[] | undefined> {
    const { inventory } = await this.gateway();
    if (!inventory) return undefined;
    const address = await this.addresses.developer(owner);
    const gatewayId = address.gatewayId ?? (await ownGatewayId(inventory, address));
    return gatewayId === null ? [] : inventory.apps(gatewayId);
  }
}

// For accounts from before gateway ids were stored: match by the portal's id there.
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
