import { createHash, randomBytes } from 'node:crypto';
import { placeholders, type Database, type Transaction } from '../../database/index.js';
import { addSeconds, latestEnd, type Clock } from '../../core/index.js';

/** Purpose of a mailed link. */
export type LinkPurpose = 'password-reset' | 'verify-email' | 'email-change';

export interface EmailToken {
  readonly userId: number;
  readonly purpose: LinkPurpose;
  /** The address it was sent to. */
  readonly email: string;
}

/** Of the token: 256 bits, in base64url (S07). */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;
/** A token created in the future predates a clock correction and would be valid for too long. */
const OPEN = 'used_at IS NULL AND expires_at > ? AND created_at <= ?';
const openAt = (now: Date) => [now, latestEnd(now, 0)];
const LINK_COLUMNS = 'user_id AS userId, purpose, email';

/**
 * Single-use links that prove ownership of an address; only the newest per purpose works, and only the hash is stored.
 */
export class EmailTokens {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** @param lifetime seconds. @returns the token, which is not stored */
  async issue(link: EmailToken, lifetime: number, transaction: Transaction): Promise<string> {
    const token = randomBytes(32).toString('base64url');
    const now = this.clock.now();
    await this.revoke(link.userId, [link.purpose], transaction);
    await this.database.execute(
      'INSERT INTO portal_account_links (purpose, user_id, token_hash, email, expires_at, created_at) VALUES (?, ?, ?, ?, ?, ?)',
      [link.purpose, link.userId, hashOf(token), link.email, addSeconds(now, lifetime), now],
      { transaction },
    );
    return token;
  }

  /** The link of a token if it can still be used; null otherwise, for any reason. */
  async find(token: string, purposes: readonly LinkPurpose[], transaction?: Transaction): Promise<EmailToken | null> {
    if (!TOKEN.test(token)) return null;
    const [link] = await this.database.select<EmailToken>(
      `SELECT ${LINK_COLUMNS} FROM portal_account_links WHERE token_hash = ? AND ${OPEN} ` +
        `AND purpose IN (${placeholders(purposes)})`,
      [hashOf(token), ...openAt(this.clock.now()), ...purposes],
      { transaction },
    );
    return link ?? null;
  }

  /** Redeems a link. @returns whether this call did: of concurrent calls exactly one */
  async redeem(token: string, transaction: Transaction): Promise<boolean> {
    const now = this.clock.now();
    const { affectedRows } = await this.database.execute(
      `UPDATE portal_account_links SET used_at = ? WHERE token_hash = ? AND ${OPEN}`,
      [now, hashOf(token), ...openAt(now)],
      { transaction },
    );
    return affectedRows === 1;
  }

  /** Voids the unused links of an account. */
  async revoke(userId: number, purposes: readonly LinkPurpose[], transaction: Transaction): Promise<void> {
    await this.database.execute(
      `DELETE FROM portal_account_links WHERE user_id = ? AND used_at IS NULL AND purpose IN (${placeholders(purposes)})`,
      [userId, ...purposes],
      { transaction },
    );
  }
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
