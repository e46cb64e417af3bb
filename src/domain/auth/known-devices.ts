import { createHmac, randomBytes, timingSafeEqual, type KeyObject } from 'node:crypto';
import type { Clock } from '../../core/index.js';
import type { AccountRepository } from './account-repository.js';
import type { AccountRef, AuthAccount } from './account.js';
import type { AuthContext } from './actor.js';

/** Seconds: the longest that browsers keep a cookie. */
export const DEVICE_LIFETIME = 400 * 86_400;
/** Random id, issue time in seconds since 1970, signature. */
const FORM = /^([A-Za-z0-9_-]{22})\.(\d{1,12})\.([A-Za-z0-9_-]{43})$/;

type DeviceOwner = Pick<AuthAccount, 'context' | 'id' | 'authEpoch'>;

interface DeviceParts {
  readonly directory: Pick<AccountRepository, 'find' | 'findByEmail'>;
  readonly clock: Clock;
  /** Newest first; the first signs. */
  readonly keys: readonly [KeyObject, ...KeyObject[]];
}

/**
 * Devices where an account has signed in. They hold a signed token, which grants no access: their guesses are only
 * counted separately, so that nobody can lock the owner out by guessing elsewhere (OWASP's device cookies). It is bound
 * to the account and its epoch, so what ends every sign-in, such as a new password, makes every device unknown; nothing is
 * stored.
 */
export class KnownDevices {
  constructor(private readonly parts: DeviceParts) {}

  /**
   * The token for a device at which the account has just signed in.
   * @param owner an account as it proved itself is not read again; after a new password only a reference will do
   * @throws NotFoundError
   */
  async issue(owner: AccountRef | DeviceOwner): Promise<string> {
    const { directory, clock, keys } = this.parts;
    const account = 'authEpoch' in owner ? owner : (await directory.find(owner)).account;
    const device = randomBytes(16).toString('base64url');
    const issuedAt = String(Math.floor(clock.now().getTime() / 1000));
    return [device, issuedAt, signature(keys[0], account, device, issuedAt).toString('base64url')].join('.');
  }

  /**
   * @returns the id of the device; null unless the token belongs to this account, its present epoch and the last year
   */
  async recognise(context: AuthContext, email: string, token: string | undefined): Promise<string | null> {
    const { directory, clock, keys } = this.parts;
    const [, device, issuedAt, signed] = FORM.exec(token ?? '') ?? [];
    if (device === undefined || issuedAt === undefined || signed === undefined) return null;
    const age = clock.now().getTime() / 1000 - Number(issuedAt);
    if (age > DEVICE_LIFETIME) return null;
    const stored = await directory.findByEmail(context, email);
    if (!stored) return null;
    const given = Buffer.from(signed, 'base64url');
    return keys.some((key) => timingSafeEqual(given, signature(key, stored.account, device, issuedAt))) ? device : null;
  }
}

function signature(key: KeyObject, { context, id, authEpoch }: DeviceOwner, device: string, issuedAt: string): Buffer {
  const bound = JSON.stringify([context, id, device, issuedAt, authEpoch]);
  return createHmac('sha256', key).update(bound).digest();
}
