import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  hkdfSync,
  randomBytes,
  type KeyObject,
} from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Derives a key for one purpose from the portal's master key (HKDF-SHA-256, RFC 5869), so that a leaked key never
 * reveals another.
 * @param master 32 bytes or more
 * @param purpose for example `encryption`, `refresh-tokens`
 */
export function deriveKey(master: Buffer, purpose: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', master, 'portalkit', purpose, 32)));
}

export class DecryptionError extends Error {
  override readonly name = 'DecryptionError';
}

/**
 * Encryption at rest (S71): AES-256-GCM, `v1.<key id>.<nonce|tag|ciphertext in base64url>`. The context
 * (`table:row:column`) is authenticated, so a ciphertext that was moved to another row cannot be decrypted.
 */
export class Encrypter {
  private readonly current: { id: string; key: KeyObject };
  private readonly keys = new Map<string, KeyObject>();

  /** @param masters newest first; the first encrypts, all decrypt */
  constructor(masters: readonly [Buffer, ...Buffer[]]) {
    for (const master of [...masters].reverse()) this.keys.set(keyId(master), deriveKey(master, 'encryption'));
    this.current = { id: keyId(masters[0]), key: deriveKey(masters[0], 'encryption') };
  }

  encrypt(plain: string, context: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.current.key, nonce).setAAD(Buffer.from(context));
    const ciphertext = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
    return `v1.${this.current.id}.${Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]).toString('base64url')}`;
  }

  /** @throws DecryptionError for a wrong context, an unknown key or a modified text */
  decrypt(encrypted: string, context: string): string {
    const [version, id, body] = encrypted.split('.');
    const key = this.keys.get(id ?? '');
    if (version !== 'v1' || !key || !body) throw new DecryptionError(`no key for the value at ${context}`);
    const bytes = Buffer.from(body, 'base64url');
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES))
      .setAAD(Buffer.from(context))
      .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    try {
      return decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
    } catch (cause) {
      throw new DecryptionError(`the value at ${context} does not open with its key`, { cause });
    }
  }

  /** Whether `encrypted` uses the newest key; false means that a key rotation has not reached it yet. */
  isCurrent(encrypted: string): boolean {
    return encrypted.split('.')[1] === this.current.id;
  }
}

function keyId(master: Buffer): string {
  return createHash('sha256').update('portalkit key id').update(master).digest('base64url').slice(0, 8);
}
