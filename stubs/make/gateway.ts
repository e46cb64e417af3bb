import { randomBytes } from 'node:crypto';
import {
  GatewayConflictError,
  GatewayNotFoundError,
  type AppAddress,
  type DeveloperAddress,
  type GatewayApp,
  type GatewayApps,
  type GatewayCapabilities,
  type GatewayDeveloper,
  type GatewayDevelopers,
  type GatewayDriver,
  type GatewayKeyProducts,
  type GatewayKeys,
  type GatewayProducts,
  type GatewayStatus,
  type IssuedKey,
  type KeyAddress,
  type NewKey,
} from 'portalkit';

/** What the backend keeps of a key. */
interface Key {
  readonly ref: string;
  readonly consumerKey: string;
  readonly consumerSecret: string;
  status: GatewayStatus;
  expiresAt: Date | null;
  readonly products: Map<string, GatewayStatus>;
}

interface App {
  readonly id: string;
  about: GatewayApp;
  readonly keys: Map<string, Key>;
}

interface Developer {
  about: GatewayDeveloper;
  readonly apps: Map<string, App>;
}

/**
 * The gateway {{name}}. As it stands it keeps everything in memory, so that it works and its test passes; replace the body
 * of one method after the other by a call to your backend, and keep the test green. What your backend lacks is a
 * capability that is false: the portal then does without it.
 */
export class {{Name}}Gateway implements GatewayDriver {
  readonly name = '{{name}}';
  readonly capabilities: GatewayCapabilities = {
    developers: true,
    pending: true,
    keyStatus: true,
    productsPerKey: true,
    productStatusPerKey: true,
    readSecret: true,
    importKey: false,
    expiry: 'changeable',
    usage: false,
    plans: false,
  };
  private readonly all = new Map<string, Developer>();

  readonly developers: GatewayDevelopers = {
    ensure: async (about) => {
      const known = this.all.get(about.id);
      // The status of a known developer stays.
      if (known) known.about = { ...about, status: known.about.status };
      else this.all.set(about.id, { about, apps: new Map() });
      return about.id;
    },
    setStatus: async (address, status) => {
      const developer = this.developer(address);
      developer.about = { ...developer.about, status };
    },
    remove: async ({ id }) => void this.all.delete(id),
  };

  readonly apps: GatewayApps = {
    create: async (about, key) => {
      const { apps } = this.developer(about.developer);
      if (apps.has(about.name)) throw new GatewayConflictError({ detail: `there is an app ${about.name}` });
      const app: App = { id: randomBytes(8).toString('hex'), about, keys: new Map() };
      apps.set(about.name, app);
      return { appId: app.id, key: key && issue(app, key) };
    },
    update: async (about) => {
      const app = this.app(about);
      app.about = { ...about, status: app.about.status };
    },
    setStatus: async (address, status) => {
      const app = this.app(address);
      app.about = { ...app.about, status };
    },
    remove: async (address) => {
      const app = this.find(address);
      if (app) this.all.get(address.developer.id)?.apps.delete(address.name);
    },
  };

  readonly keys: GatewayKeys = {
    issue: async (address, key) => issue(this.app(address), key),
    reveal: async (address) => {
      const { consumerKey, consumerSecret } = this.key(address);
      return { consumerKey, consumerSecret };
    },
    setStatus: async (address, status) => {
      this.key(address).status = status;
    },
    setExpiry: async (address, expiresAt) => {
      this.key(address).expiresAt = expiresAt;
    },
    lastUse: async () => new Map(),
    remove: async ({ app, keyRef }) => void this.find(app)?.keys.delete(keyRef),
  };

  readonly keyProducts: GatewayKeyProducts = {
    add: async (address, { product, status }) => void this.key(address).products.set(product, status),
    setStatus: async (address, { product, status }) => {
      const { products } = this.key(address);
      if (!products.has(product)) throw missing(`product ${product}`);
      products.set(product, status);
    },
    remove: async ({ app, keyRef }, product) => void this.find(app)?.keys.get(keyRef)?.products.delete(product),
  };

  readonly products: GatewayProducts = {
    list: async () => ['gw-one', 'gw-two'].map((name) => ({ name, displayName: name, description: '' })),
  };

  /** Changes nothing: asks the backend whether it is there and knows us. */
  async check(): Promise<void> {}

  async close(): Promise<void> {}

  /** Whether a key opens a product, as the backend would decide. For tests. */
  opens(consumerKey: string, product: string, now: Date): boolean {
    for (const { about, apps } of this.all.values()) {
      for (const app of apps.values()) {
        const key = [...app.keys.values()].find((candidate) => candidate.consumerKey === consumerKey);
        if (!key) continue;
        const isAlive = key.expiresAt === null || now < key.expiresAt;
        const states = [app.about.status, key.status, key.products.get(product)];
        return isAlive && about.status === 'active' && states.every((status) => status === 'approved');
      }
    }
    return false;
  }

  private developer({ id }: DeveloperAddress): Developer {
    const developer = this.all.get(id);
    if (!developer) throw missing(`developer ${id}`);
    return developer;
  }

  /** An app of that name with another portal id is not ours. */
  private find({ developer, name, portalId }: AppAddress): App | undefined {
    const app = this.all.get(developer.id)?.apps.get(name);
    return app?.about.portalId === portalId ? app : undefined;
  }

  private app(address: AppAddress): App {
    const app = this.find(address);
    if (!app) throw missing(`app ${address.name}`);
    return app;
  }

  private key({ app, keyRef }: KeyAddress): Key {
    const key = this.app(app).keys.get(keyRef);
    if (!key) throw missing('key');
    return key;
  }
}

function issue(app: App, { products, expiresAt }: NewKey): IssuedKey {
  const ref = randomBytes(8).toString('hex');
  const pair = {
    consumerKey: randomBytes(24).toString('base64url'),
    consumerSecret: randomBytes(32).toString('base64url'),
  };
  const granted = new Map(products.map(({ product, status }) => [product, status]));
  app.keys.set(ref, { ref, ...pair, status: 'approved', expiresAt, products: granted });
  return { keyRef: ref, ...pair };
}

function missing(what: string): GatewayNotFoundError {
  return new GatewayNotFoundError({ detail: `there is no ${what}` });
}
