import { NotFoundError } from '../../../core/index.js';
import { Op, type Database, type Transaction } from '../../../database/index.js';
import { userRecord, type UserRecord } from '../../accounts/index.js';
import { appRecord, SEEN, type AppRecord } from './app.js';
import { credentialRecord, type CredentialRecord } from '../credential/credential.js';
import type { GrantRecord } from '../credential/grant.js';
import { readKeyGrants } from '../app-queries.js';

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

  credentialsOf(appIds: readonly number[]): Promise<CredentialRecord[]> {
    return credentialRecord.findAll(this.database, { appId: appIds, syncState: SEEN }, { order: 'c.id' });
  }

  grantsOf(credentialIds: readonly number[], transaction?: Transaction): Promise<GrantRecord[]> {
    return readKeyGrants(this.database, credentialIds, transaction);
  }
}
