import { createHmac, randomBytes, type KeyObject } from 'node:crypto';
import { deriveKey } from '../../core/index.js';
import type { ActivityChanges } from '../../core/index.js';

/** A row of `portal_activities` as the chain covers it. */
export interface ChainedRow {
  readonly id: number;
  readonly action: string;
  readonly actorType: string;
  readonly actorId: number | null;
  readonly subjectType: string | null;
  readonly subjectId: string | null;
  readonly subjectLabel: string | null;
  readonly ownerId: number | null;
  readonly changes: ActivityChanges | null;
  readonly requestId: string | null;
  readonly createdAt: Date;
  readonly actorSeal: string | null;
  readonly subjectSeal: string | null;
}

/** Where the chain ends, and where it starts since the last pruning. */
export interface ChainEnds {
  readonly lastId: number;
  readonly lastHash: string;
  readonly prunedId: number;
  readonly prunedHash: string;
}

/** Signs with the newest `app.key`, verifies with earlier ones too. */
export class ChainKeys {
  private readonly keys: readonly [KeyObject, ...KeyObject[]];

  /** @param masters newest first */
  constructor([newest, ...earlier]: readonly [Buffer, ...Buffer[]]) {
    const derive = (master: Buffer) => deriveKey(master, 'activity-chain');
    this.keys = [derive(newest), ...earlier.map(derive)];
  }

  hash(previous: string, row: ChainedRow): string {
    return sign(this.keys[0], `${previous}\n${writeRow(row)}`);
  }

  isHash(hash: string, previous: string, row: ChainedRow): boolean {
    const text = `${previous}\n${writeRow(row)}`;
    return this.keys.some((key) => sign(key, text) === hash);
  }

  seal(ends: ChainEnds): string {
    return sign(this.keys[0], writeEnds(ends));
  }

  isSeal(seal: string, ends: ChainEnds): boolean {
    return this.keys.some((key) => sign(key, writeEnds(ends)) === seal);
  }

  /** Signs what a verification found, so that nobody else writes that all is well. */
  sealCheck(check: object): string {
    return sign(this.keys[0], writeCanonically(['check', 1, check]));
  }

  isCheckSeal(seal: string, check: object): boolean {
    return this.keys.some((key) => sign(key, writeCanonically(['check', 1, check])) === seal);
  }
}

/**
 * Binds personal values to a row without revealing them: once the values and the salt are erased, they cannot be
 * recovered, not even by trying every possible address.
 */
export function sealPersonal(values: readonly unknown[]): { readonly salt: string; readonly seal: string } | null {
  if (values.every((value) => value === null)) return null;
  const salt = randomBytes(16).toString('hex');
  return { salt, seal: personalSeal(salt, values) };
}

export function personalSeal(salt: string, values: readonly unknown[]): string {
  return sign(Buffer.from(salt, 'hex'), writeCanonically(values));
}

function sign(key: KeyObject | Buffer, text: string): string {
  return createHmac('sha256', key).update(text).digest('hex');
}

function writeRow(row: ChainedRow): string {
  const { id, action, actorType, actorId, subjectType, subjectId, subjectLabel, ownerId, changes } = row;
  const { requestId, createdAt, actorSeal, subjectSeal } = row;
  return writeCanonically([
    ...['activity', 1, id, action, actorType, actorId, subjectType, subjectId, subjectLabel, ownerId, changes],
    ...[requestId, createdAt.toISOString(), actorSeal, subjectSeal],
  ]);
}

function writeEnds({ lastId, lastHash, prunedId, prunedHash }: ChainEnds): string {
  return writeCanonically(['ends', 1, lastId, lastHash, prunedId, prunedHash]);
}

// MySQL returns JSON with its keys in another order.
function writeCanonically(value: unknown): string {
  return JSON.stringify(value, (_name, item: unknown) =>
    item !== null && typeof item === 'object' && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
}
