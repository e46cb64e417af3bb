import { Op, type Database } from '../../database/index.js';
import { findLinks, type StoredRow } from './activity-queries.js';
import { activityRecord } from './activity.js';
import type { ChainState } from './chain-state.js';
import { personalSeal, type ChainEnds, type ChainKeys } from './chain-hash.js';

export interface ChainFault {
  /** Id of the first altered activity; null when the ends of the chain are at fault. */
  readonly id: number | null;
  readonly reason: string;
}

export interface ChainReport {
  /** Number of activities checked. */
  readonly rows: number;
  readonly firstId: number | null;
  readonly lastId: number;
  /** Noted elsewhere, it later proves that nothing up to here was cut off: `--anchor`. */
  readonly lastHash: string;
  /** Activities up to here were pruned; 0 for none. */
  readonly prunedId: number;
  /** Activities whose personal part was erased with its developer. */
  readonly erased: number;
  readonly fault: ChainFault | null;
}

/** Where a pass over the chain stands: the last activity that followed the one before it. */
export interface ChainPosition {
  readonly id: number;
  readonly hash: string;
}

/** A part of a pass over the chain. */
export interface ChainPart {
  readonly position: ChainPosition;
  readonly isAtEnd: boolean;
  readonly fault: ChainFault | null;
}

interface PartLimits {
  readonly batches: number;
  readonly stopping?: AbortSignal | undefined;
}

/** State of one pass over the chain. */
class Walk {
  rows = 0;
  erased = 0;
  firstId: number | null = null;
  metAnchor = false;
  /** Developer → the first activity erased for them; each must be followed by their deletion. */
  private readonly erasedFor = new Map<number, number>();
  private readonly deleted = new Map<number, number>();

  constructor(public position: ChainPosition) {}

  erase(userId: number, activityId: number): void {
    if (!this.erasedFor.has(userId)) this.erasedFor.set(userId, activityId);
  }

  note({ id, action, subjectId }: StoredRow): void {
    this.rows += 1;
    this.firstId ??= id;
    if (action === 'user.deleted') this.deleted.set(Number(subjectId), id);
  }

  /** Developers whose deletion did not follow, with the first activity erased for them. */
  findUnexplained(): [user: number, id: number][] {
    return [...this.erasedFor].filter(([user, id]) => !((this.deleted.get(user) ?? 0) >= id));
  }
}

/** Verifies that the log is intact: no row changed, added, moved or removed, in the middle or at the end. */
export class ChainVerifier {
  constructor(
    private readonly database: Database,
    private readonly head: ChainState,
    private readonly keys: ChainKeys,
  ) {}

  /** The current end of the log, and whether one of the keys signed it. */
  end(): Promise<ChainEnds & { readonly isSealed: boolean }> {
    return this.head.read();
  }

  /**
   * Reads every row; others may write meanwhile.
   * @param anchor the hash of an activity, noted earlier, that must still exist
   */
  async verify({ anchor }: { readonly anchor?: string | undefined } = {}): Promise<ChainReport> {
    const report = await this.attempt(anchor);
    // Rows that were pruned during the pass are legitimately missing.
    const { prunedId } = await this.head.read();
    return report.fault !== null && prunedId > report.prunedId ? this.attempt(anchor) : report;
  }

  /**
   * Reads as many batches as the limits allow; others may write meanwhile.
   * @param from where the part before ended; the beginning of the chain when it was pruned up to there
   */
  async verifyPart(from: ChainPosition, limits: PartLimits): Promise<ChainPart> {
    const before = await this.head.read();
    const part = await this.attemptPart(from, limits);
    const { prunedId } = await this.head.read();
    return part.fault !== null && prunedId > before.prunedId ? this.attemptPart(from, limits) : part;
  }

  private async attemptPart(from: ChainPosition, limits: PartLimits): Promise<ChainPart> {
    const { isSealed, ...ends } = await this.head.read();
    const walk = new Walk(from.id > ends.prunedId ? from : startOf(ends));
    const found = (await this.walk(walk, ends, limits)) ?? (isSealed ? null : reportUnsealed(ends));
    const isAtEnd = walk.position.id === ends.lastId;
    const fault = found ?? (isAtEnd ? await this.findBeyondEnds(ends) : null) ?? (await this.findUnexplained(walk));
    return { position: walk.position, isAtEnd, fault };
  }

  // The deletion may be in a later part.
  private async findUnexplained(walk: Walk): Promise<ChainFault | null> {
    const missing: [number, number][] = [];
    for (const [user, id] of walk.findUnexplained()) {
      const deletion = { action: 'user.deleted', subjectType: 'user', subjectId: String(user), id: { [Op.gte]: id } };
      if (!(await activityRecord.has(this.database, deletion))) missing.push([user, id]);
    }
    return reportUnexplained(missing);
  }

  private async attempt(anchor: string | undefined): Promise<ChainReport> {
    const { isSealed, ...ends } = await this.head.read();
    const walk = new Walk(startOf(ends));
    const fault =
      (await this.walk(walk, ends, { batches: Infinity, anchor })) ??
      (isSealed ? null : reportUnsealed(ends)) ??
      (await this.findBeyondEnds(ends)) ??
      reportUnexplained(walk.findUnexplained()) ??
      (anchor === undefined || walk.metAnchor || anchor === ends.prunedHash
        ? null
        : {
            id: null,
            reason: 'no activity has the hash of the anchor: the end of the log was cut off and written anew',
          });
    const { rows, erased, firstId } = walk;
    return { rows, erased, firstId, lastId: ends.lastId, lastHash: ends.lastHash, prunedId: ends.prunedId, fault };
  }

  private async walk(
    walk: Walk,
    ends: ChainEnds,
    { batches, stopping, anchor }: PartLimits & { readonly anchor?: string | undefined },
  ): Promise<ChainFault | null> {
    for (let batch = 0; walk.position.id < ends.lastId; batch += 1) {
      if (batch === batches || stopping?.aborted) return null;
      const { id } = walk.position;
      const rows = await findLinks(this.database, id, ends.lastId);
      if (rows.length === 0) return { id: id + 1, reason: 'it is missing, as is all that followed' };
      for (const row of rows) {
        const fault = this.check(row, walk.position) ?? checkPersonal(row, walk);
        if (fault) return fault;
        walk.note(row);
        walk.metAnchor ||= row.hash === anchor;
        walk.position = { id: row.id, hash: row.hash };
      }
    }
    if (walk.position.hash === ends.lastHash) return null;
    return { id: ends.lastId, reason: 'it is not the activity that the chain ended with' };
  }

  private check(row: StoredRow, previous: ChainPosition): ChainFault | null {
    if (row.id !== previous.id + 1) return { id: previous.id + 1, reason: 'it is missing' };
    const { hash: previousHash } = previous;
    if (this.keys.isHash(row.hash, previousHash, row)) {
      return row.previousHash === previousHash ? null : { id: row.id, reason: 'its previous_hash was changed' };
    }
    const moved = row.previousHash !== previousHash;
    return {
      id: row.id,
      reason: moved ? 'it does not follow the activity before it' : 'it was changed, or not written by the portal',
    };
  }

  // Rows first, then the end: rows that the portal writes meanwhile are never past the end read afterwards.
  private async findBeyondEnds({ lastId, prunedId }: ChainEnds): Promise<ChainFault | null> {
    const lowest = { only: ['id'], order: 'a.id', limit: 1 } as const;
    const early = await activityRecord.find(this.database, { id: { [Op.lte]: prunedId } }, lowest);
    if (early) return { id: early.id, reason: 'it was added among activities that had been pruned' };
    const highest = { only: ['id'], order: 'a.id DESC', limit: 1 } as const;
    const late = await activityRecord.find(this.database, { id: { [Op.gt]: lastId } }, highest);
    const end = await this.head.read();
    if (!late || late.id <= end.lastId) return null;
    return { id: end.lastId + 1, reason: 'it was added past the end of the chain' };
  }
}

function startOf({ prunedId, prunedHash }: ChainEnds): ChainPosition {
  return { id: prunedId, hash: prunedHash };
}

function reportUnexplained(erased: readonly [user: number, id: number][]): ChainFault | null {
  if (erased.length === 0) return null;
  const id = Math.min(...erased.map(([, first]) => first));
  return { id, reason: 'its personal part was removed, but nobody was deleted' };
}

// The first migration seals even an empty log.
function reportUnsealed({ lastId, prunedId }: ChainEnds): ChainFault {
  const isEmpty = lastId === 0 && prunedId === 0;
  const wiped = 'it is empty and its end is not sealed: it was wiped, or never belonged to this APP_KEY';
  return {
    id: null,
    reason: isEmpty ? wiped : 'the end of the chain was moved by somebody else: rows at the end may be gone',
  };
}

function checkPersonal(row: StoredRow, walk: Walk): ChainFault | null {
  const { id, actorType, actorId, ownerId, subjectType, subjectId } = row;
  const actor = [row.actorName, row.actorEmail, row.ip, row.userAgent];
  const subject = [row.personalLabel, row.personalChanges];
  const actorOwner = actorType === 'developer' ? actorId : actorType === 'visitor' ? ownerId : null;
  const subjectOwner = subjectType === 'user' && subjectId !== null ? Number(subjectId) : null;
  const states = [
    personalState(row.actorSeal, row.actorSalt, actor, actorOwner),
    personalState(row.subjectSeal, row.subjectSalt, subject, subjectOwner),
  ];
  if (states.includes('wrong')) return { id, reason: 'its personal part (who, from where, about whom) was changed' };
  if (!states.includes('erased')) return null;
  walk.erased += 1;
  if (states[0] === 'erased') walk.erase(actorOwner as number, id);
  if (states[1] === 'erased') walk.erase(subjectOwner as number, id);
  return null;
}

function personalState(
  seal: string | null,
  salt: string | null,
  values: readonly unknown[],
  owner: number | null,
): 'right' | 'wrong' | 'erased' {
  const isBlank = values.every((value) => value === null);
  if (seal === null) return isBlank ? 'right' : 'wrong';
  if (salt === null) return isBlank && owner !== null ? 'erased' : 'wrong';
  return personalSeal(salt, values) === seal ? 'right' : 'wrong';
}
