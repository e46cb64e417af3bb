import {
  addSeconds,
  latestEnd,
  type AccountRef,
  type Clock,
  type Database,
  type Encrypter,
  type Transaction,
} from '../../index.js';
import type { Factor, FactorType } from './factor.js';
import { totpStep } from './totp.js';

/** Seconds to scan the QR code and type the first code. */
const PENDING_LIFETIME = 600;

interface FactorParts {
  readonly database: Database;
  readonly encrypter: Encrypter;
  readonly clock: Clock;
}

interface TotpRow {
  readonly id: number;
  readonly secret: string | null;
}

const PENDING = 'pending_until > ? AND pending_until <= ?';
const OWNED = 'context = ? AND account_id = ? AND type = ?';

/** The rows of `portal_mfa_factors`: one per account and kind. Secrets are encrypted, bound to their account (S71). */
export class Factors {
  constructor(private readonly parts: FactorParts) {}

  /** Confirmed factors, the strongest first. */
  async list({ context, id }: AccountRef, transaction?: Transaction): Promise<Factor[]> {
    return this.parts.database.select<Factor>(
      'SELECT type, confirmed_at AS confirmedAt FROM portal_mfa_factors ' +
        'WHERE context = ? AND account_id = ? AND confirmed_at IS NOT NULL ORDER BY type DESC',
      [context, id],
      { decode: { confirmedAt: 'date' }, transaction },
    );
  }

  /** Stores the secret of an authenticator being set up; the present one stays valid until then (S78). */
  async keepPending(owner: AccountRef, secret: string): Promise<void> {
    const { database, clock } = this.parts;
    const now = clock.now();
    await database.transaction(async (transaction) => {
      await this.ensure(owner, 'totp', transaction);
      await database.execute(
        `UPDATE portal_mfa_factors SET pending_secret = ?, pending_until = ?, updated_at = ? WHERE ${OWNED}`,
        [this.seal(owner, secret), addSeconds(now, PENDING_LIFETIME), now, ...this.key(owner, 'totp')],
        { transaction },
      );
    });
  }

  /** The time step of a code of the authenticator being set up; null if the code is wrong or there is none. */
  async pendingStep(owner: AccountRef, code: string): Promise<number | null> {
    const now = this.parts.clock.now();
    const [row] = await this.parts.database.select<TotpRow>(
      `SELECT id, pending_secret AS secret FROM portal_mfa_factors WHERE ${OWNED} AND ${PENDING}`,
      [...this.key(owner, 'totp'), now, latestEnd(now, PENDING_LIFETIME)],
    );
    return row?.secret == null ? null : totpStep(this.open(owner, row.secret), code, now);
  }

  /**
   * Replaces the present authenticator by the pending one. The step of its first code counts as used (S74).
   * @returns whether this call did, and whether there was one before
   */
  async confirmTotp(owner: AccountRef, step: number, transaction: Transaction): Promise<Confirmed> {
    const now = this.parts.clock.now();
    const before = await this.list(owner, transaction);
    const { affectedRows } = await this.parts.database.execute(
      'UPDATE portal_mfa_factors SET secret = pending_secret, last_step = ?, confirmed_at = ?, pending_secret = NULL, ' +
        `pending_until = NULL, updated_at = ? WHERE ${OWNED} AND pending_secret IS NOT NULL AND ${PENDING}`,
      [step, now, now, ...this.key(owner, 'totp'), now, latestEnd(now, PENDING_LIFETIME)],
      { transaction },
    );
    return { done: affectedRows === 1, before };
  }

  /** The address of the account was proved; codes may go there from now on. */
  async confirmEmail(owner: AccountRef, transaction: Transaction): Promise<Confirmed> {
    const now = this.parts.clock.now();
    const before = await this.list(owner, transaction);
    await this.ensure(owner, 'email', transaction);
    await this.parts.database.execute(
      `UPDATE portal_mfa_factors SET confirmed_at = ?, updated_at = ? WHERE ${OWNED}`,
      [now, now, ...this.key(owner, 'email')],
      { transaction },
    );
    return { done: true, before };
  }

  /**
   * Redeems a code of the authenticator. One conditional UPDATE decides: each time step works once, and none before the
   * last one used (S74).
   */
  async redeemTotp(owner: AccountRef, code: string): Promise<boolean> {
    const { database, clock } = this.parts;
    const [row] = await database.select<TotpRow>(
      `SELECT id, secret FROM portal_mfa_factors WHERE ${OWNED} AND confirmed_at IS NOT NULL`,
      this.key(owner, 'totp'),
    );
    const step = row?.secret == null ? null : totpStep(this.open(owner, row.secret), code, clock.now());
    if (row === undefined || step === null) return false;
    const { affectedRows } = await database.execute(
      'UPDATE portal_mfa_factors SET last_step = ? WHERE id = ? AND confirmed_at IS NOT NULL AND (last_step IS NULL OR last_step < ?)',
      [step, row.id, step],
    );
    return affectedRows === 1;
  }

  /** @returns whether there was one */
  async remove(owner: AccountRef, type: FactorType, transaction: Transaction): Promise<boolean> {
    const sql = `DELETE FROM portal_mfa_factors WHERE ${OWNED} AND confirmed_at IS NOT NULL`;
    const { affectedRows } = await this.parts.database.execute(sql, this.key(owner, type), { transaction });
    return affectedRows > 0;
  }

  /** Removes everything, including a pending authenticator. */
  async removeAll({ context, id }: AccountRef, transaction: Transaction): Promise<void> {
    const sql = 'DELETE FROM portal_mfa_factors WHERE context = ? AND account_id = ?';
    await this.parts.database.execute(sql, [context, id], { transaction });
  }

  // The row per kind is created once; a concurrent request finds it existing.
  private async ensure(owner: AccountRef, type: FactorType, transaction: Transaction): Promise<void> {
    const { database, clock } = this.parts;
    const now = clock.now();
    const key = this.key(owner, type);
    const sql = `SELECT id FROM portal_mfa_factors WHERE ${OWNED}`;
    if ((await database.select(sql, key, { transaction })).length > 0) return;
    await database.execute(
      'INSERT INTO portal_mfa_factors (context, account_id, type, created_at, updated_at) VALUES (?, ?, ?, ?, ?)',
      [...key, now, now],
      { transaction },
    );
  }

  private key({ context, id }: AccountRef, type: FactorType): [string, number, string] {
    return [context, id, type];
  }

  private seal(owner: AccountRef, secret: string): string {
    return this.parts.encrypter.encrypt(secret, sealContext(owner));
  }

  private open(owner: AccountRef, sealed: string): string {
    return this.parts.encrypter.decrypt(sealed, sealContext(owner));
  }
}

export interface Confirmed {
  readonly done: boolean;
  /** What the account had before. */
  readonly before: readonly Factor[];
}

function sealContext({ context, id }: AccountRef): string {
  return `portal_mfa_factors:${context}:${id}:secret`;
}
