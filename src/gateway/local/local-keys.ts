import { placeholders, type Database, type Transaction } from '../../database/index.js';
import type { Clock, Encrypter } from '../../core/index.js';
import type { AppAddress, GatewayKeys, GatewayStatus, IssuedKey, KeyAddress, KeyPair, NewKey } from '../contract.js';
import { GatewayNotFoundError } from '../errors.js';
import { findLocalApp } from './find-app.js';
import { keyHash, newKeyPair } from './key-material.js';

/** Keys are looked up by SHA-256 and revealed from AES-256-GCM ciphertext that is bound to its row and column. */
export class LocalKeys implements GatewayKeys {
  constructor(
    private readonly database: Database,
    private readonly encrypter: Encrypter,
    private readonly clock: Clock,
  ) {}

  async issue(app: AppAddress, key: NewKey): Promise<IssuedKey> {
    const appId = await findLocalApp(this.database, app);
    return this.database.transaction((transaction) => this.insert(appId, key, transaction));
  }

  /** Part of the transaction that may also create the app. */
  async insert(appId: number, key: NewKey, transaction: Transaction): Promise<IssuedKey> {
    const pair = newKeyPair();
    const { insertId: id } = await this.database.execute(
      `INSERT INTO portal_gateway_keys
         (app_id, portal_id, key_hash, key_sealed, secret_hash, secret_sealed, status, issued_at, expires_at)
       VALUES (?, ?, ?, '', ?, '', 'approved', ?, ?)`,
      [appId, key.portalId, keyHash(pair.consumerKey), keyHash(pair.consumerSecret), this.clock.now(), key.expiresAt],
      { transaction },
    );
    // The ciphertext is bound to the row id, which is known only now.
    await this.database.execute(
      'UPDATE portal_gateway_keys SET key_sealed = ?, secret_sealed = ? WHERE id = ?',
      [
        this.encrypter.encrypt(pair.consumerKey, sealedAt(id, 'key_sealed')),
        this.encrypter.encrypt(pair.consumerSecret, sealedAt(id, 'secret_sealed')),
        id,
      ],
      { transaction },
    );
    for (const { product, status } of key.products) {
      await this.database.execute(
        'INSERT INTO portal_gateway_key_products (key_id, product, status) VALUES (?, ?, ?)',
        [id, product, status],
        { transaction },
      );
    }
    return { keyRef: String(id), ...pair };
  }

  async reveal(key: KeyAddress): Promise<KeyPair> {
    const id = await this.find(key);
    const [row] = await this.database.select<{ keySealed: string; secretSealed: string }>(
      'SELECT key_sealed AS keySealed, secret_sealed AS secretSealed FROM portal_gateway_keys WHERE id = ?',
      [id],
    );
    if (!row) throw notFound(key);
    return {
      consumerKey: this.encrypter.decrypt(row.keySealed, sealedAt(id, 'key_sealed')),
      consumerSecret: this.encrypter.decrypt(row.secretSealed, sealedAt(id, 'secret_sealed')),
    };
  }

  async setStatus(key: KeyAddress, status: GatewayStatus): Promise<void> {
    const id = await this.find(key);
    await this.database.execute('UPDATE portal_gateway_keys SET status = ? WHERE id = ?', [status, id]);
  }

  async setExpiry(key: KeyAddress, expiresAt: Date | null): Promise<void> {
    const id = await this.find(key);
    await this.database.execute('UPDATE portal_gateway_keys SET expires_at = ? WHERE id = ?', [expiresAt, id]);
  }

  async lastUse(keyRefs: readonly string[]): Promise<ReadonlyMap<string, Date>> {
    if (keyRefs.length === 0) return new Map();
    const rows = await this.database.select<{ id: number; lastUsedAt: Date }>(
      `SELECT id, last_used_at AS lastUsedAt FROM portal_gateway_keys
       WHERE last_used_at IS NOT NULL AND id IN (${placeholders(keyRefs)})`,
      keyRefs.map(Number),
      { decode: { lastUsedAt: 'date' } },
    );
    return new Map(rows.map(({ id, lastUsedAt }) => [String(id), lastUsedAt]));
  }

  async remove(key: KeyAddress): Promise<void> {
    const id = await this.lookUp(key);
    if (id !== undefined) await this.database.execute('DELETE FROM portal_gateway_keys WHERE id = ?', [id]);
  }

  /** Row id of a key. @throws GatewayNotFoundError */
  async find(key: KeyAddress): Promise<number> {
    const id = await this.lookUp(key);
    if (id === undefined) throw notFound(key);
    return id;
  }

  /**
   * The same, undefined if there is none. Joins the app, so that a wrong reference cannot reach another developer's
   * key.
   */
  async lookUp({ app, keyRef }: KeyAddress): Promise<number | undefined> {
    const [row] = await this.database.select<{ id: number }>(
      `SELECT k.id AS id FROM portal_gateway_keys k JOIN portal_gateway_apps a ON a.id = k.app_id
       WHERE k.id = ? AND a.developer_id = ? AND a.portal_id = ?`,
      [Number(keyRef), app.developer.id, app.portalId],
    );
    return row?.id;
  }
}

function sealedAt(id: number, column: 'key_sealed' | 'secret_sealed'): string {
  return `portal_gateway_keys:${id}:${column}`;
}

function notFound({ app, keyRef }: KeyAddress): GatewayNotFoundError {
  return new GatewayNotFoundError({ detail: `the local gateway has no key ${keyRef} of app ${app.name}` });
}
