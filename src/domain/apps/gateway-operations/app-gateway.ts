import { GatewayNotFoundError } from '../../../gateway/index.js';
import type {
  FoundApp,
  Gateway,
  GatewayDriver,
  IssuedKey,
  KeyAddress,
  KeyPair,
  KeyProduct,
  MovedApp,
  MoveJournal,
  NewKey,
} from '../../../gateway/index.js';
import { ConflictError, type Encrypter } from '../../../core/index.js';
import type { Database } from '../../../database/index.js';
import type { UserRecord } from '../../accounts/index.js';
import { readPlanFacts } from '../../catalog/index.js';
import type { OwnedApp, OwnedCredential, OwnedGrant } from '../app/app-reader.js';
import type { ApprovalStatus } from '../app/approval.js';
import { keyRefContext, type CredentialRecord } from '../credential/credential.js';
import type { DeveloperGateway } from './developer-gateway.js';
import { type AppIdentity, type GatewayAddresses, gatewayStatus } from './gateway-addresses.js';
import { TransferJournal } from './transfer-journal.js';
import { limitsOfGrant, planOfGrant, type AppTerms, type GrantRecord } from '../credential/grant.js';

/** What a new key is made of. */
export interface KeyPlan {
  readonly credentialId: number;
  readonly expiresAt: Date | null;
  readonly grants: readonly GrantRecord[];
}

/** Applies the portal's records to the gateway, as its capabilities allow. */
export class AppGateway {
  constructor(
    private readonly gateway: Gateway,
    private readonly addresses: GatewayAddresses,
    private readonly developers: DeveloperGateway,
    private readonly encrypter: Encrypter,
    private readonly database: Database,
  ) {}

  /** @throws GatewayConflictError when the name is taken there, ConflictError when the developer's e-mail is */
  async createApp({ owner, app }: OwnedApp, key: KeyPlan | null): Promise<{ appId: string; key: IssuedKey | null }> {
    const driver = await this.gateway();
    await this.developers.ensure(owner);
    const address = await this.addresses.app({ owner, app });
    const created = { ...address, ...describeApp(app), status: gatewayStatus(driver, app.status) };
    return driver.apps.create(created, key && (await this.newKey(driver, key)));
  }

  async updateApp({ owner, app }: OwnedApp): Promise<void> {
    const driver = await this.gateway();
    const address = await this.addresses.app({ owner, app });
    await driver.apps.update({ ...address, ...describeApp(app), status: gatewayStatus(driver, app.status) });
  }

  async setAppStatus(owned: OwnedApp, status: ApprovalStatus): Promise<void> {
    const driver = await this.gateway();
    await driver.apps.setStatus(await this.addresses.app(owned), gatewayStatus(driver, status));
  }

  async canMove(): Promise<boolean> {
    const { capabilities, apps } = await this.gateway();
    return capabilities.moveApps === true && apps.move !== undefined;
  }

  /** @throws ConflictError when the gateway cannot move apps */
  async requireMoves(): Promise<void> {
    if (await this.canMove()) return;
    throw lackingCapabilityError(await this.gateway(), 'hand an app over to another owner with its keys');
  }

  /** Whether keys of an app that moves are away for a moment. */
  async movesPauseKeys(): Promise<boolean> {
    return (await this.gateway()).capabilities.movesPauseKeys === true;
  }

  /** Gives the app another owner, with its keys; nothing where that one has it. @returns undefined where all is as it was */
  async moveApp(owned: AppIdentity, to: UserRecord, journal: MoveJournal): Promise<MovedApp | undefined> {
    await this.requireMoves();
    const driver = await this.gateway();
    await this.developers.ensure(to);
    return driver.apps.move?.(await this.addresses.app(owned), await this.addresses.developer(to), journal);
  }

  /** @param entry id of the log entry of the transfer */
  openJournal(entry: number): TransferJournal {
    return new TransferJournal(this.database, this.encrypter, entry);
  }

  async removeApp(owned: AppIdentity): Promise<void> {
    const driver = await this.gateway();
    await driver.apps.remove(await this.addresses.app(owned));
  }

  async issueKey(owned: OwnedApp, key: KeyPlan): Promise<IssuedKey> {
    const driver = await this.gateway();
    return driver.keys.issue(await this.addresses.app(owned), await this.newKey(driver, key));
  }

  /** Whether the gateway knows the plans of keys; otherwise they are for information. */
  async keepsPlans(): Promise<boolean> {
    return (await this.gateway()).capabilities.plans;
  }

  /** @throws ConflictError when the gateway counts calls against quotas itself */
  async requireOwnCounts(): Promise<void> {
    const driver = await this.gateway();
    if (driver.capabilities.limits) throw lackingCapabilityError(driver, 'start a used quota anew');
  }

  /** Whether two keys of an app may open different products. */
  async keysAreIndependent(): Promise<boolean> {
    return (await this.gateway()).capabilities.productsPerKey;
  }

  /** @throws ConflictError when the gateway cannot show keys again */
  async reveal(owned: OwnedCredential): Promise<KeyPair> {
    const driver = await this.gateway();
    if (!driver.capabilities.readSecret) throw lackingCapabilityError(driver, 'show a key again');
    return driver.keys.reveal(await this.keyAddress(owned));
  }

  /** @throws ConflictError when the gateway cannot open a closed key */
  async setKeyStatus(owned: OwnedCredential, status: ApprovalStatus): Promise<void> {
    const driver = await this.gateway();
    const address = await this.keyAddress(owned);
    if (driver.capabilities.keyStatus) return driver.keys.setStatus(address, gatewayStatus(driver, status));
    if (status === 'approved') throw lackingCapabilityError(driver, 'open a key that was closed');
    return driver.keys.remove(address);
  }

  /** @returns whether the gateway will expire the key itself; otherwise the portal has to close it */
  async setKeyExpiry(owned: OwnedCredential, expiresAt: Date | null): Promise<boolean> {
    const driver = await this.gateway();
    if (driver.capabilities.expiry !== 'changeable') return false;
    await driver.keys.setExpiry(await this.keyAddress(owned), expiresAt);
    return true;
  }

  /** Restores a key to what the portal says, as far as the gateway can. */
  async restoreKey(owned: OwnedCredential): Promise<void> {
    const driver = await this.gateway();
    const { capabilities, keys } = driver;
    const { status, expiresAt } = owned.credential;
    const address = await this.keyAddress(owned);
    if (capabilities.keyStatus) await keys.setStatus(address, gatewayStatus(driver, status));
    if (capabilities.expiry === 'changeable') await keys.setExpiry(address, expiresAt);
  }

  async removeKey(owned: OwnedCredential): Promise<void> {
    const driver = await this.gateway();
    await driver.keys.remove(await this.keyAddress(owned));
  }

  /** Removes a key whose credential was never finished. */
  async removeIssued(owned: OwnedApp, { keyRef }: Pick<IssuedKey, 'keyRef'>): Promise<void> {
    const driver = await this.gateway();
    await driver.keys.remove({ app: await this.addresses.app(owned), keyRef });
  }

  /** The same if the response with the key was lost. Finds it by the portal id that the key carries (R15). */
  async removeUnfinished(owned: OwnedApp, credentialId: number): Promise<void> {
    const found = await this.findApp(owned);
    for (const { keyRef, portalId } of found?.keys ?? []) {
      if (portalId === String(credentialId)) await this.removeIssued(owned, { keyRef });
    }
  }

  /** The app as the gateway has it; null when it is not there, undefined when the gateway cannot tell. */
  async findApp({ owner, app }: OwnedApp): Promise<FoundApp | null | undefined> {
    const apps = await this.developers.appsOf(owner);
    return apps && (apps.find(({ portalId }) => portalId === String(app.id)) ?? null);
  }

  /** Puts a product on a key or sets its status there. @throws ConflictError when products belong to apps there */
  async setProduct(owned: OwnedGrant, status: ApprovalStatus): Promise<void> {
    const driver = await this.gateway();
    requireProductsPerKey(driver);
    const address = await this.keyAddress(owned);
    if (driver.capabilities.productStatusPerKey || status === 'approved') {
      const [product] = await this.keyProducts(driver, [{ ...owned.grant, status }]);
      return product && driver.keyProducts.add(address, product);
    }
    return driver.keyProducts.remove(address, owned.grant.gatewayProductId);
  }

  /** Tells the gateway the plan of a product on a key, where it keeps any. A key that is gone needs none. */
  async setPlan(owned: OwnedGrant): Promise<void> {
    if (!(await this.gateway()).capabilities.plans) return;
    try {
      await this.setProduct(owned, owned.grant.status);
    } catch (error) {
      if (!(error instanceof GatewayNotFoundError)) throw error;
    }
  }

  removeProduct(owned: OwnedGrant): Promise<void> {
    return this.removeGatewayProduct(owned, owned.grant.gatewayProductId);
  }

  /** @param product its name at the gateway */
  async removeGatewayProduct(owned: OwnedCredential, product: string): Promise<void> {
    const driver = await this.gateway();
    requireProductsPerKey(driver);
    await driver.keyProducts.remove(await this.keyAddress(owned), product);
  }

  /** Credential id → when its key was last used; null if the gateway does not know. */
  async lastUse(credentials: readonly CredentialRecord[]): Promise<ReadonlyMap<number, Date> | null> {
    const driver = await this.gateway();
    if (!driver.capabilities.usage) return null;
    const credentialOf = new Map<string, number>();
    for (const credential of credentials) {
      if (credential.gatewayKeyRef !== null) credentialOf.set(this.keyRef(credential), credential.id);
    }
    const uses = await driver.keys.lastUse([...credentialOf.keys()]);
    return new Map([...uses].flatMap(([ref, at]) => pair(credentialOf.get(ref), at)));
  }

  /** Encrypts the driver's reference for storage with its credential. */
  encryptKeyRef(credentialId: number, keyRef: string): string {
    return this.encrypter.encrypt(keyRef, keyRefContext(credentialId));
  }

  /** The driver's reference for a credential's key; null for one that never had a key. */
  keyRefOf(credential: CredentialRecord): string | null {
    return credential.gatewayKeyRef === null ? null : this.keyRef(credential);
  }

  private async newKey(driver: GatewayDriver, { credentialId, expiresAt, grants }: KeyPlan): Promise<NewKey> {
    if (expiresAt !== null && driver.capabilities.expiry === 'none')
      throw lackingCapabilityError(driver, 'end a key by itself');
    const sent = grants.filter(({ status }) => driver.capabilities.productStatusPerKey || status === 'approved');
    return { portalId: String(credentialId), products: await this.keyProducts(driver, sent), expiresAt };
  }

  private async keyProducts(driver: GatewayDriver, grants: readonly SentGrant[]): Promise<KeyProduct[]> {
    const { plans, limits = false } = driver.capabilities;
    const versionIds = limits ? grants.flatMap(({ planVersionId }) => planVersionId ?? []) : [];
    const facts = await readPlanFacts(this.database, versionIds);
    return grants.map((grant) => {
      const product = { product: grant.gatewayProductId, status: gatewayStatus(driver, grant.status) };
      if (!plans) return product;
      const plan = facts.get(grant.planVersionId ?? 0);
      return { ...product, plan: planOfGrant(grant), ...(plan && { limits: limitsOfGrant(plan.limits, grant) }) };
    });
  }

  private async keyAddress({ owner, app, credential }: OwnedCredential): Promise<KeyAddress> {
    return { app: await this.addresses.app({ owner, app }), keyRef: this.keyRef(credential) };
  }

  private keyRef({ id, gatewayKeyRef }: CredentialRecord): string {
    if (gatewayKeyRef === null) throw new ConflictError({ detail: `credential ${id} has no key at the gateway` });
    return this.encrypter.decrypt(gatewayKeyRef, keyRefContext(id));
  }
}

function describeApp({ displayName, description, callbackUrl }: OwnedApp['app']) {
  return { displayName, description, callbackUrl };
}

type SentGrant = Pick<GrantRecord, 'gatewayProductId' | 'status' | 'planVersionId' | 'planDay' | keyof AppTerms>;

function requireProductsPerKey(driver: GatewayDriver): void {
  if (!driver.capabilities.productsPerKey) throw lackingCapabilityError(driver, 'change the products of a single key');
}

function lackingCapabilityError({ name }: GatewayDriver, what: string): ConflictError {
  return new ConflictError({ errors: { gateway: [`The gateway cannot ${what}.`] }, detail: `gateway driver ${name}` });
}

function pair(id: number | undefined, at: Date): [number, Date][] {
  return id === undefined ? [] : [[id, at]];
}
