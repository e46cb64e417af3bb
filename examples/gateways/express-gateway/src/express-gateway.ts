import { randomBytes } from 'node:crypto';
import {
  GatewayConflictError,
  GatewayNotFoundError,
  type AppAddress,
  type DeveloperAddress,
  type GatewayApp,
  type GatewayCapabilities,
  type GatewayDeveloper,
  type GatewayDriver,
  type GatewayStatus,
  type IssuedKey,
  type KeyAddress,
  type NewKey,
} from 'portalkit';
import { AdminApi } from './admin-api.ts';

interface User {
  readonly id: string;
  readonly isActive: boolean;
}

interface Application {
  readonly id: string;
  readonly portalId: string;
  /** What the portal wants: switching a user off switches their apps off, and nothing brings them back. */
  readonly wanted: GatewayStatus;
}

interface Credential {
  readonly keyId: string;
  readonly keySecret: string;
  readonly consumerId: string;
  readonly scopes: readonly string[] | null;
}

/**
 * Express Gateway behind the portal: a user is a developer, an application an app, a key-auth credential a key, a scope a
 * product. Users are called by the portal's id, applications by that id and their name, so that no lookup leaves a
 * developer. Clients send `Authorization: apiKey <key>:<secret>`.
 */
export class ExpressGateway implements GatewayDriver {
  readonly name = 'express-gateway';
  readonly capabilities: GatewayCapabilities = {
    developers: true,
    pending: false,
    keyStatus: true,
    productsPerKey: true,
    productStatusPerKey: false,
    readSecret: true,
    importKey: true,
    expiry: 'none',
    usage: false,
    plans: false,
  };
  private readonly api: AdminApi;

  constructor(adminUrl: string) {
    this.api = new AdminApi(adminUrl);
  }

  readonly developers = {
    ensure: async (developer: GatewayDeveloper): Promise<string> => {
      const { email, firstName: firstname, lastName: lastname } = developer;
      const known = await this.user(developer);
      if (known) {
        await this.api.put({ email, firstname, lastname }, 'users', known.id);
        return known.id;
      }
      const user = { username: username(developer), email, firstname, lastname };
      const { id } = await this.api.post<User>(user, 'users');
      if (developer.status === 'inactive') await this.api.put({ status: false }, 'users', id, 'status');
      return id;
    },
    setStatus: async (developer: DeveloperAddress, status: 'active' | 'inactive'): Promise<void> => {
      const user = await this.requireUser(developer);
      await this.api.put({ status: status === 'active' }, 'users', user.id, 'status');
      if (status === 'inactive') return;
      for (const app of await this.appsOf(user)) {
        if (app.wanted === 'approved') await this.api.put({ status: true }, 'apps', app.id, 'status');
      }
    },
    remove: async (developer: DeveloperAddress): Promise<void> => {
      const user = await this.user(developer);
      if (user) await this.api.delete('users', user.id);
    },
  };

  readonly apps = {
    create: async (app: GatewayApp, key: NewKey | null) => {
      const user = await this.requireUser(app.developer);
      const name = appName(app);
      if (await this.api.find('apps', name)) throw new GatewayConflictError({ detail: `app ${app.name} is there` });
      const shown = { displayName: app.displayName, description: app.description };
      const state = { portalId: app.portalId, wanted: app.status };
      const made = await this.api.post<Application>({ userId: user.id, name, ...shown, ...state }, 'apps');
      if (app.status !== 'approved' || !user.isActive) await this.api.put({ status: false }, 'apps', made.id, 'status');
      return { appId: made.id, key: key && (await this.issue(made, key)) };
    },
    update: async (app: GatewayApp): Promise<void> => {
      const { id } = await this.app(app);
      const redirect = app.callbackUrl === null ? {} : { redirectUri: app.callbackUrl };
      await this.api.put({ displayName: app.displayName, description: app.description, ...redirect }, 'apps', id);
    },
    setStatus: async (address: AppAddress, status: GatewayStatus): Promise<void> => {
      const { id } = await this.app(address);
      const user = await this.requireUser(address.developer);
      await this.api.put({ wanted: status }, 'apps', id);
      await this.api.put({ status: status === 'approved' && user.isActive }, 'apps', id, 'status');
    },
    remove: async (address: AppAddress): Promise<void> => {
      const app = await this.lookUp(address);
      if (app) await this.api.delete('apps', app.id);
    },
  };

  readonly keys = {
    issue: async (address: AppAddress, key: NewKey): Promise<IssuedKey> => this.issue(await this.app(address), key),
    reveal: async (address: KeyAddress) => {
      const { keyId, keySecret } = await this.credential(address);
      return { consumerKey: keyId, consumerSecret: keySecret };
    },
    setStatus: async (address: KeyAddress, status: GatewayStatus): Promise<void> => {
      const { keyId } = await this.credential(address);
      await this.api.put({ status: status === 'approved' }, ...credentialPath(keyId), 'status');
    },
    setExpiry: (): Promise<void> => Promise.reject(new Error('the portal does not ask for what expiry: none excludes')),
    lastUse: () => Promise.resolve(new Map<string, Date>()),
    // The admin API deletes no credentials: it is switched off and loses its products.
    remove: async (address: KeyAddress): Promise<void> => {
      const credential = await this.credential(address).catch(ignoreMissing);
      if (!credential) return;
      await this.api.put({ status: false }, ...credentialPath(credential.keyId), 'status');
      await this.api.put({ scopes: [] }, ...credentialPath(credential.keyId), 'scopes');
    },
  };

  readonly keyProducts = {
    add: async (
      address: KeyAddress,
      { product, status }: { product: string; status: GatewayStatus },
    ): Promise<void> => {
      const { keyId } = await this.credential(address);
      if (status === 'approved') await this.api.put({}, ...credentialPath(keyId), 'scopes', product);
      else await this.api.delete(...credentialPath(keyId), 'scopes', product);
    },
    setStatus: (address: KeyAddress, product: { product: string; status: GatewayStatus }): Promise<void> =>
      this.keyProducts.add(address, product),
    remove: async (address: KeyAddress, product: string): Promise<void> => {
      const credential = await this.credential(address).catch(ignoreMissing);
      if (credential?.scopes) await this.api.delete(...credentialPath(credential.keyId), 'scopes', product);
    },
  };

  readonly products = {
    list: async () => {
      const { scopes } = await this.api.get<{ scopes: readonly string[] }>('scopes');
      return [...scopes].sort().map((name) => ({ name, displayName: name, description: '' }));
    },
  };

  async check(): Promise<void> {
    await this.api.get('scopes');
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  // Made here: a repeated call writes the same key again.
  private async issue(app: Application, { products }: NewKey): Promise<IssuedKey> {
    const keyId = randomBytes(24).toString('hex');
    const keySecret = randomBytes(32).toString('hex');
    const scopes = products.filter(({ status }) => status === 'approved').map(({ product }) => product);
    const credential = { keyId, keySecret, scopes };
    await this.api.post({ consumerId: app.id, type: 'key-auth', credential }, 'credentials');
    return { keyRef: keyId, consumerKey: keyId, consumerSecret: keySecret };
  }

  private user(developer: DeveloperAddress): Promise<User | undefined> {
    return this.api.find<User>('users', username(developer));
  }

  private async requireUser(developer: DeveloperAddress): Promise<User> {
    const user = await this.user(developer);
    if (user) return user;
    throw new GatewayNotFoundError({ detail: `no user ${username(developer)}` });
  }

  private async lookUp(address: AppAddress): Promise<Application | undefined> {
    const app = await this.api.find<Application>('apps', appName(address));
    return app?.portalId === address.portalId ? app : undefined;
  }

  private async app(address: AppAddress): Promise<Application> {
    const app = await this.lookUp(address);
    if (app) return app;
    throw new GatewayNotFoundError({ detail: `no app ${address.name} of portal id ${address.portalId}` });
  }

  private async appsOf(user: User): Promise<readonly Application[]> {
    const found: (Application & { readonly userId: string })[] = [];
    for (let start = 0; ;) {
      const page = await this.api.list<{ apps: typeof found; nextKey: number }>('apps', start);
      found.push(...page.apps);
      if (page.nextKey === 0) return found.filter(({ userId }) => userId === user.id);
      start = page.nextKey;
    }
  }

  private async credential({ app, keyRef }: KeyAddress): Promise<Credential> {
    const { id } = await this.app(app);
    const credential = await this.api.find<Credential>(...credentialPath(keyRef));
    if (credential?.consumerId === id) return credential;
    throw new GatewayNotFoundError({ detail: `no such key of app ${app.name}` });
  }
}

function credentialPath(keyId: string): readonly [string, string, string] {
  return ['credentials', 'key-auth', keyId];
}

function username({ id }: DeveloperAddress): string {
  return `portal-${id}`;
}

function appName({ developer, name }: AppAddress): string {
  return `${username(developer)}.${name}`;
}

function ignoreMissing(error: unknown): undefined {
  if (error instanceof GatewayNotFoundError) return undefined;
  throw error;
}
