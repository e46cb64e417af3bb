import { NotFoundError } from '../../../core/index.js';
import { placeholders, type Database, type Transaction } from '../../../database/index.js';
import { userRecord, type UserRecord } from '../../accounts/index.js';
import { APP_DECODE, appFields, selectList, type AppRecord } from './app.js';
import { CREDENTIAL_DECODE, credentialFields, type CredentialRecord } from '../credential/credential.js';
import { GRANT_DECODE, grantFields, type GrantRecord } from '../credential/grant.js';

/** An app with its developer: whoever holds one has been told that the app is theirs, or is an admin. */
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

const APPS = `SELECT ${selectList(appFields('a'))} FROM portal_apps a`;
const CREDENTIALS = `SELECT ${selectList(credentialFields('c'))} FROM portal_credentials c`;
const GRANTS = `SELECT ${selectList(grantFields('g', 'p'))} FROM portal_credential_products g
  JOIN portal_products p ON p.id = g.product_id`;

/**
 * Reads apps and credentials. The owner is part of every search, so that a record of somebody else is missing in the same
 * way as one that does not exist (S55); what is still being created is missing for everybody.
 */
export class AppReader {
  constructor(private readonly database: Database) {}

  /** null for an account that is gone. */
  findOwner(id: number): Promise<UserRecord | null> {
    return userRecord.find(this.database, { id });
  }

  async hasApp(id: number): Promise<boolean> {
    return (await this.database.select('SELECT id FROM portal_apps WHERE id = ?', [id])).length > 0;
  }

  /** Whatever state its row is in; null when there is none. */
  async findAnyApp(owner: UserRecord, id: number): Promise<OwnedApp | null> {
    const sql = `${APPS} WHERE a.id = ? AND a.user_id = ?`;
    const [app] = await this.database.select<AppRecord>(sql, [id, owner.id], { decode: APP_DECODE });
    return app ? { owner, app } : null;
  }

  /** The same for a credential. */
  async findAnyCredential({ owner, app }: OwnedApp, id: number): Promise<OwnedCredential | null> {
    const sql = `${CREDENTIALS} WHERE c.id = ? AND c.app_id = ?`;
    const [credential] = await this.database.select<CredentialRecord>(sql, [id, app.id], { decode: CREDENTIAL_DECODE });
    return credential ? { owner, app, credential } : null;
  }

  /** @throws NotFoundError */
  async findApp(owner: UserRecord, name: string): Promise<OwnedApp> {
    const sql = `${APPS} WHERE a.user_id = ? AND a.name_key = ? AND a.sync_state <> 'creating'`;
    const values = [owner.id, name.toLowerCase()];
    const [app] = await this.database.select<AppRecord>(sql, values, { decode: APP_DECODE });
    if (!app) throw new NotFoundError();
    return { owner, app };
  }

  /** The present state of an app. @throws NotFoundError */
  async reloadApp(
    { owner, app: { id } }: { owner: UserRecord; app: Pick<AppRecord, 'id'> },
    transaction?: Transaction,
  ): Promise<OwnedApp> {
    const sql = `${APPS} WHERE a.id = ? AND a.user_id = ?`;
    const options = { decode: APP_DECODE, transaction };
    const [app] = await this.database.select<AppRecord>(sql, [id, owner.id], options);
    if (!app) throw new NotFoundError();
    return { owner, app };
  }

  appsOf(userId: number, transaction?: Transaction): Promise<AppRecord[]> {
    const sql = `${APPS} WHERE a.user_id = ? AND a.sync_state <> 'creating'`;
    return this.database.select<AppRecord>(sql, [userId], { decode: APP_DECODE, transaction });
  }

  /** @throws NotFoundError */
  async findCredential({ owner, app }: OwnedApp, id: number, transaction?: Transaction): Promise<OwnedCredential> {
    const sql = `${CREDENTIALS} WHERE c.id = ? AND c.app_id = ? AND c.sync_state <> 'creating'`;
    const options = { decode: CREDENTIAL_DECODE, transaction };
    const [credential] = await this.database.select<CredentialRecord>(sql, [id, app.id], options);
    if (!credential) throw new NotFoundError();
    return { owner, app, credential };
  }

  /** Every key of a developer that opens something or will, those that are being made included. */
  async openCredentialsOf(userId: number, now: Date, transaction: Transaction): Promise<CredentialRecord[]> {
    const sql =
      `${CREDENTIALS} JOIN portal_apps a ON a.id = c.app_id WHERE a.user_id = ? AND c.status <> 'revoked' ` +
      "AND c.sync_state <> 'deleting' AND (c.expires_at IS NULL OR c.expires_at > ?) ORDER BY c.id";
    const options = { decode: CREDENTIAL_DECODE, transaction };
    return this.database.select<CredentialRecord>(sql, [userId, now], options);
  }

  /** @param product slug or id. @throws NotFoundError */
  async findGrant(owned: OwnedCredential, product: string): Promise<OwnedGrant> {
    const grants = await this.grantsOf([owned.credential.id]);
    const grant = grants.find(({ slug, productId }) => slug === product || String(productId) === product);
    if (!grant) throw new NotFoundError();
    return { ...owned, grant };
  }

  async credentialsOf(appIds: readonly number[]): Promise<CredentialRecord[]> {
    if (appIds.length === 0) return [];
    const sql = `${CREDENTIALS} WHERE c.app_id IN (${placeholders(appIds)}) AND c.sync_state <> 'creating' ORDER BY c.id`;
    return this.database.select<CredentialRecord>(sql, appIds, { decode: CREDENTIAL_DECODE });
  }

  async grantsOf(credentialIds: readonly number[], transaction?: Transaction): Promise<GrantRecord[]> {
    if (credentialIds.length === 0) return [];
    const sql = `${GRANTS} WHERE g.credential_id IN (${placeholders(credentialIds)}) ORDER BY p.slug`;
    return this.database.select<GrantRecord>(sql, credentialIds, { decode: GRANT_DECODE, transaction });
  }
}
