import { defineRecord, fieldOf, type Database } from '../../database/index.js';
import type { Clock, Logger } from '../../core/index.js';
import { activityRecord } from './activity.js';
import type { ChainKeys } from './chain-hash.js';
import type { ChainFault, ChainPart, ChainPosition, ChainReport, ChainVerifier } from './chain-verifier.js';

/** Batches of a thousand activities for each run. */
const BATCHES = 50;
const START: ChainPosition = { id: 0, hash: '' };

const checkRecord = defineRecord({
  name: 'ActivityCheck',
  table: 'portal_activity_checks',
  alias: 'k',
  fields: {
    id: fieldOf.reference().key(),
    positionId: fieldOf.reference(),
    positionHash: fieldOf.text(64),
    verifiedId: fieldOf.reference().nullable(),
    verifiedAt: fieldOf.time().nullable(),
    faultId: fieldOf.reference().nullable(),
    faultReason: fieldOf.text(255).nullable(),
    faultAt: fieldOf.time().nullable(),
    seal: fieldOf.text(64).hidden(),
  },
});

interface Check {
  /** Where the present pass goes on. */
  readonly position: ChainPosition;
  /** The last pass that found nothing. */
  readonly verified: { readonly id: number; readonly at: Date } | null;
  /** What the last pass found. */
  readonly fault: (ChainFault & { readonly at: Date }) | null;
}

const NOTHING_YET: Check = { position: START, verified: null, fault: null };

/** What is known of the log's integrity without reading it. */
export interface ChainCheckReport extends Check {
  /** When the last verified activity happened; null once it was pruned. */
  readonly verifiedUntil: Date | null;
  /** The last activity now. */
  readonly lastId: number;
}

interface ChainCheckParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly keys: ChainKeys;
  readonly verifier: ChainVerifier;
}

/**
 * Verifies the chain from its beginning to its end again and again, a part at a time, and keeps what came out, signed:
 * who can write to the database cannot write that all is well.
 */
export class ChainCheck {
  constructor(private readonly parts: ChainCheckParts) {}

  /** Goes on where the last run stopped. Runs on one replica at a time. */
  async run(stopping?: AbortSignal): Promise<void> {
    const { verifier, clock, logger } = this.parts;
    const before = await this.load();
    const part = await verifier.verifyPart(before.position, { batches: BATCHES, stopping });
    await this.save(advance(before, part, clock.now()));
    if (part.fault && part.fault.id !== before.fault?.id)
      logger.error({ activity: part.fault.id, reason: part.fault.reason }, 'the activity log is not as it was written');
  }

  /** Keeps the result of a whole verification. */
  async note({ fault, lastId }: ChainReport): Promise<void> {
    const now = this.parts.clock.now();
    const { position, verified } = await this.load();
    await this.save(
      fault
        ? { position: START, verified, fault: { ...fault, at: now } }
        : { position, verified: { id: lastId, at: now }, fault: null },
    );
  }

  async read(): Promise<ChainCheckReport> {
    const { database, verifier } = this.parts;
    const check = await this.load();
    const { lastId } = await verifier.end();
    const { id = 0 } = check.verified ?? {};
    const row = await activityRecord.find(database, { id }, { only: ['createdAt'] });
    return { ...check, verifiedUntil: row?.createdAt ?? null, lastId };
  }

  private async load(): Promise<Check> {
    const { database, keys } = this.parts;
    const row = await checkRecord.find(database, { id: 1 }, { with: ['seal'] });
    if (!row) return NOTHING_YET;
    const { positionId, positionHash, verifiedId, verifiedAt, faultId, faultReason, faultAt } = row;
    const check: Check = {
      position: { id: positionId, hash: positionHash },
      verified: verifiedId === null || verifiedAt === null ? null : { id: verifiedId, at: verifiedAt },
      fault: faultReason === null || faultAt === null ? null : { id: faultId, reason: faultReason, at: faultAt },
    };
    return keys.isCheckSeal(row.seal, check) ? check : NOTHING_YET;
  }

  private async save(check: Check): Promise<void> {
    const { position, verified, fault } = check;
    const values = {
      ...{ positionId: position.id, positionHash: position.hash },
      ...{ verifiedId: verified?.id ?? null, verifiedAt: verified?.at ?? null },
      ...{ faultId: fault?.id ?? null, faultReason: fault?.reason ?? null, faultAt: fault?.at ?? null },
      seal: this.parts.keys.sealCheck(check),
    };
    await checkRecord.update(this.parts.database, { id: 1 }, values);
  }
}

// After a fault, and at the end, the next pass begins: an earlier activity may be changed at any time.
function advance({ verified, fault }: Check, part: ChainPart, now: Date): Check {
  if (part.fault)
    return { position: START, verified, fault: { ...part.fault, at: knownSince(part.fault, fault) ?? now } };
  if (part.isAtEnd) return { position: START, verified: { id: part.position.id, at: now }, fault: null };
  return { position: part.position, verified, fault };
}

function knownSince(found: ChainFault, known: Check['fault']): Date | undefined {
  return known?.id === found.id && known.reason === found.reason ? known.at : undefined;
}
