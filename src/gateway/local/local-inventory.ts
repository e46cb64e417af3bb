import { Op, type Database } from '../../database/index.js';
import type { FoundApp, FoundDeveloper, FoundKey, GatewayInventory, InventoryPage, KeyProduct } from '../contract.js';
import { localAppRecord, localDeveloperRecord, localKeyProductRecord, localKeyRecord } from './records.js';

const PAGE = 500;

/** Everything in these tables was created by the portal, so there is nothing to import. */
export class LocalInventory implements GatewayInventory {
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
