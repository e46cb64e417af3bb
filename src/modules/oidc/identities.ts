import { createHash } from 'node:crypto';
import { defineRecord, fieldOf } from '../../database/index.js';
import type { AccountRef, AuthContext, Clock, Database, Transaction } from '../../index.js';
import type { Claims } from './identity-provider.js';

const identityRecord = defineRecord({
  name: 'OidcIdentity',
  table: 'portal_oidc_identities',
  alias: 'i',
  fields: {
    id: fieldOf.id(),
    context: fieldOf.text<AuthContext>(16),
    accountId: fieldOf.reference(),
    identityHash: fieldOf.text(64),
    provider: fieldOf.text(32),
    issuer: fieldOf.longText(),
    subject: fieldOf.longText(),
    email: fieldOf.text(254).nullable(),
    createdAt: fieldOf.time(),
  },
});

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
    const where = { context, identityHash: hashOf(claims) };
    const row = await identityRecord.find(this.parts.database, where, { only: ['accountId'] });
    return row && { context, id: row.accountId };
  }

  async list({ context, id }: AccountRef, transaction?: Transaction): Promise<Identity[]> {
    const only = ['provider', 'email', 'createdAt'] as const;
    const where = { context, accountId: id };
    return identityRecord.findAll(this.parts.database, where, { only, order: 'i.provider', transaction });
  }

  /** @throws UniqueViolationError if the identity has an owner, or the account has an identity of this provider */
  async add({ context, id }: AccountRef, provider: string, claims: Claims, transaction: Transaction): Promise<void> {
    const { issuer, subject } = claims;
    const email = claims.email?.slice(0, 254) ?? null;
    const owner = { context, accountId: id };
    const row = { ...owner, identityHash: hashOf(claims), provider, issuer, subject, email };
    await identityRecord.insert(this.parts.database, { ...row, createdAt: this.parts.clock.now() }, transaction);
  }

  /** @returns whether there was one */
  async remove({ context, id }: AccountRef, provider: string, transaction: Transaction): Promise<boolean> {
    return (await identityRecord.remove(this.parts.database, { context, accountId: id, provider }, transaction)) > 0;
  }

  /** Removes the identities of an account that is being deleted. */
  async forget({ context, id }: AccountRef, transaction: Transaction): Promise<void> {
    await identityRecord.remove(this.parts.database, { context, accountId: id }, transaction);
  }
}

// As JSON, so that issuer and subject cannot run into each other.
function hashOf({ issuer, subject }: Claims): string {
  return createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest('hex');
}
