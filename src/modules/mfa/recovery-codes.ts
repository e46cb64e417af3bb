import { randomInt } from 'node:crypto';
import { defineRecord, fieldOf } from '../../database/index.js';
import type {
  AccountRef,
  AttemptLimits,
  AuthContext,
  Clock,
  Database,
  PasswordHasher,
  Transaction,
} from '../../index.js';
import { accountKey } from './factor.js';

const COUNT = 10;
/** Crockford's Base32, without characters that are easily confused. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** Characters that identify the code, so that one hash is checked instead of ten; not secret. */
const SELECTOR = 2;
/** Characters of 5 bits each, 50 bits in all (S77). */
const SECRET = 10;
/** Limited because generating costs ten password hashes. */
const DRAWS = { max: 5, window: 3_600 };
const FORM = new RegExp(`^[${ALPHABET}]{${SELECTOR + SECRET}}$`);

interface RecoveryParts {
  readonly database: Database;
  readonly hasher: PasswordHasher;
  readonly clock: Clock;
  readonly attempts: AttemptLimits;
}

const codeRecord = defineRecord({
  name: 'RecoveryCode',
  table: 'portal_mfa_recovery_codes',
  alias: 'c',
  fields: {
    id: fieldOf.id(),
    context: fieldOf.text<AuthContext>(16),
    accountId: fieldOf.reference(),
    selector: fieldOf.text(4),
    codeHash: fieldOf.text(255),
    usedAt: fieldOf.time().nullable(),
    createdAt: fieldOf.time(),
  },
});

/** Recovery codes for a lost factor: stored as password hashes, single use, shown once (S77). */
export class RecoveryCodes {
  constructor(private readonly parts: RecoveryParts) {}

  /**
   * Generates ten codes with hashes, for `store` to {@link replace} the present ones with. Hashing is slow: it happens before
   * the transaction, and one hash at a time, so that logins can run in between.
   * @throws TooManyAttemptsError while codes are being generated for the account, and after five times an hour
   */
  drawFor(owner: AccountRef, store: (drawn: readonly DrawnCode[]) => Promise<void>): Promise<readonly DrawnCode[]> {
    return this.parts.attempts.runCostly(`recovery-codes:${accountKey(owner)}`, DRAWS, async () => {
      const drawn = await this.draw();
      await store(drawn);
      return drawn;
    });
  }

  /** Replaces the account's codes by new ones. */
  async replace(owner: AccountRef, drawn: readonly DrawnCode[], transaction: Transaction): Promise<void> {
    await this.forget(owner, transaction);
    const common = { context: owner.context, accountId: owner.id, createdAt: this.parts.clock.now() };
    const rows = drawn.map(({ selector, hash }) => ({ ...common, selector, codeHash: hash }));
    await codeRecord.insertAll(this.parts.database, rows, transaction);
  }

  async forget({ context, id }: AccountRef, transaction: Transaction): Promise<void> {
    await codeRecord.remove(this.parts.database, { context, accountId: id }, transaction);
  }

  /** Redeems a code. @returns whether this call did: of concurrent calls with one code exactly one */
  async redeem(owner: AccountRef, typed: string): Promise<boolean> {
    const { database, hasher, clock } = this.parts;
    const code = normalise(typed);
    const stored = FORM.test(code) ? await this.find(owner, code.slice(0, SELECTOR)) : null;
    if (!stored) {
      await hasher.verifyNothing(code.slice(0, 64));
      return false;
    }
    const { matches } = await hasher.verify(code.slice(SELECTOR), stored.codeHash);
    if (!matches) return false;
    return (await codeRecord.update(database, { id: stored.id, usedAt: null }, { usedAt: clock.now() })) === 1;
  }

  countLeft({ context, id }: AccountRef): Promise<number> {
    return codeRecord.count(this.parts.database, { context, accountId: id, usedAt: null });
  }

  private async draw(): Promise<readonly DrawnCode[]> {
    const selectors = new Set<string>();
    while (selectors.size < COUNT) selectors.add(randomText(SELECTOR));
    const drawn: DrawnCode[] = [];
    for (const selector of selectors) {
      const secret = randomText(SECRET);
      drawn.push({ selector, code: groupCode(selector + secret), hash: await this.parts.hasher.hash(secret) });
    }
    return drawn;
  }

  private find({ context, id }: AccountRef, selector: string) {
    return codeRecord.find(this.parts.database, { context, accountId: id, selector, usedAt: null });
  }
}

export interface DrawnCode {
  readonly selector: string;
  /** As shown: `7K2M-Q9TX-4HWD`. */
  readonly code: string;
  readonly hash: string;
}

function randomText(length: number): string {
  return Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

function groupCode(code: string): string {
  return code.replace(/(.{4})(?=.)/g, '$1-');
}

/** Ignores case, spaces, dashes and confusable characters. */
function normalise(typed: string): string {
  return typed.toUpperCase().replace(/[\s-]/g, '').replace(/O/g, '0').replace(/[IL]/g, '1');
}
