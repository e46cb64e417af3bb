import { createHash, randomBytes } from 'node:crypto';
import { defineRecord, fieldOf, Op, type Database, type Transaction } from '../../database/index.js';
import { addSeconds, latestEnd, type Clock } from '../../core/index.js';

/** Purpose of a token in a mailed link. */
export type EmailTokenPurpose = 'password-reset' | 'verify-email' | 'email-change';

export interface EmailToken {
  readonly userId: number;
  readonly purpose: EmailTokenPurpose;
  /** The address it was sent to. */
  readonly email: string;
}

/** A token: 256 random bits in base64url (S07). */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;
/** A token created in the future predates a clock correction and would be valid for too long. */
const openAt = (now: Date) => ({
  usedAt: null,
  expiresAt: { [Op.gt]: now },
  createdAt: { [Op.lte]: latestEnd(now, 0) },
});

const emailTokenRecord = defineRecord({
  name: 'AccountLink',
  table: 'portal_account_links',
  alias: 'l',
  fields: {
    id: fieldOf.id(),
    purpose: fieldOf.text<EmailTokenPurpose>(16),
    userId: fieldOf.reference(),
    tokenHash: fieldOf.text(64),
    email: fieldOf.text(254),
    expiresAt: fieldOf.time(),
    usedAt: fieldOf.time().nullable(),
    createdAt: fieldOf.time(),
  },
});

/**
 * Single-use tokens in mailed links that prove ownership of an address; only the newest per purpose works, and only the hash is stored.
 */
export class EmailTokens {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** @param lifetime seconds. @returns the token, which is not stored */
  async issue(emailToken: EmailToken, lifetime: number, transaction: Transaction): Promise<string> {
    const token = randomBytes(32).toString('base64url');
    const now = this.clock.now();
    await this.revoke(emailToken.userId, [emailToken.purpose], transaction);
    const { purpose, userId, email } = emailToken;
    const row = { purpose, userId, email, tokenHash: hashOf(token), createdAt: now };
    await emailTokenRecord.insert(this.database, { ...row, expiresAt: addSeconds(now, lifetime) }, transaction);
    return token;
  }

  /** What a token stands for if it can still be used; null otherwise, for any reason. */
  async find(
    token: string,
    purposes: readonly EmailTokenPurpose[],
    transaction?: Transaction,
  ): Promise<EmailToken | null> {
    if (!TOKEN.test(token)) return null;
    const where = { tokenHash: hashOf(token), purpose: purposes, ...openAt(this.clock.now()) };
    return emailTokenRecord.find(this.database, where, { only: ['userId', 'purpose', 'email'], transaction });
  }

  /** Redeems a token. @returns whether this call did: of concurrent calls exactly one */
  async redeem(token: string, transaction: Transaction): Promise<boolean> {
    const now = this.clock.now();
    const where = { tokenHash: hashOf(token), ...openAt(now) };
    return (await emailTokenRecord.update(this.database, where, { usedAt: now }, transaction)) === 1;
  }

  /** Voids the unused tokens of an account. */
  async revoke(userId: number, purposes: readonly EmailTokenPurpose[], transaction: Transaction): Promise<void> {
    await emailTokenRecord.remove(this.database, { userId, usedAt: null, purpose: purposes }, transaction);
  }
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
