import { createHash, createHmac, timingSafeEqual, type KeyObject } from 'node:crypto';
import { deriveKey } from '../../../core/index.js';
import type { AuthContext } from '../actor.js';

/** Identifies the kind of secret to people and to secret scanners. */
const PREFIX = 'prt_';
const FAMILY_BYTES = 16;
const BODY_BYTES = 1 + FAMILY_BYTES + 4;
const MAC_BYTES = 32;
const CONTEXT_BYTES: Readonly<Record<AuthContext, number>> = { consumer: 1, admin: 2 };

/** One generation of a sign-in. */
export interface RefreshTokenId {
  readonly context: AuthContext;
  /** The `sid` of the session: 32 hexadecimal digits. */
  readonly family: string;
  /** 1 for the token of the login, incremented with each exchange. */
  readonly counter: number;
}

/**
 * Refresh tokens are computed: their content plus its HMAC-SHA-256. They cannot be forged without the key, so garbage
 * costs no query, a database dump contains none (S26), and a lost response can be repeated with the same successor
 * (S29).
 */
export class RefreshTokenCodec {
  private readonly current: KeyObject;
  private readonly keys: readonly KeyObject[];

  /** @param masters values of `app.key`, newest first; the first makes tokens, all read them */
  constructor(masters: readonly [Buffer, ...Buffer[]]) {
    this.current = deriveKey(masters[0], 'refresh-tokens');
    this.keys = [this.current, ...masters.slice(1).map((master) => deriveKey(master, 'refresh-tokens'))];
  }

  encode(id: RefreshTokenId): string {
    return tokenOf(id, this.current);
  }

  /** The token under every key: only its hash tells which one was issued. */
  candidates(id: RefreshTokenId): string[] {
    return this.keys.map((key) => tokenOf(id, key));
  }

  /** @returns null unless this portal made the token */
  decode(token: string): RefreshTokenId | null {
    const form = /^prt_([A-Za-z0-9_-]{71})$/.exec(token)?.[1];
    if (form === undefined) return null;
    const bytes = Buffer.from(form, 'base64url');
    // 71 characters hold two bits more than 53 bytes: only the canonical spelling is accepted.
    if (bytes.length !== BODY_BYTES + MAC_BYTES || bytes.toString('base64url') !== form) return null;
    const body = bytes.subarray(0, BODY_BYTES);
    const mac = bytes.subarray(BODY_BYTES);
    const genuine = this.keys.some((key) => timingSafeEqual(macOf(body, key), mac));
    const context =
      bytes[0] === CONTEXT_BYTES.admin ? 'admin' : bytes[0] === CONTEXT_BYTES.consumer ? 'consumer' : null;
    if (!genuine || context === null) return null;
    return {
      context,
      family: body.toString('hex', 1, 1 + FAMILY_BYTES),
      counter: body.readUInt32BE(1 + FAMILY_BYTES),
    };
  }
}

function tokenOf({ context, family, counter }: RefreshTokenId, key: KeyObject): string {
  const body = Buffer.alloc(BODY_BYTES);
  body.writeUInt8(CONTEXT_BYTES[context], 0);
  body.write(family, 1, 'hex');
  body.writeUInt32BE(counter, 1 + FAMILY_BYTES);
  return PREFIX + Buffer.concat([body, macOf(body, key)]).toString('base64url');
}

function macOf(body: Buffer, key: KeyObject): Buffer {
  return createHmac('sha256', key).update(body).digest();
}

/** The form of a refresh token that the database stores. */
export function refreshTokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
