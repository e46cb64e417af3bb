import { randomBytes } from 'node:crypto';
import {
  GatewayConflictError,
  GatewayNotFoundError,
  type AppAddress,
  type DeveloperAddress,
  type FoundApp,
  type FoundDeveloper,
  type FoundKey,
  type GatewayCapabilities,
  type GatewayDriver,
  type GatewayProduct,
  type KeyAddress,
  type NewKey,
} from '../../src/gateway/index.js';

type Writable<T> = { -readonly [K in keyof T]: T[K] };
type Key = Omit<Writable<FoundKey>, 'products'> & {
  products: { product: string; status: 'approved' | 'pending' | 'revoked' }[];
  secret: string;
};
type App = Omit<Writable<FoundApp>, 'keys'> & { keys: Key[] };

export interface MemoryDeveloper extends Writable<FoundDeveloper> {
  apps: Map<string, App>;
}

const PAGE = 1_000;

/**
 * A gateway as foreign ones are: it knows developers by e-mail and by an id of its own, keys by their value, keeps our ids
 * as attributes, cannot move the end of a key and knows no waiting.
 */
export class MemoryGateway implements GatewayDriver {
  readonly name = 'memory';
  capabilities: GatewayCapabilities = {
    ...{ developers: true, pending: false, keyStatus: true, productsPerKey: true, productStatusPerKey: true },
    ...{ readSecret: true, importKey: false, expiry: 'fixed', usage: false, plans: false },
  };
  readonly people = new Map<string, MemoryDeveloper>();
  catalog: GatewayProduct[] = [];
  private count = 0;

  check = async (): Promise<void> => {};
  close = async (): Promise<void> => {};

  readonly developers: GatewayDriver['developers'] = {
    ensure: async ({ id, gatewayId, email, firstName, lastName, status }) => {
      const other = this.byEmail(email);
      const known = gatewayId ? this.people.get(gatewayId) : other;
      if (other && other !== known) throw new GatewayConflictError({ detail: email });
      if (known && known.portalId !== id) throw new GatewayConflictError({ detail: email });
      if (known) Object.assign(known, { email, firstName, lastName });
      return known?.gatewayId ?? this.addDeveloper({ portalId: id, email, firstName, lastName, status }).gatewayId;
    },
    setStatus: async (address, status) => void (this.developer(address).status = status),
    remove: async (address) => {
      const found = this.find(address);
      if (found) this.people.delete(found.gatewayId);
    },
  };

  readonly apps: GatewayDriver['apps'] = {
    create: async (app, key) => {
      const { apps } = this.developer(app.developer);
      if (apps.has(app.name)) throw new GatewayConflictError({ detail: app.name });
      const { displayName, description, callbackUrl, status, portalId, name } = app;
      const made: App = {
        ...{ appId: `app-${(this.count += 1)}`, portalId, name, displayName, description, callbackUrl, status },
        ...{ createdAt: new Date(), keys: [] },
      };
      apps.set(name, made);
      return { appId: made.appId, key: key && this.addKey(made, key) };
    },
    update: async (app) => {
      const { displayName, description, callbackUrl } = app;
      Object.assign(this.app(app), { displayName, description, callbackUrl });
    },
    setStatus: async (app, status) => void (this.app(app).status = status),
    remove: async (address) => {
      const owner = this.find(address.developer);
      if (owner?.apps.get(address.name)?.portalId === address.portalId) owner.apps.delete(address.name);
    },
  };

  readonly keys: GatewayDriver['keys'] = {
    issue: async (app, key) => this.addKey(this.app(app), key),
    reveal: async (address) => {
      const { keyRef, secret } = this.key(address);
      return { consumerKey: keyRef, consumerSecret: secret };
    },
    setStatus: async (address, status) => void (this.key(address).status = status),
    setExpiry: async (address, expiresAt) => void (this.key(address).expiresAt = expiresAt),
    lastUse: async () => new Map(),
    remove: async ({ app, keyRef }) => {
      const found = this.findApp(app);
      if (found) found.keys = found.keys.filter((key) => key.keyRef !== keyRef);
    },
  };

  readonly keyProducts: GatewayDriver['keyProducts'] = {
    add: async (address, { product, status }) => {
      const { products } = this.key(address);
      const present = products.find((grant) => grant.product === product);
      if (present) present.status = status;
      else products.push({ product, status });
    },
    setStatus: async (address, grant) => this.keyProducts.add(address, grant),
    remove: async (address, product) => {
      const key = this.findApp(address.app)?.keys.find(({ keyRef }) => keyRef === address.keyRef);
      if (key) key.products = key.products.filter((grant) => grant.product !== product);
    },
  };

  readonly products: GatewayDriver['products'] = { list: async () => this.catalog };

  readonly inventory: NonNullable<GatewayDriver['inventory']> = {
    developers: async (after) => {
      const all = [...this.people.values()];
      const start = after === null ? 0 : Number(after);
      const items = all.slice(start, start + PAGE).map(({ apps: _, ...found }) => ({ ...found }));
      return { items, next: start + PAGE < all.length ? String(start + PAGE) : null };
    },
    developerByEmail: async (email) => {
      const found = this.byEmail(email);
      return found ? { ...found } : null;
    },
    apps: async (gatewayId) => structuredClone([...(this.people.get(gatewayId)?.apps.values() ?? [])]),
    claimDeveloper: async (gatewayId, portalId) =>
      void ((this.people.get(gatewayId) as MemoryDeveloper).portalId = portalId),
    claimApp: async (gatewayId, name, portalId) => {
      (this.people.get(gatewayId)?.apps.get(name) as App).portalId = portalId;
    },
    claimKey: async (gatewayId, name, keyRef, portalId) => {
      const key = this.people
        .get(gatewayId)
        ?.apps.get(name)
        ?.keys.find((one) => one.keyRef === keyRef);
      (key as Key).portalId = portalId;
    },
  };

  addDeveloper(values: Omit<FoundDeveloper, 'gatewayId'>): MemoryDeveloper {
    const made = { ...values, gatewayId: `dev-${(this.count += 1)}`, apps: new Map<string, App>() };
    this.people.set(made.gatewayId, made);
    return made;
  }

  /** As somebody else would, past the portal. */
  addApp(owner: MemoryDeveloper, name: string, products: readonly string[]): App {
    const made: App = {
      ...{ appId: `app-${(this.count += 1)}`, portalId: null, name, displayName: name, description: '' },
      ...{ callbackUrl: null, status: 'approved', createdAt: new Date('2024-01-01T00:00:00Z'), keys: [] },
    };
    owner.apps.set(name, made);
    const grants = products.map((product) => ({ product, status: 'approved' as const }));
    this.addKey(made, { portalId: '', products: grants, expiresAt: null });
    for (const key of made.keys) key.portalId = null;
    return made;
  }

  opens(keyRef: string, product: string): boolean {
    for (const { status, apps } of this.people.values()) {
      for (const app of apps.values()) {
        const key = app.keys.find((one) => one.keyRef === keyRef);
        if (!key) continue;
        const isOpen = status === 'active' && app.status === 'approved' && key.status === 'approved';
        return isOpen && key.products.some((grant) => grant.product === product && grant.status === 'approved');
      }
    }
    return false;
  }

  private addKey(app: App, { portalId, products, expiresAt }: NewKey) {
    const [consumerKey, secret] = [randomBytes(18).toString('base64url'), randomBytes(18).toString('base64url')];
    app.keys.push({
      ...{ keyRef: consumerKey, consumerKey, portalId, status: 'approved', issuedAt: new Date(), expiresAt, secret },
      products: products.map((grant) => ({ ...grant })),
    });
    return { keyRef: consumerKey, consumerKey, consumerSecret: secret };
  }

  private byEmail(email: string): MemoryDeveloper | undefined {
    return [...this.people.values()].find((one) => one.email === email);
  }

  private find({ id, email, gatewayId }: DeveloperAddress): MemoryDeveloper | undefined {
    const found = gatewayId ? this.people.get(gatewayId) : this.byEmail(email);
    return found?.portalId === id ? found : undefined;
  }

  private developer(address: DeveloperAddress): MemoryDeveloper {
    const found = this.find(address);
    if (!found) throw new GatewayNotFoundError({ detail: address.email });
    return found;
  }

  private findApp({ developer, name, portalId }: AppAddress): App | undefined {
    const found = this.find(developer)?.apps.get(name);
    return found?.portalId === portalId ? found : undefined;
  }

  private app(address: AppAddress): App {
    const found = this.findApp(address);
    if (!found) throw new GatewayNotFoundError({ detail: address.name });
    return found;
  }

  private key({ app, keyRef }: KeyAddress): Key {
    const found = this.app(app).keys.find((key) => key.keyRef === keyRef);
    if (!found) throw new GatewayNotFoundError({ detail: app.name });
    return found;
  }
}
