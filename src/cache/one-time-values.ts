import { createHash, randomBytes } from 'node:crypto';
import type { Database } from '../database/index.js';
import { addSeconds, DecryptionError, type Clock, type Encrypter } from '../core/index.js';

/** From the answer to a form until the browser has followed it, on a slow line, too. */
const LIFETIME_S = 5 * 60;

interface OneTimeParts {
  readonly database: Database;
  readonly encrypter: Encrypter;
  readonly clock: Clock;
}

/**
 * Secrets on their way from one request to the next: sealed, bound to whom they are for, and taken exactly once. The table
 * tells nothing to who reads it: a row names neither its token nor its owner.
 */
export class OneTimeValues {
  constructor(private readonly parts: OneTimeParts) {}

  /** @param owner what must be said again to take it. @returns the token of the value: letters, digits, `-` and `_` */
  async keep(value: string, owner: string): Promise<string> {
    const { database, encrypter, clock } = this.parts;
    const token = randomBytes(24).toString('base64url');
    const id = idOf(token, owner);
    const sql = 'INSERT INTO portal_one_time_values (id, sealed, expires_at) VALUES (?, ?, ?)';
    await database.execute(sql, [id, encrypter.encrypt(value, contextOf(id)), addSeconds(clock.now(), LIFETIME_S)]);
    return token;
  }

  /** Of many calls exactly one gets the value. @returns null for one that is taken, expired, unknown or somebody else's */
  async take(token: string, owner: string): Promise<string | null> {
    const { database, clock } = this.parts;
    const id = idOf(token, owner);
    const select = 'SELECT sealed FROM portal_one_time_values WHERE id = ? AND expires_at > ?';
    const [row] = await database.select<{ sealed: string }>(select, [id, clock.now()]);
    if (!row) return null;
    const { affectedRows } = await database.execute('DELETE FROM portal_one_time_values WHERE id = ?', [id]);
    return affectedRows === 1 ? this.open(row.sealed, id) : null;
  }

  // A page without the value is better than none, should a key of the portal have been taken away in these minutes.
  private open(sealed: string, id: string): string | null {
    try {
      return this.parts.encrypter.decrypt(sealed, contextOf(id));
    } catch (error) {
      if (error instanceof DecryptionError) return null;
      throw error;
    }
  }
}

function idOf(token: string, owner: string): string {
  return createHash('sha256').update(`${token}\n${owner}`).digest('hex');
}

function contextOf(id: string): string {
  return `portal_one_time_values:${id}:sealed`;
}
