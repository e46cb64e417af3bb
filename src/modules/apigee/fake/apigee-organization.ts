import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Clock } from '../../../core/index.js';
import { faults } from './apigee-fault.js';
import type {
  AppState,
  DeveloperState,
  FakeApigeeProduct,
  FakeApigeeTraffic,
  GroupState,
  KeyState,
  OrganizationOptions,
  OwnerState,
} from './apigee-model.js';

/** What stands before the name of a group where apps hold the id of their developer. */
const GROUP = 'group:';

/** An app that was deleted, alone or with its developer, but whose keys still work for a while. */
interface Ghost {
  readonly app: AppState;
  readonly developer: OwnerState;
  readonly until: number;
}

/** The records of the stand-in. Tests may change them, as an administrator of the organization might. */
export class ApigeeOrganization {
  readonly developers = new Map<string, DeveloperState>();
  /** App groups or companies, by name. */
  readonly groups = new Map<string, GroupState>();
  readonly products = new Map<string, FakeApigeeProduct>();
  /** What the analytics tell of. */
  readonly traffic: FakeApigeeTraffic[] = [];
  private readonly byEmail = new Map<string, DeveloperState>();
  private readonly byKey = new Map<string, { app: AppState; key: KeyState }>();
  private readonly byAppId = new Map<string, AppState>();
  private ghosts: Ghost[] = [];

  constructor(
    readonly options: OrganizationOptions,
    private readonly clock: Clock,
  ) {
    for (const product of options.products ?? []) this.products.set(product.name, product);
  }

  get name(): string {
    return this.options.organization ?? 'acme';
  }

  now(): number {
    return this.clock.now().getTime();
  }

  /** @param id e-mail or developerId */
  developer(id: string): DeveloperState {
    const found = this.developers.get(id) ?? this.byEmail.get(id.toLowerCase());
    if (!found) throw faults.developerUnknown(id, this.name);
    return found;
  }

  group(name: string): GroupState {
    const found = this.groups.get(name);
    if (!found) throw faults.groupUnknown(name);
    return found;
  }

  addGroup(group: Pick<GroupState, 'name' | 'displayName' | 'attributes'>): GroupState {
    if (this.groups.has(group.name)) throw faults.groupTaken(group.name);
    const times = { createdAt: this.now(), lastModifiedAt: this.now() };
    const state: GroupState = { ...group, ...times, status: 'active', apps: new Map() };
    this.groups.set(group.name, state);
    return state;
  }

  removeGroup(group: GroupState): void {
    for (const app of group.apps.values()) this.removeApp(group, app);
    this.groups.delete(group.name);
  }

  /** @param collection the first word of the address */
  owner(collection: string | undefined, id: string): OwnerState {
    return collection === 'developers' ? this.developer(id) : this.group(id);
  }

  addDeveloper(person: Pick<DeveloperState, 'email' | 'firstName' | 'lastName' | 'userName' | 'attributes'>) {
    const email = person.email.toLowerCase();
    if (this.byEmail.has(email)) throw faults.developerTaken(person.email);
    const times = { createdAt: this.now(), lastModifiedAt: this.now() };
    const developerId = randomUUID();
    const developer: DeveloperState = { ...person, ...times, developerId, status: 'active', apps: new Map() };
    this.developers.set(developerId, developer);
    this.byEmail.set(email, developer);
    return developer;
  }

  /** Restores a developer of an earlier run. */
  restore(developer: DeveloperState): void {
    this.developers.set(developer.developerId, developer);
    this.byEmail.set(developer.email.toLowerCase(), developer);
    this.restoreApps(developer);
  }

  restoreGroup(group: GroupState): void {
    this.groups.set(group.name, group);
    this.restoreApps(group);
  }

  private restoreApps(owner: OwnerState): void {
    for (const app of owner.apps.values()) {
      this.byAppId.set(app.appId, app);
      for (const key of app.keys) this.byKey.set(key.consumerKey, { app, key });
    }
  }

  moveDeveloper(developer: DeveloperState, email: string): void {
    const holder = this.byEmail.get(email.toLowerCase());
    if (holder && holder !== developer) throw faults.developerTaken(email);
    this.byEmail.delete(developer.email.toLowerCase());
    this.byEmail.set(email.toLowerCase(), developer);
    developer.email = email;
  }

  removeDeveloper(developer: DeveloperState): void {
    for (const app of developer.apps.values()) this.removeApp(developer, app);
    this.developers.delete(developer.developerId);
    this.byEmail.delete(developer.email.toLowerCase());
  }

  app(owner: OwnerState, name: string): AppState {
    const app = owner.apps.get(name);
    if (!app) throw faults.appUnknown(name, 'email' in owner ? owner.email : owner.name);
    return app;
  }

  appById(appId: string): AppState {
    const app = this.byAppId.get(appId);
    if (!app) throw faults.appUnknown(appId, this.name);
    return app;
  }

  apps(): AppState[] {
    return [...this.byAppId.values()];
  }

  addApp(owner: OwnerState, app: Pick<AppState, 'name' | 'callbackUrl' | 'attributes' | 'scopes'>): AppState {
    if (owner.apps.has(app.name)) throw faults.appTaken(app.name);
    const times = { createdAt: this.now(), lastModifiedAt: this.now() };
    const ownerId = 'developerId' in owner ? owner.developerId : GROUP + owner.name;
    const ids = { appId: randomUUID(), developerId: ownerId };
    const state: AppState = { ...app, ...times, ...ids, status: 'approved', keys: [] };
    owner.apps.set(app.name, state);
    this.byAppId.set(state.appId, state);
    return state;
  }

  removeApp(developer: OwnerState, app: AppState): void {
    developer.apps.delete(app.name);
    this.byAppId.delete(app.appId);
    const delay = this.options.flavour === 'x' ? (this.options.deletionDelay ?? 0) : 0;
    if (delay > 0) this.ghosts.push({ app, developer, until: this.now() + delay * 1000 });
    else for (const key of app.keys) this.byKey.delete(key.consumerKey);
  }

  key(app: AppState, consumerKey: string): KeyState {
    const key = app.keys.find((candidate) => candidate.consumerKey === consumerKey);
    if (!key) throw faults.keyUnknown();
    return key;
  }

  /** Generates a key pair like Apigee. @param expiresIn milliseconds; -1: never */
  generateKey(app: AppState, products: readonly string[], expiresIn: number): KeyState {
    const pair = {
      consumerKey: randomBytes(36).toString('base64url'),
      consumerSecret: randomBytes(48).toString('base64url'),
    };
    const key = this.addKey(app, pair, expiresIn);
    this.addProducts(key, products);
    return key;
  }

  addKey(app: AppState, pair: Pick<KeyState, 'consumerKey' | 'consumerSecret'>, expiresIn: number): KeyState {
    if (this.byKey.has(pair.consumerKey)) throw faults.keyTaken();
    const expiresAt = expiresIn === -1 ? -1 : this.now() + expiresIn;
    const rest = { attributes: [], scopes: [], products: new Map() };
    const key: KeyState = { ...pair, ...rest, status: 'approved', issuedAt: this.now(), expiresAt };
    app.keys.push(key);
    this.byKey.set(key.consumerKey, { app, key });
    return key;
  }

  removeKey(app: AppState, key: KeyState): void {
    app.keys.splice(app.keys.indexOf(key), 1);
    this.byKey.delete(key.consumerKey);
  }

  addProducts(key: KeyState, names: readonly string[]): void {
    this.requireProducts(names);
    for (const name of names) {
      if (key.products.has(name) && !this.options.addingResetsApproval) continue;
      key.products.set(name, this.products.get(name)?.approvalType === 'manual' ? 'pending' : 'approved');
    }
  }

  requireProducts(names: readonly string[]): void {
    const unknown = names.find((name) => !this.products.has(name));
    if (unknown !== undefined) throw faults.productUnknown(unknown, this.options.unknownProductStatus ?? 404);
  }

  /** Whether an API proxy with a VerifyAPIKey policy would accept the key now. */
  opens(consumerKey: string, product: string): boolean {
    const found = this.byKey.get(consumerKey);
    if (!found) return false;
    const { app, key } = found;
    const group = this.groups.get(app.developerId.slice(GROUP.length));
    const developer = this.developers.get(app.developerId) ?? group ?? this.ghostOf(app)?.developer;
    const isThere = this.byAppId.has(app.appId) || this.ghostOf(app) !== undefined;
    const isAlive = key.expiresAt === -1 || key.expiresAt > this.now();
    return (
      isThere &&
      isAlive &&
      developer?.status === 'active' &&
      app.status === 'approved' &&
      key.status === 'approved' &&
      key.products.get(product) === 'approved'
    );
  }

  private ghostOf(app: AppState): Ghost | undefined {
    this.ghosts = this.ghosts.filter(({ until }) => until > this.now());
    return this.ghosts.find((ghost) => ghost.app === app);
  }
}

type StoredKey = Omit<KeyState, 'products'> & { readonly products: readonly [string, KeyState['status']][] };
type StoredApp = Omit<AppState, 'keys'> & { readonly keys: readonly StoredKey[] };
type Stored<T extends OwnerState> = Omit<T, 'apps'> & { readonly apps: readonly StoredApp[] };
interface StoredOrganization {
  readonly developers: readonly Stored<DeveloperState>[];
  readonly groups: readonly Stored<GroupState>[];
}

/** Loads the records of an earlier run; without a file the organization stays empty. */
export function readOrganization(file: string, organization: ApigeeOrganization): void {
  if (!existsSync(file)) return;
  const stored = JSON.parse(readFileSync(file, 'utf8')) as StoredOrganization | StoredOrganization['developers'];
  // Earlier releases knew developers alone.
  const { developers, groups } = 'groups' in stored ? stored : { developers: stored, groups: [] };
  for (const developer of developers) organization.restore({ ...developer, apps: restoreApps(developer.apps) });
  for (const group of groups) organization.restoreGroup({ ...group, apps: restoreApps(group.apps) });
}

/** Replaces the file atomically: a crash leaves the old one. */
export function writeOrganization(file: string, { developers, groups }: ApigeeOrganization): void {
  const stored = { developers: [...developers.values()].map(storeOwner), groups: [...groups.values()].map(storeOwner) };
  writeFileSync(`${file}.new`, JSON.stringify(stored), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

function storeOwner<T extends OwnerState>(owner: T): Stored<T> {
  const apps = [...owner.apps.values()].map((app) => ({
    ...app,
    keys: app.keys.map((key) => ({ ...key, products: [...key.products] })),
  }));
  return { ...owner, apps };
}

function restoreApps(apps: readonly StoredApp[]): Map<string, AppState> {
  const states = apps.map(({ keys, ...app }): [string, AppState] => [
    app.name,
    { ...app, keys: keys.map(({ products, ...key }) => ({ ...key, products: new Map(products) })) },
  ]);
  return new Map(states);
}
