import { NotFoundError } from '../../../core/index.js';
import { placeholders, type Database, type Transaction } from '../../../database/index.js';
import { userRecord, type UserRecord } from '../../accounts/index.js';
import { appRecord, SEEN, type AppRecord } from './app.js';
import { credentialRecord, type CredentialRecord } from '../credential/credential.js';
import { grantRecord, type GrantRecord } from '../credential/grant.js';

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

const GRANTS = `SELECT ${grantRecord.select()}, p.slug AS slug, p.name AS name,
  p.gateway_product_id AS gatewayProductId FROM portal_credential_products g JOIN portal_products p ON p.id = g.product_id`;

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
    const sql =
      `SELECT ${credentialRecord.select()} FROM portal_credentials c JOIN portal_apps a ON a.id = c.app_id WHERE a.user_id = ? AND c.status <> 'revoked' ` +
      "AND c.sync_state <> 'deleting' AND (c.expires_at IS NULL OR c.expires_at > ?) ORDER BY c.id";
    const options = { decode: credentialRecord.decode, transaction };
    return this.database.select<CredentialRecord>(sql, [userId, now], options);
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

  async grantsOf(credentialIds: readonly number[], transaction?: Transaction): Promise<GrantRecord[]> {
    if (credentialIds.length === 0) return [];
    const sql = `${GRANTS} WHERE g.credential_id IN (${placeholders(credentialIds)}) ORDER BY p.slug`;
    return this.database.select<GrantRecord>(sql, credentialIds, { decode: grantRecord.decode, transaction });
  }
}
