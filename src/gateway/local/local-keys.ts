import { type Database, type Transaction, UniqueViolationError } from '../../database/index.js';
import type { Clock, Encrypter } from '../../core/index.js';
import type { KeysConfig } from '../config.js';
import type {
  AppAddress,
  GatewayKeys,
  GatewayStatus,
  IssuedKey,
  KeyAddress,
  KeyPair,
  NewKey,
  GatewayKeyProducts,
  KeyProduct,
} from '../contract.js';
import { GatewayNotFoundError } from '../errors.js';
import { findLocalApp } from './find-app.js';
import { keyHash, newKeyPair } from './key-material.js';
import { localAppRecord, localKeyProductRecord, localKeyRecord } from './records.js';

/** Keys are looked up by SHA-256 and revealed from AES-256-GCM ciphertext that is bound to its row and column. */
export class LocalKeys implements GatewayKeys {
  constructor(
    private readonly database: Database,
    private readonly encrypter: Encrypter,
    private readonly clock: Clock,
    private readonly form: KeysConfig,
  ) {}

  async issue(app: AppAddress, key: NewKey): Promise<IssuedKey> {
    const appId = await findLocalApp(this.database, app);
    return this.database.transaction((transaction) => this.insert(appId, key, transaction));
  }

  /** Part of the transaction that may also create the app. */
  async insert(appId: number, key: NewKey, transaction: Transaction): Promise<IssuedKey> {
    const pair = newKeyPair(this.form);
    const id = await localKeyRecord.insert(
      this.database,
      {
        ...{ appId, portalId: key.portalId, issuedAt: this.clock.now(), expiresAt: key.expiresAt },
        ...{ keyHash: keyHash(pair.consumerKey), secretHash: keyHash(pair.consumerSecret) },
        ...{ encryptedKey: '', encryptedSecret: '', status: 'approved' },
      },
      transaction,
    );
    // The ciphertext is bound to the row id, which is known only now.
    const encrypted = {
      encryptedKey: this.encrypter.encrypt(pair.consumerKey, contextOf(id, 'key_sealed')),
      encryptedSecret: this.encrypter.encrypt(pair.consumerSecret, contextOf(id, 'secret_sealed')),
    };
    await localKeyRecord.update(this.database, { id }, encrypted, transaction);
    const granted = key.products.map((grant) => ({ keyId: id, ...grant }));
    await localKeyProductRecord.insertAll(this.database, granted, transaction);
    return { keyRef: String(id), ...pair };
  }

  async reveal(key: KeyAddress): Promise<KeyPair> {
    const id = await this.find(key);
    const row = await localKeyRecord.find(this.database, { id }, { only: ['encryptedKey', 'encryptedSecret'] });
    if (!row) throw refuseMissing(key);
    return {
      consumerKey: this.encrypter.decrypt(row.encryptedKey, contextOf(id, 'key_sealed')),
      consumerSecret: this.encrypter.decrypt(row.encryptedSecret, contextOf(id, 'secret_sealed')),
    };
  }

  async setStatus(key: KeyAddress, status: GatewayStatus): Promise<void> {
    const id = await this.find(key);
    await localKeyRecord.update(this.database, { id }, { status });
  }

  async setExpiry(key: KeyAddress, expiresAt: Date | null): Promise<void> {
    const id = await this.find(key);
    await localKeyRecord.update(this.database, { id }, { expiresAt });
  }

  async lastUse(keyRefs: readonly string[]): Promise<ReadonlyMap<string, Date>> {
    const rows = await localKeyRecord.findAll(
      this.database,
      { id: keyRefs.map(Number) },
      { only: ['id', 'lastUsedAt'] },
    );
    return new Map(rows.flatMap(({ id, lastUsedAt }) => (lastUsedAt ? [[String(id), lastUsedAt]] : [])));
  }

  async remove(key: KeyAddress): Promise<void> {
    const id = await this.lookUp(key);
    if (id !== undefined) await localKeyRecord.remove(this.database, { id });
  }

  /** Row id of a key. @throws GatewayNotFoundError */
  async find(key: KeyAddress): Promise<number> {
    const id = await this.lookUp(key);
    if (id === undefined) throw refuseMissing(key);
    return id;
  }

  /**
   * The same, undefined if there is none. Reads the app too, so that a wrong reference cannot reach another developer's
   * key.
   */
  async lookUp({ app, keyRef }: KeyAddress): Promise<number | undefined> {
    const key = await localKeyRecord.find(this.database, { id: Number(keyRef) }, { only: ['id', 'appId'] });
    if (!key) return undefined;
    const owner = { id: key.appId, developerId: app.developer.id, portalId: app.portalId };
    return (await localAppRecord.has(this.database, owner)) ? key.id : undefined;
  }
}

function contextOf(id: number, column: 'key_sealed' | 'secret_sealed'): string {
  return `portal_gateway_keys:${id}:${column}`;
}

function refuseMissing({ app, keyRef }: KeyAddress): GatewayNotFoundError {
  return new GatewayNotFoundError({ detail: `the local gateway has no key ${keyRef} of app ${app.name}` });
}

export class LocalKeyProducts implements GatewayKeyProducts {
  constructor(
    private readonly database: Database,
    private readonly keys: LocalKeys,
  ) {}

  async add(key: KeyAddress, grant: KeyProduct): Promise<void> {
    const id = await this.keys.find(key);
    const values = { status: grant.status, plan: grant.plan ?? null };
    if (await this.update(id, grant.product, values)) return;
    try {
      await localKeyProductRecord.insert(this.database, { keyId: id, ...grant });
    } catch (error) {
      if (!(error instanceof UniqueViolationError)) throw error;
      await this.update(id, grant.product, values);
    }
  }

  async setStatus(key: KeyAddress, { product, status }: KeyProduct): Promise<void> {
    if (await this.update(await this.keys.find(key), product, { status })) return;
    throw new GatewayNotFoundError({ detail: `key ${key.keyRef} of the local gateway has no ${product}` });
  }

  async remove(key: KeyAddress, product: string): Promise<void> {
    const keyId = await this.keys.lookUp(key);
    if (keyId !== undefined) await localKeyProductRecord.remove(this.database, { keyId, product });
  }

  private async update(keyId: number, product: string, values: Omit<KeyProduct, 'product'>): Promise<boolean> {
    return (await localKeyProductRecord.update(this.database, { keyId, product }, values)) > 0;
  }
}
