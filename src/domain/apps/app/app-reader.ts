import { NotFoundError } from '../../../core/index.js';
import { Op, type Database, type Transaction } from '../../../database/index.js';
import { userRecord, type UserRecord } from '../../accounts/index.js';
import { countStartOf, planOverrideRecord, quotaResetRecord } from '../../catalog/index.js';
import { appRecord, SEEN, type AppRecord } from './app.js';
import { credentialRecord, type CredentialRecord } from '../credential/credential.js';
import { NO_TERMS, type AppTerms, type GrantRecord } from '../credential/grant.js';
import { readKeyGrants, type PlannedGrant } from '../app-queries.js';

/** An app with its developer. Holding one means access was checked: the caller is the owner or an admin. */
export interface OwnedApp {
  readonly owner: UserRecord;
  readonly app: AppRecord;
}

export interface OwnedCredential extends OwnedApp {
  readonly credential: CredentialRecord;
}

export interface OwnedGrant extends OwnedCredential {
  readonly grant: GrantRecord;
}

/**
 * Reads apps and credentials. Every lookup includes the owner, so that another developer's record looks exactly like a
 * missing one (S55); rows still being created are missing for everybody.
 */
export class AppReader {
  constructor(private readonly database: Database) {}

  /** null if the account is gone. */
  findOwner(id: number): Promise<UserRecord | null> {
    return userRecord.find(this.database, { id });
  }

  hasApp(id: number): Promise<boolean> {
    return appRecord.has(this.database, { id });
  }

  /** In any sync state; null when there is none. */
  async findAnyApp(owner: UserRecord, id: number): Promise<OwnedApp | null> {
    const app = await appRecord.find(this.database, { id, userId: owner.id });
    return app && { owner, app };
  }

  /** The same for a credential. */
  async findAnyCredential({ owner, app }: OwnedApp, id: number): Promise<OwnedCredential | null> {
    const credential = await credentialRecord.find(this.database, { id, appId: app.id });
    return credential && { owner, app, credential };
  }

  /** A key that a query has found; null when it is gone. */
  async findPlanned({ userId, appId, credentialId }: Omit<PlannedGrant, 'productId'>): Promise<OwnedCredential | null> {
    const owner = await this.findOwner(userId);
    const app = owner && (await this.findAnyApp(owner, appId));
    return app && this.findAnyCredential(app, credentialId);
  }

  /** @throws NotFoundError */
  async findApp(owner: UserRecord, name: string): Promise<OwnedApp> {
    const where = { userId: owner.id, nameKey: name.toLowerCase(), syncState: SEEN };
    return { owner, app: await appRecord.require(this.database, where) };
  }

  /** The present state of an app. @throws NotFoundError */
  async reloadApp(
    { owner, app: { id } }: { owner: UserRecord; app: Pick<AppRecord, 'id'> },
    transaction?: Transaction,
  ): Promise<OwnedApp> {
    return { owner, app: await appRecord.require(this.database, { id, userId: owner.id }, { transaction }) };
  }

  appsOf(userId: number, transaction?: Transaction): Promise<AppRecord[]> {
    return appRecord.findAll(this.database, { userId, syncState: SEEN }, { transaction });
  }

  /** @throws NotFoundError */
  async findCredential({ owner, app }: OwnedApp, id: number, transaction?: Transaction): Promise<OwnedCredential> {
    const where = { id, appId: app.id, syncState: SEEN };
    return { owner, app, credential: await credentialRecord.require(this.database, where, { transaction }) };
  }

  /** Every key of a developer that works or will, including those being created. */
  async openCredentialsOf(userId: number, now: Date, transaction: Transaction): Promise<CredentialRecord[]> {
    const apps = await appRecord.findAll(this.database, { userId }, { only: ['id'], transaction });
    const open = {
      appId: apps.map(({ id }) => id),
      status: { [Op.ne]: 'revoked' },
      syncState: { [Op.ne]: 'deleting' },
      expiresAt: { [Op.or]: [null, { [Op.gt]: now }] },
    } as const;
    return credentialRecord.findAll(this.database, open, { transaction, order: 'c.id' });
  }

  /** @param product slug or id. @throws NotFoundError */
  async findGrant(owned: OwnedCredential, product: string): Promise<OwnedGrant> {
    const grants = await this.grantsOf([owned.credential.id]);
    const grant = grants.find(({ slug, productId }) => slug === product || String(productId) === product);
    if (!grant) throw new NotFoundError();
    return { ...owned, grant };
  }

  /** A product on every key of an app that the gateway has. */
  async grantsOfProduct(owned: OwnedApp, productId: number): Promise<OwnedGrant[]> {
    const credentials = await this.credentialsOf([owned.app.id]);
    const synced = new Map(credentials.flatMap((one) => (one.syncState === 'synced' ? [[one.id, one] as const] : [])));
    const grants = await this.grantsOf([...synced.keys()]);
    return grants.flatMap((grant) => {
      const credential = synced.get(grant.credentialId);
      return credential && grant.productId === productId ? [{ ...owned, credential, grant }] : [];
    });
  }

  /** What holds for a product of an app beyond plans: for keys that are being made. */
  async termsOf(appId: number, transaction?: Transaction): Promise<(productId: number) => AppTerms> {
    const current = { appId, state: 'current' } as const;
    const overrides = await planOverrideRecord.findAll(this.database, current, { transaction });
    const resets = await quotaResetRecord.findAll(this.database, current, { transaction });
    const terms = new Map<number, AppTerms>();
    for (const override of overrides) terms.set(override.productId, { ...NO_TERMS, override });
    for (const reset of resets) {
      terms.set(reset.productId, { ...(terms.get(reset.productId) ?? NO_TERMS), countStart: countStartOf(reset) });
    }
    return (productId) => terms.get(productId) ?? NO_TERMS;
  }

  credentialsOf(appIds: readonly number[], transaction?: Transaction): Promise<CredentialRecord[]> {
    const where = { appId: appIds, syncState: SEEN };
    return credentialRecord.findAll(this.database, where, { order: 'c.id', transaction });
  }

  grantsOf(credentialIds: readonly number[], transaction?: Transaction): Promise<GrantRecord[]> {
    return readKeyGrants(this.database, credentialIds, transaction);
  }
}
