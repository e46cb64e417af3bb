import { createHash } from 'node:crypto';
import type { AccountRef, AuthContext, Clock, Database, Transaction } from '../../index.js';
import type { Claims } from './identity-provider.js';

/** A linked identity, as its owner sees it. */
export interface Identity {
  readonly provider: string;
  readonly email: string | null;
  readonly createdAt: Date;
}

/** An identity is issuer plus subject; an e-mail address is not one (S85). */
export class Identities {
  constructor(private readonly parts: { readonly database: Database; readonly clock: Clock }) {}

  /** The account that an identity belongs to. */
  async owner(context: AuthContext, claims: Claims): Promise<AccountRef | null> {
    const [row] = await this.parts.database.select<{ id: number }>(
      'SELECT account_id AS id FROM portal_oidc_identities WHERE context = ? AND identity_hash = ?',
      [context, hashOf(claims)],
    );
    return row ? { context, id: row.id } : null;
  }

  async list({ context, id }: AccountRef, transaction?: Transaction): Promise<Identity[]> {
    return this.parts.database.select<Identity>(
      'SELECT provider, email, created_at AS createdAt FROM portal_oidc_identities ' +
        'WHERE context = ? AND account_id = ? ORDER BY provider',
      [context, id],
      { decode: { createdAt: 'date' }, transaction },
    );
  }

  /** @throws UniqueViolationError if the identity has an owner, or the account has an identity of this provider */
  async add({ context, id }: AccountRef, provider: string, claims: Claims, transaction: Transaction): Promise<void> {
    await this.parts.database.execute(
      'INSERT INTO portal_oidc_identities (context, account_id, identity_hash, provider, issuer, subject, email, created_at) ' +
        'VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
      [
        ...[context, id, hashOf(claims), provider, claims.issuer, claims.subject],
        ...[claims.email?.slice(0, 254) ?? null, this.parts.clock.now()],
      ],
      { transaction },
    );
  }

  /** @returns whether there was one */
  async remove({ context, id }: AccountRef, provider: string, transaction: Transaction): Promise<boolean> {
    const sql = 'DELETE FROM portal_oidc_identities WHERE context = ? AND account_id = ? AND provider = ?';
    const { affectedRows } = await this.parts.database.execute(sql, [context, id, provider], { transaction });
    return affectedRows > 0;
  }

  /** Removes the identities of an account that is being deleted. */
  async forget({ context, id }: AccountRef, transaction: Transaction): Promise<void> {
    const sql = 'DELETE FROM portal_oidc_identities WHERE context = ? AND account_id = ?';
    await this.parts.database.execute(sql, [context, id], { transaction });
  }
}

// As JSON, so that issuer and subject cannot run into each other.
function hashOf({ issuer, subject }: Claims): string {
  return createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest('hex');
}
