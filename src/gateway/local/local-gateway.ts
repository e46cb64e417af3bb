import type { Database } from '../../database/index.js';
import type { GatewayContext } from '../context.js';
import type { GatewayCapabilities, GatewayDriver } from '../contract.js';
import { GatewayUnavailableError } from '../errors.js';
import { LastUseRecorder } from './last-use.js';
import { LocalApps } from './local-apps.js';
import { LocalDevelopers } from './local-developers.js';
import { LocalInventory } from './local-inventory.js';
import { LocalKeyProducts } from './local-key-products.js';
import { LocalKeys } from './local-keys.js';
import { LocalProducts } from './local-products.js';
import { LocalVerifier } from './local-verifier.js';

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

  constructor({ database, encrypter, clock, logger }: GatewayContext) {
    this.database = database;
    this.lastUse = new LastUseRecorder(database, clock, logger);
    this.developers = new LocalDevelopers(database);
    this.keys = new LocalKeys(database, encrypter, clock);
    this.apps = new LocalApps(database, this.keys);
    this.keyProducts = new LocalKeyProducts(database, this.keys);
    this.products = new LocalProducts(database);
    this.inventory = new LocalInventory(database);
    this.verifier = new LocalVerifier(database, clock, this.lastUse);
  }

  async check(): Promise<void> {
    try {
      await this.database.select('SELECT id FROM portal_gateway_keys WHERE id = 0');
    } catch (cause) {
      throw new GatewayUnavailableError(1, { detail: 'the tables of the local gateway do not answer', cause });
    }
  }

  async close(): Promise<void> {
    await this.lastUse.settle();
  }
}
