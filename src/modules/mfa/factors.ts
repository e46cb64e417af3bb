import { defineRecord, fieldOf, fromRow, Op, times } from '../../database/index.js';
import {
  addSeconds,
  latestEnd,
  type AccountRef,
  type AuthContext,
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

const factorRecord = defineRecord({
  name: 'MfaFactor',
  table: 'portal_mfa_factors',
  alias: 'f',
  fields: {
    id: fieldOf.id(),
    context: fieldOf.text<AuthContext>(16),
    accountId: fieldOf.reference(),
    type: fieldOf.text<FactorType>(16),
    secret: fieldOf.longText().nullable().hidden(),
    lastStep: fieldOf.reference().nullable(),
    confirmedAt: fieldOf.time().nullable(),
    pendingSecret: fieldOf.longText().nullable().hidden(),
    pendingUntil: fieldOf.time().nullable(),
    ...times,
  },
});

const IS_CONFIRMED = { confirmedAt: { [Op.ne]: null } };
const isPendingAt = (now: Date) => ({ pendingUntil: { [Op.gt]: now, [Op.lte]: latestEnd(now, PENDING_LIFETIME) } });

/** The rows of `portal_mfa_factors`: one per account and kind. Secrets are encrypted, bound to their account (S71). */
export class Factors {
  constructor(private readonly parts: FactorParts) {}

  /** Confirmed factors, the strongest first. */
  async list({ context, id }: AccountRef, transaction?: Transaction): Promise<Factor[]> {
    const where = { context, accountId: id, ...IS_CONFIRMED };
    const options = { only: ['type', 'confirmedAt'], order: 'f.type DESC', transaction } as const;
    return (await factorRecord.findAll(this.parts.database, where, options)) as Factor[];
  }

  /** Stores the secret of an authenticator being set up; the present one stays valid until then (S78). */
  async keepPending(owner: AccountRef, secret: string): Promise<void> {
    const { database, clock } = this.parts;
    const now = clock.now();
    await database.transaction(async (transaction) => {
      await this.ensure(owner, 'totp', transaction);
      const pending = { pendingSecret: this.encrypt(owner, secret), pendingUntil: addSeconds(now, PENDING_LIFETIME) };
      await factorRecord.update(database, this.key(owner, 'totp'), { ...pending, updatedAt: now }, transaction);
    });
  }

  /** The time step of a code of the authenticator being set up; null if the code is wrong or there is none. */
  async findPendingStep(owner: AccountRef, code: string): Promise<number | null> {
    const now = this.parts.clock.now();
    const where = { ...this.key(owner, 'totp'), ...isPendingAt(now) };
    const row = await factorRecord.find(this.parts.database, where, { only: ['pendingSecret'] });
    return row?.pendingSecret == null ? null : totpStep(this.decrypt(owner, row.pendingSecret), code, now);
  }

  /**
   * Replaces the present authenticator by the pending one. The step of its first code counts as used (S74).
   * @returns whether this call did, and whether there was one before
   */
  async confirmTotp(owner: AccountRef, step: number, transaction: Transaction): Promise<Confirmed> {
    const now = this.parts.clock.now();
    const before = await this.list(owner, transaction);
    const pending = { ...this.key(owner, 'totp'), pendingSecret: { [Op.ne]: null }, ...isPendingAt(now) };
    const confirmed = { secret: fromRow('pendingSecret'), lastStep: step, confirmedAt: now, updatedAt: now };
    const emptied = { pendingSecret: null, pendingUntil: null };
    const matched = await factorRecord.update(this.parts.database, pending, { ...confirmed, ...emptied }, transaction);
    return { done: matched === 1, before };
  }

  /** The address of the account was proved; codes may go there from now on. */
  async confirmEmail(owner: AccountRef, transaction: Transaction): Promise<Confirmed> {
    const now = this.parts.clock.now();
    const before = await this.list(owner, transaction);
    await this.ensure(owner, 'email', transaction);
    const confirmed = { confirmedAt: now, updatedAt: now };
    await factorRecord.update(this.parts.database, this.key(owner, 'email'), confirmed, transaction);
    return { done: true, before };
  }

  /**
   * Redeems a code of the authenticator. One conditional UPDATE decides: each time step works once, and none before the
   * last one used (S74).
   */
  async redeemTotp(owner: AccountRef, code: string): Promise<boolean> {
    const { database, clock } = this.parts;
    const where = { ...this.key(owner, 'totp'), ...IS_CONFIRMED };
    const row = await factorRecord.find(database, where, { only: ['id', 'secret'] });
    const step = row?.secret == null ? null : totpStep(this.decrypt(owner, row.secret), code, clock.now());
    if (row === null || step === null) return false;
    const isUnused = { ...IS_CONFIRMED, lastStep: { [Op.or]: [null, { [Op.lt]: step }] } };
    return (await factorRecord.update(database, { id: row.id, ...isUnused }, { lastStep: step })) === 1;
  }

  /** @returns whether there was one */
  async remove(owner: AccountRef, type: FactorType, transaction: Transaction): Promise<boolean> {
    const where = { ...this.key(owner, type), ...IS_CONFIRMED };
    return (await factorRecord.remove(this.parts.database, where, transaction)) > 0;
  }

  /** Removes everything, including a pending authenticator. */
  async removeAll({ context, id }: AccountRef, transaction: Transaction): Promise<void> {
    await factorRecord.remove(this.parts.database, { context, accountId: id }, transaction);
  }

  // The row per kind is created once; a concurrent request finds it existing.
  private async ensure(owner: AccountRef, type: FactorType, transaction: Transaction): Promise<void> {
    const { database, clock } = this.parts;
    const now = clock.now();
    const key = this.key(owner, type);
    if (await factorRecord.has(database, key, transaction)) return;
    await factorRecord.insert(database, { ...key, createdAt: now, updatedAt: now }, transaction);
  }

  private key({ context, id }: AccountRef, type: FactorType) {
    return { context, accountId: id, type };
  }

  private encrypt(owner: AccountRef, secret: string): string {
    return this.parts.encrypter.encrypt(secret, contextOf(owner));
  }

  private decrypt(owner: AccountRef, encrypted: string): string {
    return this.parts.encrypter.decrypt(encrypted, contextOf(owner));
  }
}

export interface Confirmed {
  readonly done: boolean;
  /** What the account had before. */
  readonly before: readonly Factor[];
}

function contextOf({ context, id }: AccountRef): string {
  return `portal_mfa_factors:${context}:${id}:secret`;
}
