import { createHmac, createPrivateKey, createPublicKey, randomBytes, sign, type KeyObject } from 'node:crypto';

/** PKCS 8 of an ed25519 key, up to its 32 bytes (RFC 8410). */
const ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex');
const RAW_BYTES = 32;
const SECRET_BYTES = 32;

/** A new secret of an endpoint, as Standard Webhooks writes it. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}

/** What is signed: id, time and body, so that none of them can be changed. */
export function signedText(id: string, timestamp: number, body: string): string {
  return `${id}.${timestamp}.${body}`;
}

/** Signature `v1` (HMAC-SHA256). @param secret with its prefix `whsec_` */
export function signWithSecret(secret: string, text: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return `v1,${createHmac('sha256', key).update(text).digest('base64')}`;
}

/** Signature `v1a` (ed25519) with keys of the portal, derived from `app.key` and its earlier values. */
export class PortalSignatures {
  private readonly keys: readonly KeyObject[];

  /** @param seeds 32 bytes each, newest first */
  constructor(seeds: readonly KeyObject[]) {
    this.keys = seeds.map((seed) => {
      const der = Buffer.concat([ED25519, seed.export()]);
      return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
    });
  }

  /** One signature for each key: receivers that know an earlier one go on verifying while `app.key` is rotated. */
  sign(text: string): string[] {
    return this.keys.map((key) => `v1a,${sign(null, Buffer.from(text), key).toString('base64')}`);
  }

  /** What receivers verify with, newest first: `whpk_…`. */
  publicKeys(): string[] {
    return this.keys.map((key) => {
      const der = createPublicKey(key).export({ format: 'der', type: 'spki' });
      return `whpk_${der.subarray(-RAW_BYTES).toString('base64')}`;
    });
  }
}
