import { createHash, createHmac, randomUUID, type KeyObject } from 'node:crypto';
import { UniqueViolationError, placeholders, type Database } from '../database/index.js';
import {
  addSeconds,
  ConflictError,
  deriveKey,
  ValidationError,
  type Clock,
  type Encrypter,
  type IdempotencyStore,
  type IdempotentCall,
  type IdempotentRun,
  type KeptAnswer,
  type Logger,
} from '../kernel/index.js';

/** How long an answer is repeated. */
const KEEP_S = 24 * 3600;
/** Longer than any request may take; what a dead process held is free after it. */
const LEASE_S = 60;
const TIDY_EVERY_MS = 60_000;
const TIDY_ROWS = 500;
/** A key can be freed between two looks at it, hardly twice. */
const ATTEMPTS = 3;

const HEADER = 'Idempotency-Key';

interface KeyRow {
  readonly id: number;
  readonly fingerprint: string;
  readonly leaseUntil: Date;
  readonly expiresAt: Date;
  readonly answer: string | null;
}

export interface DatabaseIdempotencyStoreParts {
  readonly database: Database;
  readonly encrypter: Encrypter;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Values of `app.key`, newest first. */
  readonly masters: readonly [Buffer, ...Buffer[]];
}

/**
 * Requests that may come twice, for every replica that shares the database. A row holds neither the key nor the request
 * but hashes of them, the second one keyed: requests hold passwords, and a plain hash of one could be guessed. The answer
 * holds tokens and keys and is encrypted (S71).
 */
export class DatabaseIdempotencyStore implements IdempotencyStore {
  private readonly fingerprintKeys: readonly KeyObject[];
  private tidyAt = 0;

  constructor(private readonly parts: DatabaseIdempotencyStoreParts) {
    this.fingerprintKeys = parts.masters.map((master) => deriveKey(master, 'idempotency'));
  }

  async begin(call: IdempotentCall): Promise<KeptAnswer | IdempotentRun> {
    await this.tidy();
    const keyHash = createHash('sha256').update(`${call.scope}\n${call.key}`).digest('hex');
    const fingerprints = this.fingerprintKeys.map((key) =>
      createHmac('sha256', key).update(call.content).digest('hex'),
    );
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const outcome = (await this.insert(keyHash, fingerprints[0] ?? '')) ?? (await this.resume(keyHash, fingerprints));
      if (outcome) return outcome;
    }
    throw stillRunning();
  }

  private async insert(keyHash: string, fingerprint: string): Promise<IdempotentRun | null> {
    const now = this.parts.clock.now();
    const token = randomUUID();
    try {
      const { insertId } = await this.parts.database.execute(
        `INSERT INTO portal_idempotency_keys (key_hash, fingerprint, lease_token, lease_until, created_at, expires_at)
         VALUES (?, ?, ?, ?, ?, ?)`,
        [keyHash, fingerprint, token, addSeconds(now, LEASE_S), now, addSeconds(now, KEEP_S)],
      );
      return this.run(insertId, token);
    } catch (error) {
      if (error instanceof UniqueViolationError) return null;
      throw error;
    }
  }

  /** @returns null when the row has changed in between: look again */
  private async resume(keyHash: string, fingerprints: readonly string[]): Promise<KeptAnswer | IdempotentRun | null> {
    const row = await this.read(keyHash);
    if (!row) return null;
    const now = this.parts.clock.now();
    if (row.expiresAt <= now) {
      await this.parts.database.execute(`DELETE FROM portal_idempotency_keys WHERE id = ? AND expires_at <= ?`, [
        row.id,
        now,
      ]);
      return null;
    }
    if (!fingerprints.includes(row.fingerprint)) throw usedElsewhere();
    if (row.answer !== null) return this.open(row.id, row.answer);
    if (row.leaseUntil > now) throw stillRunning();
    return this.takeOver(row.id, now);
  }

  private async read(keyHash: string): Promise<KeyRow | undefined> {
    const [row] = await this.parts.database.select<KeyRow>(
      `SELECT id, fingerprint, lease_until AS leaseUntil, expires_at AS expiresAt, answer
       FROM portal_idempotency_keys WHERE key_hash = ?`,
      [keyHash],
      { decode: { leaseUntil: 'date', expiresAt: 'date' } },
    );
    return row;
  }

  /** The process that began is dead: nobody holds a request for that long. */
  private async takeOver(id: number, now: Date): Promise<IdempotentRun | null> {
    const token = randomUUID();
    const { affectedRows } = await this.parts.database.execute(
      `UPDATE portal_idempotency_keys SET lease_token = ?, lease_until = ?
       WHERE id = ? AND answer IS NULL AND lease_until <= ?`,
      [token, addSeconds(now, LEASE_S), id, now],
    );
    return affectedRows === 1 ? this.run(id, token) : null;
  }

  private run(id: number, token: string): IdempotentRun {
    const { database, encrypter } = this.parts;
    return {
      keep: (answer) =>
        this.attempt('an answer was not kept for its repetition', async () => {
          const sealed = encrypter.encrypt(JSON.stringify(answer), contextOf(id));
          const sql = 'UPDATE portal_idempotency_keys SET answer = ? WHERE id = ? AND lease_token = ?';
          await database.execute(sql, [sealed, id, token]);
        }),
      release: () =>
        this.attempt('an Idempotency-Key was not freed before its lease ends', async () => {
          const sql = 'DELETE FROM portal_idempotency_keys WHERE id = ? AND lease_token = ? AND answer IS NULL';
          await database.execute(sql, [id, token]);
        }),
    };
  }

  private open(id: number, sealed: string): KeptAnswer {
    return JSON.parse(this.parts.encrypter.decrypt(sealed, contextOf(id))) as KeptAnswer;
  }

  // The work is done, or has failed for a reason of its own: what its client learns must not depend on this.
  private async attempt(failure: string, run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (error) {
      this.parts.logger.error({ err: error }, failure);
    }
  }

  /** Now and then removes old rows; a bounded number, so that nobody waits long for it. */
  private async tidy(): Promise<void> {
    const { clock, database } = this.parts;
    const now = clock.now();
    if (Math.abs(now.getTime() - this.tidyAt) < TIDY_EVERY_MS) return;
    this.tidyAt = now.getTime();
    await this.attempt('old Idempotency-Keys were not removed', async () => {
      const old = await database.select<{ id: number }>(
        `SELECT id FROM portal_idempotency_keys WHERE expires_at <= ? ORDER BY expires_at LIMIT ${TIDY_ROWS}`,
        [now],
      );
      if (old.length === 0) return;
      const places = placeholders(old);
      const sql = `DELETE FROM portal_idempotency_keys WHERE expires_at <= ? AND id IN (${places})`;
      await database.execute(sql, [now, ...old.map(({ id }) => id)]);
    });
  }
}

function contextOf(id: number): string {
  return `portal_idempotency_keys:${id}:answer`;
}

function usedElsewhere(): ValidationError {
  return new ValidationError({ [HEADER]: ['This key was used for another request; take a new one.'] });
}

function stillRunning(): ConflictError {
  const errors = { [HEADER]: ['The first request with this key is still running; try again in a moment.'] };
  return new ConflictError({ errors, headers: { 'Retry-After': '1' } });
}
