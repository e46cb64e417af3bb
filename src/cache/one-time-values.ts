import { createHash, randomBytes } from 'node:crypto';
import { defineRecord, fieldOf, Op, type Database } from '../database/index.js';
import { addSeconds, DecryptionError, type Clock, type Encrypter } from '../core/index.js';

/** Enough for the browser to follow the redirect after a form, even on a slow connection. */
const LIFETIME_S = 5 * 60;

const valueRecord = defineRecord({
  name: 'OneTimeValue',
  table: 'portal_one_time_values',
  alias: 'v',
  fields: { id: fieldOf.text(64).key(), encrypted: fieldOf.longText().named('sealed'), expiresAt: fieldOf.time() },
});

interface OneTimeParts {
  readonly database: Database;
  readonly encrypter: Encrypter;
  readonly clock: Clock;
}

/**
 * Secrets passed from one request to the next: encrypted, bound to their owner, readable exactly once. The table
 * reveals nothing: a row stores neither the token nor the owner.
 */
export class OneTimeValues {
  constructor(private readonly parts: OneTimeParts) {}

  /** @param owner must be given again to take the value. @returns the token: letters, digits, `-` and `_` */
  async keep(value: string, owner: string): Promise<string> {
    const { database, encrypter, clock } = this.parts;
    const token = randomBytes(24).toString('base64url');
    const id = idOf(token, owner);
    const encrypted = encrypter.encrypt(value, contextOf(id));
    await valueRecord.insert(database, { id, encrypted, expiresAt: addSeconds(clock.now(), LIFETIME_S) });
    return token;
  }

  /**
   * Exactly one of several concurrent calls gets the value. @returns null when taken, expired, unknown or of another
   * owner
   */
  async take(token: string, owner: string): Promise<string | null> {
    const { database, clock } = this.parts;
    const id = idOf(token, owner);
    const row = await valueRecord.find(database, { id, expiresAt: { [Op.gt]: clock.now() } });
    if (!row || (await valueRecord.remove(database, { id })) !== 1) return null;
    return this.decrypt(row.encrypted, id);
  }

  // If a key of the portal was removed in these minutes, a page without the value is better than an error.
  private decrypt(encrypted: string, id: string): string | null {
    try {
      return this.parts.encrypter.decrypt(encrypted, contextOf(id));
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
