import { type Database, UniqueViolationError } from '../../database/index.js';
import { defaultKeys } from '../config.js';
import type { GatewayContext } from '../context.js';
import type { GatewayCapabilities } from '../capabilities.js';
import type {
  GatewayDriver,
  GatewayProduct,
  GatewayProducts,
  DeveloperAddress,
  GatewayDeveloper,
  GatewayDevelopers,
  GatewayDeveloperStatus,
} from '../contract.js';
import { GatewayUnavailableError, GatewayNotFoundError } from '../errors.js';
import { LastUseRecorder } from './last-use.js';
import { LocalApps } from './local-apps.js';
import { LocalInventory } from './local-inventory.js';
import { LocalKeyProducts, LocalKeys } from './local-keys.js';
import { LocalVerifier } from './local-verifier.js';
import { localDeveloperRecord, localKeyRecord, portalProductRecord } from './records.js';

/** The portal as its own gateway: issues keys, and verifies them for proxies. */
export class LocalGateway implements GatewayDriver {
  readonly name = 'local';
  readonly capabilities: GatewayCapabilities = {
    developers: true,
    pending: true,
    keyStatus: true,
    productsPerKey: true,
    productStatusPerKey: true,
    readSecret: true,
    importKey: false,
    expiry: 'changeable',
    usage: true,
    plans: true,
    moveApps: true,
  };
  readonly developers: LocalDevelopers;
  readonly apps: LocalApps;
  readonly keys: LocalKeys;
  readonly keyProducts: LocalKeyProducts;
  readonly products: LocalProducts;
  readonly inventory: LocalInventory;
  readonly verifier: LocalVerifier;
  private readonly database: Database;
  private readonly lastUse: LastUseRecorder;

  constructor({ database, encrypter, clock, logger, keys = defaultKeys }: GatewayContext) {
    this.database = database;
    this.lastUse = new LastUseRecorder(database, clock, logger);
    this.developers = new LocalDevelopers(database);
    this.keys = new LocalKeys(database, encrypter, clock, keys);
    this.apps = new LocalApps(database, this.keys);
    this.keyProducts = new LocalKeyProducts(database, this.keys);
    this.products = new LocalProducts(database);
    this.inventory = new LocalInventory(database);
    this.verifier = new LocalVerifier(database, clock, this.lastUse, keys);
  }

  async check(): Promise<void> {
    try {
      await localKeyRecord.has(this.database, { id: 0 });
    } catch (cause) {
      throw new GatewayUnavailableError(1, { detail: 'the tables of the local gateway do not answer', cause });
    }
  }

  async close(): Promise<void> {
    await this.lastUse.settle();
  }
}

/** The local gateway uses the portal's own products, drafts included. */
class LocalProducts implements GatewayProducts {
  constructor(private readonly database: Database) {}

  list(): Promise<readonly GatewayProduct[]> {
    return portalProductRecord.findAll(this.database, {}, { order: 'p.gateway_product_id' });
  }
}

class LocalDevelopers implements GatewayDevelopers {
  constructor(private readonly database: Database) {}

  async ensure(developer: GatewayDeveloper): Promise<string> {
    if (await this.update(developer)) return developer.id;
    try {
      const { id, email, status } = developer;
      await localDeveloperRecord.insert(this.database, { id, email, status });
    } catch (error) {
      // A concurrent request of the same developer came first.
      if (!(error instanceof UniqueViolationError)) throw error;
      await this.update(developer);
    }
    return developer.id;
  }

  async setStatus({ id }: DeveloperAddress, status: GatewayDeveloperStatus): Promise<void> {
    const matched = await localDeveloperRecord.update(this.database, { id }, { status });
    if (matched === 0) throw new GatewayNotFoundError({ detail: `the local gateway has no developer ${id}` });
  }

  async remove({ id }: DeveloperAddress): Promise<void> {
    await localDeveloperRecord.remove(this.database, { id });
  }

  private async update({ id, email }: GatewayDeveloper): Promise<boolean> {
    return (await localDeveloperRecord.update(this.database, { id }, { email })) > 0;
  }
}
