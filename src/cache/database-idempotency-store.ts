import { createHash, createHmac, randomUUID, type KeyObject } from 'node:crypto';
import {
  defineRecord,
  fieldOf,
  Op,
  removeExpired,
  UniqueViolationError,
  type Database,
  type SqlValue,
  type Transaction,
} from '../database/index.js';
import {
  addSeconds,
  ConflictError,
  deriveKey,
  latestEnd,
  ValidationError,
  type Clock,
  type Encrypter,
  type IdempotencyStore,
  type IdempotentCall,
  type IdempotentRun,
  type CachedAnswer,
  type Logger,
  type WorkNote,
} from '../core/index.js';

/** How long a stored answer is replayed. */
const KEEP_S = 24 * 3600;
/** Longer than most requests take. After it the key of a dead process is free; a slower request can no longer commit. */
const LEASE_S = 60;
const TIDY_EVERY_MS = 60_000;
const TIDY_ROWS = 500;
/** A key can be released between two reads; twice in a row is unlikely. */
const ATTEMPTS = 3;

const HEADER = 'Idempotency-Key';

const keyRecord = defineRecord({
  name: 'IdempotencyKey',
  table: 'portal_idempotency_keys',
  alias: 'k',
  fields: {
    id: fieldOf.id(),
    keyHash: fieldOf.text(64).unique(),
    fingerprint: fieldOf.text(64),
    leaseToken: fieldOf.text(36).hidden(),
    leaseUntil: fieldOf.time(),
    createdAt: fieldOf.time(),
    expiresAt: fieldOf.time(),
    /** Encrypted, as what was made before an answer. */
    answer: fieldOf.longText().nullable(),
    made: fieldOf.longText().nullable(),
  },
});

export interface DatabaseIdempotencyStoreParts {
  readonly database: Database;
  readonly encrypter: Encrypter;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Values of `app.key`, newest first. */
  readonly masters: readonly [Buffer, ...Buffer[]];
}

/**
 * Idempotency keys, shared by all replicas through the database. A row holds hashes of the key and the request; the
 * latter is keyed, because requests contain passwords that could be guessed from a plain hash. The answer holds tokens
 * and keys and is encrypted (S71).
 */
export class DatabaseIdempotencyStore implements IdempotencyStore {
  private readonly fingerprintKeys: readonly KeyObject[];
  private tidyAt = 0;

  constructor(private readonly parts: DatabaseIdempotencyStoreParts) {
    this.fingerprintKeys = parts.masters.map((master) => deriveKey(master, 'idempotency'));
  }

  async begin(call: IdempotentCall): Promise<CachedAnswer | IdempotentRun> {
    await this.tidy();
    const keyHash = createHash('sha256').update(`${call.scope}\n${call.key}`).digest('hex');
    const fingerprints = this.fingerprintKeys.map((key) =>
      createHmac('sha256', key).update(call.content).digest('hex'),
    );
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const outcome = (await this.insert(keyHash, fingerprints[0] ?? '')) ?? (await this.resume(keyHash, fingerprints));
      if (outcome) return outcome;
    }
    throw stillRunningError();
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
      return this.run(insertId, token, []);
    } catch (error) {
      if (error instanceof UniqueViolationError) return null;
      throw error;
    }
  }

  /** @returns null when the row has changed meanwhile: try again */
  private async resume(keyHash: string, fingerprints: readonly string[]): Promise<CachedAnswer | IdempotentRun | null> {
    const row = await keyRecord.find(this.parts.database, { keyHash });
    if (!row) return null;
    const now = this.parts.clock.now();
    if (row.expiresAt <= now) {
      await keyRecord.remove(this.parts.database, { id: row.id, expiresAt: { [Op.lte]: now } });
      return null;
    }
    if (!fingerprints.includes(row.fingerprint)) throw usedElsewhereError();
    if (row.answer !== null) return this.decrypt(row.id, 'answer', row.answer);
    if (row.leaseUntil > now && row.leaseUntil <= latestEnd(now, LEASE_S)) throw stillRunningError();
    return this.takeOver(row.id, now);
  }

  /** The first process died, or is so slow that it can no longer commit. */
  private async takeOver(id: number, now: Date): Promise<IdempotentRun | null> {
    const { database } = this.parts;
    const token = randomUUID();
    const { affectedRows } = await database.execute(
      `UPDATE portal_idempotency_keys SET lease_token = ?, lease_until = ?
       WHERE id = ? AND answer IS NULL AND (lease_until <= ? OR lease_until > ?)`,
      [token, addSeconds(now, LEASE_S), id, now, latestEnd(now, LEASE_S)],
    );
    if (affectedRows === 0) return null;
    // Read only now that no other request can write it.
    const row = await keyRecord.find(database, { id }, { only: ['made'] });
    return this.run(id, token, row?.made ? this.decrypt<WorkNote[]>(id, 'made', row.made) : []);
  }

  private run(id: number, token: string, notes: readonly WorkNote[]): IdempotentRun {
    const { database } = this.parts;
    const isMine = 'WHERE id = ? AND lease_token = ?';
    const write = (set: string, value: SqlValue, more = '', transaction?: Transaction) =>
      database.execute(`UPDATE portal_idempotency_keys SET ${set} ${isMine} ${more}`, [value, id, token], {
        transaction,
      });
    const release = () =>
      this.attempt('an Idempotency-Key was not freed before its lease ends', async () => {
        const nothingDone = `DELETE FROM portal_idempotency_keys ${isMine} AND answer IS NULL AND made IS NULL`;
        if ((await database.execute(nothingDone, [id, token])).affectedRows > 0) return;
        await write('lease_until = ?', this.parts.clock.now(), 'AND answer IS NULL');
      });
    return {
      notes,
      note: async (all, scope) => {
        const { affectedRows } = await write('made = ?', this.encrypt(id, 'made', all), '', scope as Transaction);
        if (affectedRows === 0) throw stillRunningError();
      },
      keep: async (answer) => {
        const isKept = await this.attempt('an answer was not kept for its repetition', async () => {
          await write('answer = ?', this.encrypt(id, 'answer', answer));
        });
        // A retry then finds the recorded work without waiting for the lease to expire.
        if (!isKept) await release();
      },
      release: async () => void (await release()),
    };
  }

  private encrypt(id: number, column: IdempotencyColumn, value: object): string {
    return this.parts.encrypter.encrypt(JSON.stringify(value), contextOf(id, column));
  }

  private decrypt<T = CachedAnswer>(id: number, column: IdempotencyColumn, encrypted: string): T {
    return JSON.parse(this.parts.encrypter.decrypt(encrypted, contextOf(id, column))) as T;
  }

  // The work has already succeeded or failed; the client's answer must not depend on this.
  private async attempt(failure: string, run: () => Promise<void>): Promise<boolean> {
    try {
      await run();
      return true;
    } catch (error) {
      this.parts.logger.error({ err: error }, failure);
      return false;
    }
  }

  /** Occasionally removes expired rows; a bounded number, so that no request waits long. */
  private async tidy(): Promise<void> {
    const { clock, database } = this.parts;
    const now = clock.now();
    if (Math.abs(now.getTime() - this.tidyAt) < TIDY_EVERY_MS) return;
    this.tidyAt = now.getTime();
    await this.attempt('old Idempotency-Keys were not removed', async () => {
      const expired = { condition: 'expires_at <= ?', values: [now], most: TIDY_ROWS };
      await removeExpired(database, { table: 'portal_idempotency_keys', key: 'id', ...expired });
    });
  }
}

type IdempotencyColumn = 'answer' | 'made';

function contextOf(id: number, column: IdempotencyColumn): string {
  return `portal_idempotency_keys:${id}:${column}`;
}

function usedElsewhereError(): ValidationError {
  return new ValidationError({ [HEADER]: ['This key was used for another request; take a new one.'] });
}

function stillRunningError(): ConflictError {
  const errors = { [HEADER]: ['The first request with this key is still running; try again in a moment.'] };
  return new ConflictError({ errors, headers: { 'Retry-After': '1' } });
}
