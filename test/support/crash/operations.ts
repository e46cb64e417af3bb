import type { GatewayCapabilities } from '../../../src/gateway/index.js';
import type { Portal } from '../../../src/portal.js';
import { TestClient, type Answer } from '../http-client.js';
import { signInPair } from '../sign-in.js';

/** How a process reaches the gateway of a test. */
export interface GatewayPlace {
  readonly driver: string;
  readonly config: object;
  readonly remote?: { readonly url: string; readonly capabilities: GatewayCapabilities };
}

/** Parameters of a process that is killed. */
export interface BreakOff {
  readonly databaseUrl: string;
  readonly appKey: string;
  readonly gateway: GatewayPlace;
  readonly userId: number;
  readonly operation: Operation;
  /** Time of its clock. */
  readonly now: string;
  /** Number of the step to die at; null: only lists the steps. */
  readonly killAt: number | null;
}

const PRODUCTS = ['payments', 'geo'];

/**
 * Changes by a developer with the app `shop`, which has a key for `payments`, and the revoked app `closed`. Each function
 * prepares a change and returns it.
 */
export const operations = {
  createApp: async (portal: Portal, userId: number) => {
    const { owner, by } = await developer(portal, userId);
    return () => portal.services.apps.apps.create(owner, { name: 'made', products: ['payments'] }, by);
  },
  deleteApp: async (portal: Portal, userId: number) => {
    const { shop, by } = await developer(portal, userId);
    return () => portal.services.apps.apps.delete(shop, by);
  },
  createKey: async (portal: Portal, userId: number) => {
    const { shop, by } = await developer(portal, userId);
    return () => portal.services.apps.credentials.create(shop, { products: PRODUCTS }, by);
  },
  deleteKey: async (portal: Portal, userId: number) => {
    const { key, by } = await developer(portal, userId);
    return () => portal.services.apps.credentials.delete(key, by);
  },
  rotateKey: async (portal: Portal, userId: number) => {
    const { key, by } = await developer(portal, userId);
    return () => portal.services.apps.rotation.rotate(key, { overlap: 0 }, by);
  },
  revokeKey: async (portal: Portal, userId: number) => {
    const { key, by } = await developer(portal, userId);
    return () => portal.services.apps.credentials.revoke(key, by);
  },
  approveApp: async (portal: Portal, userId: number) => {
    const { owner, by } = await developer(portal, userId);
    const closed = await portal.services.apps.apps.find(owner, 'closed');
    return () => portal.services.apps.apps.approve(closed, by);
  },
  setProducts: async (portal: Portal, userId: number) => {
    const { shop, by } = await developer(portal, userId);
    return () => portal.services.apps.apps.update(shop, { products: ['geo', 'maps'] }, by);
  },
  disableDeveloper: async (portal: Portal, userId: number) => {
    return () => portal.services.accounts.users.setStatus(userId, 'inactive');
  },
  deleteDeveloper: async (portal: Portal, userId: number) => {
    return () => portal.services.accounts.users.delete(userId);
  },
  transferApp: async (portal: Portal, userId: number) => {
    const { shop, by } = await developer(portal, userId);
    const { teams } = portal.services.teams;
    // One team, however often the change is prepared.
    const [seat] = await teams.seatsOf(userId);
    const team = seat?.team ?? (await teams.create({ name: 'Heirs' }, userId, 'admin'));
    const offer = await portal.services.apps.transfers.offer(shop, await teams.accountOf(team), by);
    return () => portal.services.apps.transfers.accept(offer, by);
  },
  postKey: async (portal: Portal, userId: number) => post(portal, userId, '/shop/credentials', { products: PRODUCTS }),
  postRotation: async (portal: Portal, userId: number) => {
    const { key } = await developer(portal, userId);
    return post(portal, userId, `/shop/credentials/${key.credential.id}/rotate`, { overlap: 0 });
  },
} satisfies Record<string, (portal: Portal, userId: number) => Promise<() => Promise<unknown>>>;

export type Operation = keyof typeof operations;

async function developer({ services }: Portal, userId: number) {
  const owner = await services.accounts.users.find(userId);
  const by = { type: 'developer', id: userId } as const;
  const shop = await services.apps.apps.find(owner, 'shop');
  const { credentials } = await services.apps.apps.view(shop);
  const oldest = Math.min(...(credentials ?? []).map(({ id }) => id));
  const key = await services.apps.credentials.find(shop, oldest);
  return { owner, by, shop, key };
}

/** The same request from any process, identified by its Idempotency-Key. */
async function post(portal: Portal, userId: number, path: string, body: object): Promise<() => Promise<Answer>> {
  const client = await TestClient.start(portal.handler);
  const user = await portal.services.accounts.users.find(userId);
  const token = (await signInPair({ client, portal }, user)).access_token;
  return async () => {
    const headers = { 'idempotency-key': `once-${userId}` };
    const answer = await client.post(`/api/v1/me/apps${path}`, body, { token, headers });
    await client.close();
    return answer;
  };
}
