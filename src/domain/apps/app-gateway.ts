import type {
  AppAddress,
  Gateway,
  GatewayDriver,
  GatewayStatus,
  IssuedKey,
  KeyAddress,
  KeyPair,
  KeyProduct,
  NewKey,
} from '../../gateway/index.js';
import { ConflictError, type Encrypter } from '../../kernel/index.js';
import type { UserRecord } from '../accounts/index.js';
import type { OwnedApp, OwnedCredential, OwnedGrant } from './app-reader.js';
import type { ApprovalStatus } from './approval.js';
import { keyRefContext, type CredentialRecord } from './credential.js';
import type { GrantRecord } from './grant.js';

/** What a new key is made of. */
export interface KeyPlan {
  readonly credentialId: number;
  readonly expiresAt: Date | null;
  readonly grants: readonly GrantRecord[];
}

/** Brings the portal's records to the gateway, the way that its capabilities allow. */
export class AppGateway {
  constructor(
    private readonly gateway: Gateway,
    private readonly encrypter: Encrypter,
  ) {}

  /** @throws GatewayConflictError when the name is taken there */
  async createApp({ owner, app }: OwnedApp, key: KeyPlan | null): Promise<{ appId: string; key: IssuedKey | null }> {
    const driver = await this.gateway();
    const { email, firstName, lastName } = owner;
    const status = owner.status === 'active' ? 'active' : 'inactive';
    await driver.developers.ensure({ id: String(owner.id), email, firstName, lastName, status });
    const created = { ...appAddress({ owner, app }), ...displayed(app), status: statusFor(driver, app.status) };
    return driver.apps.create(created, key && newKey(driver, key));
  }

  async updateApp({ owner, app }: OwnedApp): Promise<void> {
    const driver = await this.gateway();
    const address = appAddress({ owner, app });
    await driver.apps.update({ ...address, ...displayed(app), status: statusFor(driver, app.status) });
  }

  async setAppStatus(owned: OwnedApp, status: ApprovalStatus): Promise<void> {
    const driver = await this.gateway();
    await driver.apps.setStatus(appAddress(owned), statusFor(driver, status));
  }

  async removeApp(owned: OwnedApp): Promise<void> {
    const driver = await this.gateway();
    await driver.apps.remove(appAddress(owned));
  }

  async issueKey(owned: OwnedApp, key: KeyPlan): Promise<IssuedKey> {
    const driver = await this.gateway();
    return driver.keys.issue(appAddress(owned), newKey(driver, key));
  }

  /** Whether two keys of an app may open different products. */
  async keysAreIndependent(): Promise<boolean> {
    return (await this.gateway()).capabilities.productsPerKey;
  }

  /** @throws ConflictError when the gateway cannot show keys again */
  async reveal(owned: OwnedCredential): Promise<KeyPair> {
    const driver = await this.gateway();
    if (!driver.capabilities.readSecret) throw lacking(driver, 'show a key again');
    return driver.keys.reveal(this.keyAddress(owned));
  }

  /** @throws ConflictError when the gateway cannot open a closed key */
  async setKeyStatus(owned: OwnedCredential, status: ApprovalStatus): Promise<void> {
    const driver = await this.gateway();
    const address = this.keyAddress(owned);
    if (driver.capabilities.keyStatus) return driver.keys.setStatus(address, statusFor(driver, status));
    if (status === 'approved') throw lacking(driver, 'open a key that was closed');
    return driver.keys.remove(address);
  }

  /** @throws ConflictError when the gateway cannot move the end of a key */
  async setKeyExpiry(owned: OwnedCredential, expiresAt: Date | null): Promise<void> {
    const driver = await this.gateway();
    if (driver.capabilities.expiry !== 'changeable') throw lacking(driver, 'end a key at a chosen time; use overlap 0');
    await driver.keys.setExpiry(this.keyAddress(owned), expiresAt);
  }

  /** Brings a key back to what the portal says, as far as the gateway can. */
  async restoreKey(owned: OwnedCredential): Promise<void> {
    const { capabilities, keys } = await this.gateway();
    const { status, expiresAt } = owned.credential;
    const address = this.keyAddress(owned);
    if (capabilities.keyStatus) await keys.setStatus(address, status);
    if (capabilities.expiry === 'changeable') await keys.setExpiry(address, expiresAt);
  }

  async removeKey(owned: OwnedCredential): Promise<void> {
    const driver = await this.gateway();
    await driver.keys.remove(this.keyAddress(owned));
  }

  /** Takes back a key whose credential was never finished. */
  async removeIssued(owned: OwnedApp, { keyRef }: IssuedKey): Promise<void> {
    const driver = await this.gateway();
    await driver.keys.remove({ app: appAddress(owned), keyRef });
  }

  /** Puts a product on a key or sets its status there. @throws ConflictError when products belong to apps there */
  async setProduct(owned: OwnedGrant, status: ApprovalStatus): Promise<void> {
    const driver = await this.gateway();
    requireProductsPerKey(driver);
    const address = this.keyAddress(owned);
    const product = owned.grant.gatewayProductId;
    if (driver.capabilities.productStatusPerKey || status === 'approved') {
      return driver.keyProducts.add(address, { product, status: statusFor(driver, status) });
    }
    return driver.keyProducts.remove(address, product);
  }

  async removeProduct(owned: OwnedGrant): Promise<void> {
    const driver = await this.gateway();
    requireProductsPerKey(driver);
    await driver.keyProducts.remove(this.keyAddress(owned), owned.grant.gatewayProductId);
  }

  /** Credential id → when its key was last used; empty where the gateway does not know or does not answer. */
  async lastUse(credentials: readonly CredentialRecord[]): Promise<ReadonlyMap<number, Date>> {
    const driver = await this.gateway();
    if (!driver.capabilities.usage) return new Map();
    const credentialOf = new Map<string, number>();
    for (const credential of credentials) {
      if (credential.gatewayKeyRef !== null) credentialOf.set(this.keyRef(credential), credential.id);
    }
    const uses = await driver.keys.lastUse([...credentialOf.keys()]);
    return new Map([...uses].flatMap(([ref, at]) => pair(credentialOf.get(ref), at)));
  }

  /** Opens or closes all keys of a developer at once. Nothing happens when the gateway does not know them. */
  async setDeveloperStatus(owner: UserRecord, isActive: boolean, apps: readonly OwnedApp[]): Promise<void> {
    const driver = await this.gateway();
    if (driver.capabilities.developers) {
      return driver.developers.setStatus(developerAddress(owner), isActive ? 'active' : 'inactive');
    }
    for (const owned of apps) await this.setAppStatus(owned, isActive ? owned.app.status : 'revoked');
  }

  async removeDeveloper(owner: UserRecord): Promise<void> {
    const driver = await this.gateway();
    await driver.developers.remove(developerAddress(owner));
  }

  /** The driver's reference, ready to be stored with its credential. */
  sealKeyRef(credentialId: number, keyRef: string): string {
    return this.encrypter.encrypt(keyRef, keyRefContext(credentialId));
  }

  private keyAddress({ owner, app, credential }: OwnedCredential): KeyAddress {
    return { app: appAddress({ owner, app }), keyRef: this.keyRef(credential) };
  }

  private keyRef({ id, gatewayKeyRef }: CredentialRecord): string {
    if (gatewayKeyRef === null) throw new ConflictError({ detail: `credential ${id} has no key at the gateway` });
    return this.encrypter.decrypt(gatewayKeyRef, keyRefContext(id));
  }
}

function developerAddress({ id, email }: UserRecord) {
  return { id: String(id), email };
}

function appAddress({ owner, app }: OwnedApp): AppAddress {
  return { developer: developerAddress(owner), portalId: String(app.id), name: app.name };
}

function displayed({ displayName, description, callbackUrl }: OwnedApp['app']) {
  return { displayName, description, callbackUrl };
}

function newKey(driver: GatewayDriver, { credentialId, expiresAt, grants }: KeyPlan): NewKey {
  if (expiresAt !== null && driver.capabilities.expiry === 'none') throw lacking(driver, 'end a key by itself');
  const products: KeyProduct[] = grants
    .filter(({ status }) => driver.capabilities.productStatusPerKey || status === 'approved')
    .map(({ gatewayProductId, status }) => ({ product: gatewayProductId, status: statusFor(driver, status) }));
  return { portalId: String(credentialId), products, expiresAt };
}

function statusFor({ capabilities }: GatewayDriver, status: ApprovalStatus): GatewayStatus {
  return status === 'pending' && !capabilities.pending ? 'revoked' : status;
}

function requireProductsPerKey(driver: GatewayDriver): void {
  if (!driver.capabilities.productsPerKey) throw lacking(driver, 'change the products of a single key');
}

function lacking({ name }: GatewayDriver, what: string): ConflictError {
  return new ConflictError({ errors: { gateway: [`The gateway cannot ${what}.`] }, detail: `gateway driver ${name}` });
}

function pair(id: number | undefined, at: Date): [number, Date][] {
  return id === undefined ? [] : [[id, at]];
}
