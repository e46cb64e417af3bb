import type { Database } from '../../database/index.js';
import type {
  FoundApp,
  FoundDeveloper,
  FoundKey,
  GatewayDeveloperStatus,
  GatewayInventory,
  GatewayStatus,
  InventoryPage,
  KeyProduct,
} from '../contract.js';

const PAGE = 500;

interface AppRow {
  readonly id: number;
  readonly portalId: string;
  readonly name: string;
  readonly status: GatewayStatus;
}

interface KeyRow {
  readonly id: number;
  readonly appId: number;
  readonly portalId: string;
  readonly status: GatewayStatus;
  readonly issuedAt: Date;
  readonly expiresAt: Date | null;
}

/** Everything in these tables was created by the portal, so there is nothing to import. */
export class LocalInventory implements GatewayInventory {
  constructor(private readonly database: Database) {}

  async developers(after: string | null): Promise<InventoryPage<FoundDeveloper>> {
    const items = await this.find('id > ?', after ?? '', `ORDER BY id LIMIT ${PAGE}`);
    return { items, next: items.length < PAGE ? null : (items.at(-1)?.gatewayId ?? null) };
  }

  async developerByEmail(email: string): Promise<FoundDeveloper | null> {
    return (await this.find('email = ?', email, 'ORDER BY id LIMIT 1'))[0] ?? null;
  }

  async apps(gatewayId: string): Promise<readonly FoundApp[]> {
    const apps = await this.database.select<AppRow>(
      'SELECT id, portal_id AS portalId, name, status FROM portal_gateway_apps WHERE developer_id = ? ORDER BY id',
      [gatewayId],
    );
    const keys = await this.keysOf(gatewayId);
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

  private async find(condition: string, value: string, order: string): Promise<FoundDeveloper[]> {
    const rows = await this.database.select<{ id: string; email: string; status: GatewayDeveloperStatus }>(
      `SELECT id, email, status FROM portal_gateway_developers WHERE ${condition} ${order}`,
      [value],
    );
    return rows.map(({ id, ...row }) => ({ ...row, gatewayId: id, portalId: id, firstName: '', lastName: '' }));
  }

  private async keysOf(developerId: string): Promise<ReadonlyMap<number, FoundKey[]>> {
    const rows = await this.database.select<KeyRow>(
      `SELECT k.id AS id, k.app_id AS appId, k.portal_id AS portalId, k.status AS status,
         k.issued_at AS issuedAt, k.expires_at AS expiresAt
       FROM portal_gateway_keys k JOIN portal_gateway_apps a ON a.id = k.app_id WHERE a.developer_id = ? ORDER BY k.id`,
      [developerId],
      { decode: { issuedAt: 'date', expiresAt: 'date' } },
    );
    const products = await this.productsOf(developerId);
    const found = new Map<number, FoundKey[]>();
    for (const { id, appId, ...key } of rows) {
      const entry = { ...key, keyRef: String(id), consumerKey: null, products: products.get(id) ?? [] };
      found.set(appId, [...(found.get(appId) ?? []), entry]);
    }
    return found;
  }

  private async productsOf(developerId: string): Promise<ReadonlyMap<number, KeyProduct[]>> {
    const rows = await this.database.select<KeyProduct & { keyId: number }>(
      `SELECT g.key_id AS keyId, g.product AS product, g.status AS status FROM portal_gateway_key_products g
       JOIN portal_gateway_keys k ON k.id = g.key_id JOIN portal_gateway_apps a ON a.id = k.app_id
       WHERE a.developer_id = ? ORDER BY g.product`,
      [developerId],
    );
    const found = new Map<number, KeyProduct[]>();
    for (const { keyId, ...grant } of rows) found.set(keyId, [...(found.get(keyId) ?? []), grant]);
    return found;
  }
}
