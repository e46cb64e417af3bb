import { createHash, createHmac, randomBytes, randomInt, timingSafeEqual, type KeyObject } from 'node:crypto';
import { defineRecord, fieldOf, fromRow, Op, type RowOf } from '../../database/index.js';
import {
  addSeconds,
  latestEnd,
  TooManyAttemptsError,
  type AccountRef,
  type AuthAccount,
  type AuthContext,
  type Clock,
  type Database,
  type LimitStore,
} from '../../index.js';
import { accountKey } from './factor.js';

/** Lifetime in seconds of a challenge, and of a mailed code (S75, S76). */
export const CHALLENGE_LIFETIME = 300;
const RESEND_AFTER = 30;
const MOST_SENDS = 3;
/** Maximum code mails to one account per hour, for any purpose. */
const MAILS_PER_HOUR = 10;

/**
 * `login`: the second step. `enrol`: a required factor is missing. `email`: a signed-in account confirms its address.
 * `step-up`: it reauthenticates.
 */
export type ChallengePurpose = 'login' | 'enrol' | 'email' | 'step-up';

export interface Challenge {
  readonly id: number;
  readonly owner: AccountRef;
  /** The account's epoch when it proved its password; a later password change voids the challenge. */
  readonly authEpoch: number;
  readonly codeHash: string | null;
}

interface ChallengeParts {
  readonly database: Database;
  readonly limits: LimitStore;
  readonly clock: Clock;
  /** For mailed codes; the first one is used, all are accepted. */
  readonly keys: readonly [KeyObject, ...KeyObject[]];
}

const challengeRecord = defineRecord({
  name: 'MfaChallenge',
  table: 'portal_mfa_challenges',
  alias: 'c',
  fields: {
    id: fieldOf.id(),
    tokenHash: fieldOf.text(64).hidden(),
    purpose: fieldOf.text<ChallengePurpose>(16),
    context: fieldOf.text<AuthContext>(16),
    accountId: fieldOf.reference(),
    authEpoch: fieldOf.integer(),
    codeHash: fieldOf.text(64).nullable(),
    codeSentAt: fieldOf.time().nullable(),
    codeSends: fieldOf.integer().default(0),
    usedAt: fieldOf.time().nullable(),
    expiresAt: fieldOf.time(),
    createdAt: fieldOf.time(),
  },
});

const openAt = (now: Date) => ({
  usedAt: null,
  expiresAt: { [Op.gt]: now, [Op.lte]: latestEnd(now, CHALLENGE_LIFETIME) },
});
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** Challenges between password and session: 256 random bits of which only a hash is stored, single use (S76). */
export class Challenges {
  constructor(private readonly parts: ChallengeParts) {}

  /** @returns the token, which is not stored */
  async issue(purpose: ChallengePurpose, account: AuthAccount): Promise<{ id: number; token: string }> {
    const { database, clock } = this.parts;
    const token = randomBytes(32).toString('base64url');
    const now = clock.now();
    const { context, id: accountId, authEpoch } = account;
    const lifetime = { expiresAt: addSeconds(now, CHALLENGE_LIFETIME), createdAt: now };
    const row = { tokenHash: hashOf(token), purpose, context, accountId, authEpoch, ...lifetime };
    return { id: await challengeRecord.insert(database, row), token };
  }

  /** The open challenge of a token; null otherwise, for any reason. Does not use it up. */
  async find(token: string, purpose: ChallengePurpose, context: AuthContext): Promise<Challenge | null> {
    if (!TOKEN.test(token)) return null;
    const where = { tokenHash: hashOf(token), purpose, context, ...openAt(this.parts.clock.now()) };
    const row = await challengeRecord.find(this.parts.database, where);
    return row && challengeOf(row);
  }

  /** The newest open challenge of an account that is signed in. */
  async findNewest(purpose: ChallengePurpose, { context, id }: AccountRef): Promise<Challenge | null> {
    const where = { context, accountId: id, purpose, ...openAt(this.parts.clock.now()) };
    const row = await challengeRecord.find(this.parts.database, where, { order: 'c.id DESC', limit: 1 });
    return row && challengeOf(row);
  }

  /** Redeems a challenge. @returns whether this call did: of concurrent calls exactly one */
  async redeem({ id }: Challenge): Promise<boolean> {
    const now = this.parts.clock.now();
    return (await challengeRecord.update(this.parts.database, { id, ...openAt(now) }, { usedAt: now })) === 1;
  }

  /**
   * Generates a code to mail, which voids the challenge's earlier one. @throws TooManyAttemptsError within 30 seconds
   * of the last one, after three, and for an account that was mailed ten within the hour (S75)
   */
  async drawCode({ id }: Pick<Challenge, 'id'>, owner: AccountRef): Promise<string> {
    const { database, clock, limits } = this.parts;
    const code = String(randomInt(1_000_000)).padStart(6, '0');
    const now = clock.now();
    const sentAt = { [Op.or]: [null, { [Op.lte]: addSeconds(now, -RESEND_AFTER) }, { [Op.gt]: latestEnd(now, 0) }] };
    const drawn = await challengeRecord.update(
      database,
      { id, codeSends: { [Op.lt]: MOST_SENDS }, codeSentAt: sentAt },
      { codeHash: this.hashCode(this.parts.keys[0], id, code), codeSentAt: now, codeSends: fromRow('codeSends', 1) },
    );
    if (drawn === 0) throw new TooManyAttemptsError(RESEND_AFTER);
    const mail = await limits.consume(`mfa-mail:${accountKey(owner)}`, MAILS_PER_HOUR, 3_600);
    if (!mail.granted) throw new TooManyAttemptsError(mail.retryAfter);
    return code;
  }

  /** Whether this is the code that was mailed for the challenge. */
  isCode({ id, codeHash }: Challenge, code: string): boolean {
    if (codeHash === null || !/^\d{6}$/.test(code)) return false;
    const stored = Buffer.from(codeHash, 'hex');
    return this.parts.keys.some((key) => timingSafeEqual(stored, Buffer.from(this.hashCode(key, id, code), 'hex')));
  }

  // A million codes are quickly tried against a plain hash; not without the key.
  private hashCode(key: KeyObject, id: number, code: string): string {
    return createHmac('sha256', key).update(`${id}:${code}`).digest('hex');
  }
}

function challengeOf({ id, context, accountId, authEpoch, codeHash }: RowOf<typeof challengeRecord>): Challenge {
  return { id, owner: { context, id: accountId }, authEpoch, codeHash };
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
