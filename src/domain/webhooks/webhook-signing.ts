import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  randomBytes,
  sign,
  timingSafeEqual,
  verify,
  type KeyObject,
} from 'node:crypto';

/** PKCS 8 of an ed25519 key, up to its 32 bytes (RFC 8410). */
const ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex');
/** SubjectPublicKeyInfo of one, up to the same. */
const ED25519_PUBLIC = Buffer.from('302a300506032b6570032100', 'hex');
const RAW_BYTES = 32;
/** Standard Webhooks: older or later messages may be replayed. */
const MOST_APART_S = 300;
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

/** A message as its receiver gets it. */
export interface SignedWebhook {
  readonly id: string;
  /** Seconds since 1970. */
  readonly timestamp: string;
  /** All of the header, separated by spaces. */
  readonly signatures: string;
  readonly body: string;
}

/** What a receiver verifies with: secrets of its endpoint (`whsec_…`) and public keys of the portal (`whpk_…`). */
export interface WebhookKeys {
  readonly secrets: readonly string[];
  readonly publicKeys: readonly string[];
}

/** @returns what signed the message, or why it is refused */
export function judgeWebhook(
  { id, timestamp, signatures, body }: SignedWebhook,
  { secrets, publicKeys }: WebhookKeys,
  now: Date,
): 'secret' | 'public-key' | 'unsigned' | 'too-old' {
  const seconds = /^\d{1,11}$/.test(timestamp) ? Number(timestamp) : Number.NaN;
  if (!(Math.abs(now.getTime() / 1000 - seconds) <= MOST_APART_S)) return 'too-old';
  const text = signedText(id, seconds, body);
  const given = signatures.split(' ');
  if (secrets.some((secret) => given.some((one) => isSame(one, signWithSecret(secret, text))))) return 'secret';
  return publicKeys.some((key) => given.some((one) => isSignedBy(key, one, text))) ? 'public-key' : 'unsigned';
}

function isSame(given: string, right: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function isSignedBy(publicKey: string, signature: string, text: string): boolean {
  const raw = Buffer.from(publicKey.replace(/^whpk_/, ''), 'base64');
  if (raw.length !== RAW_BYTES || !signature.startsWith('v1a,')) return false;
  const key = createPublicKey({ key: Buffer.concat([ED25519_PUBLIC, raw]), format: 'der', type: 'spki' });
  return verify(null, Buffer.from(text), key, Buffer.from(signature.slice('v1a,'.length), 'base64'));
}
