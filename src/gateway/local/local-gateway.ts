import { type Database, UniqueViolationError, Op } from '../../database/index.js';
import type { GatewayCapabilities } from '../capabilities.js';
import { defaultKeys } from '../config.js';
import type { GatewayContext } from '../context.js';
import type {
  GatewayDriver,
  GatewayProduct,
  GatewayProducts,
  DeveloperAddress,
  GatewayDeveloper,
  GatewayDevelopers,
  GatewayDeveloperStatus,
  FoundApp,
  FoundDeveloper,
  FoundKey,
  GatewayInventory,
  InventoryPage,
  KeyProduct,
} from '../contract.js';
import { GatewayUnavailableError, GatewayNotFoundError } from '../errors.js';
import { LastUseRecorder } from './last-use.js';
import { LocalApps } from './local-apps.js';
import { LocalKeyProducts, LocalKeys } from './local-keys.js';
import { LocalVerifier } from './local-verifier.js';
import {
  localDeveloperRecord,
  localKeyRecord,
  portalProductRecord,
  localAppRecord,
  localKeyProductRecord,
} from './records.js';

const PAGE = 500;

/** Everything in these tables was created by the portal, so there is nothing to import. */
class LocalInventory implements GatewayInventory {
  constructor(private readonly database: Database) {}

  async developers(after: string | null): Promise<InventoryPage<FoundDeveloper>> {
    const items = await this.find({ id: { [Op.gt]: after ?? '' } }, PAGE);
    return { items, next: items.length < PAGE ? null : (items.at(-1)?.gatewayId ?? null) };
  }

  async developerByEmail(email: string): Promise<FoundDeveloper | null> {
    return (await this.find({ email }, 1))[0] ?? null;
  }

  async apps(gatewayId: string): Promise<readonly FoundApp[]> {
    const where = { developerId: gatewayId };
    const only = ['id', 'portalId', 'name', 'status'] as const;
    const apps = await localAppRecord.findAll(this.database, where, { only, order: 'a.id' });
    const keys = await this.keysOf(apps.map(({ id }) => id));
    return apps.map(({ id, ...app }) => ({
      ...app,
      appId: String(id),
      displayName: null,
      description: null,
      callbackUrl: null,
      createdAt: null,
      keys: keys.get(id) ?? [],
    }));
  }

  async claimDeveloper(): Promise<void> {}

  async claimApp(): Promise<void> {}

  async claimKey(): Promise<void> {}

  private async find(
    where: Parameters<typeof localDeveloperRecord.findAll>[1],
    limit: number,
  ): Promise<FoundDeveloper[]> {
    const rows = await localDeveloperRecord.findAll(this.database, where, { order: 'd.id', limit });
    return rows.map(({ id, ...row }) => ({ ...row, gatewayId: id, portalId: id, firstName: '', lastName: '' }));
  }

  private async keysOf(appIds: readonly number[]): Promise<ReadonlyMap<number, FoundKey[]>> {
    const only = ['id', 'appId', 'portalId', 'status', 'issuedAt', 'expiresAt'] as const;
    const rows = await localKeyRecord.findAll(this.database, { appId: appIds }, { only, order: 'k.id' });
    const products = await this.productsOf(rows.map(({ id }) => id));
    const found = new Map<number, FoundKey[]>();
    for (const { id, appId, ...key } of rows) {
      const entry = { ...key, keyRef: String(id), consumerKey: null, products: products.get(id) ?? [] };
      found.set(appId, [...(found.get(appId) ?? []), entry]);
    }
    return found;
  }

  private async productsOf(keyIds: readonly number[]): Promise<ReadonlyMap<number, KeyProduct[]>> {
    const rows = await localKeyProductRecord.findAll(this.database, { keyId: keyIds }, { order: 'g.product' });
    const found = new Map<number, KeyProduct[]>();
    for (const { keyId, ...grant } of rows) found.set(keyId, [...(found.get(keyId) ?? []), grant]);
    return found;
  }
}

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
