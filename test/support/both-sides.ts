import type { Database } from '../../src/database/index.js';
import type { FoundDeveloper, GatewayDriver, GatewayInventory, InventoryPage } from '../../src/gateway/index.js';

/** The apps of one side as comparable texts. */
export type Side = readonly string[];

/** What is open at the gateway, with the portal's ids. */
export async function gatewaySide({ inventory }: GatewayDriver): Promise<Side> {
  if (!inventory) throw new Error('the gateway cannot be read');
  const lines: string[] = [];
  const list = async (read: GatewayInventory['developers'] | NonNullable<GatewayInventory['teams']>) => {
    for (let after: string | null = null; ;) {
      const page: InventoryPage<Owner> = await read(after);
      for (const owner of page.items) lines.push(...(await ownerSide(inventory, owner)));
      if (page.next === null) return;
      after = page.next;
    }
  };
  await list((after) => inventory.developers(after));
  if (inventory.teams) await list(async (after) => (await inventory.teams?.(after)) ?? { items: [], next: null });
  return lines.sort();
}

type Owner = Pick<FoundDeveloper, 'gatewayId' | 'portalId' | 'status'>;

async function ownerSide(inventory: GatewayInventory, { gatewayId, portalId, status }: Owner): Promise<string[]> {
  const lines: string[] = [];
  for (const app of await inventory.apps(gatewayId)) {
    lines.push(
      `developer ${portalId} ${status === 'active' ? 'open' : 'shut'}: app ${app.portalId} ${state(app.status)}`,
    );
    for (const key of app.keys) {
      const open = key.products.filter((grant) => grant.status === 'approved').map(({ product }) => product);
      lines.push(`app ${app.portalId}: key ${key.portalId} ${state(key.status)} for ${open.sort().join(', ')}`);
    }
  }
  return lines;
}

/** What the portal shows as open; unfinished apps are not shown. */
export async function portalSide(database: Database): Promise<Side> {
  const apps = await database.select<{ id: number; userId: number; status: string; account: string }>(
    `SELECT a.id AS id, a.user_id AS userId, a.status AS status, u.status AS account
     FROM portal_apps a JOIN portal_users u ON u.id = a.user_id`,
  );
  const keys = await database.select<{ id: number; appId: number; status: string }>(
    'SELECT id, app_id AS appId, status FROM portal_credentials',
  );
  const grants = await database.select<{ credentialId: number; product: string }>(
    `SELECT g.credential_id AS credentialId, p.gateway_product_id AS product FROM portal_credential_products g
     JOIN portal_products p ON p.id = g.product_id WHERE g.status = 'approved'`,
  );
  const opened = (id: number) => grants.filter(({ credentialId }) => credentialId === id).map(({ product }) => product);
  return [
    ...apps.map(
      ({ id, userId, status, account }) =>
        `developer ${userId} ${account === 'active' ? 'open' : 'shut'}: app ${id} ${state(status)}`,
    ),
    ...keys.map(
      ({ id, appId, status }) => `app ${appId}: key ${id} ${state(status)} for ${opened(id).sort().join(', ')}`,
    ),
  ].sort();
}

function state(status: string): string {
  return status === 'approved' ? 'open' : 'shut';
}
