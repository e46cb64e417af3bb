import type { Clock, Logger, ProcessMetrics } from '../../../core/index.js';
import type { Database } from '../../../database/index.js';
import type { RedisConnection } from '../../../cache/index.js';
import type { KeyDecision } from '../../../gateway/index.js';
import { CallLimitsReader, type PlanAllowance } from './call-limits.js';
import type { CallsByDay } from '../../catalog/index.js';
import { OwnCounts, type FlushProgress } from './own-counts.js';
import { SharedCounts } from './shared-counts.js';
import { ownerKey, StoredCalls, type CallOwner } from './stored-calls.js';
import type { LimitDecision } from './limit-decision.js';

export interface CallLimiterParts {
  readonly database: Database;
  /** null: each process counts for itself. */
  readonly redis: RedisConnection | null;
  readonly clock: Clock;
  /** Whether `clock` is the machine's. */
  readonly isMachineClock: boolean;
  /** null: calls are not written to the database. */
  readonly progress: FlushProgress | null;
  /** Seconds. */
  readonly flush: number;
  readonly logger: Logger;
  readonly processMetrics: Pick<ProcessMetrics, 'count'>;
}

const LOG_EVERY_MS = 10_000;
const NEVER_FLUSHED: FlushProgress = { begun: 0, isFlushing: false };

/** Holds calls against what their plan allows. In doubt a call passes: limits fail open, keys never. */
export class CallLimiter {
  private readonly reader: CallLimitsReader;
  private readonly own: OwnCounts;
  private readonly shared: SharedCounts | null;
  /** By the process's clock, for the log. */
  private loggedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly parts: CallLimiterParts) {
    const { redis, progress } = parts;
    const stored = progress ? new StoredCalls(parts) : null;
    const counts = { ...parts, stored, onUnread: (error: unknown) => this.tellUnread(error) };
    this.reader = new CallLimitsReader(parts);
    this.own = new OwnCounts({ ...counts, progress: progress ?? NEVER_FLUSHED }, ownerKey);
    this.shared = redis ? new SharedCounts({ ...counts, connection: redis }) : null;
  }

  /**
   * Decides about a call whose key opens, and counts it if it passes. Never throws.
   * @returns null for one without limits
   */
  async decide(decision: KeyDecision): Promise<LimitDecision | null> {
    if (!decision.allowed || decision.plan === undefined) return null;
    const [appId, userId, productId] = [decision.appId, decision.developer, decision.productId].map(Number);
    if (!isId(appId) || !isId(productId)) return null;
    try {
      const limits = await this.reader.limitsOf(decision.plan);
      if (!limits) return null;
      return await this.hold(limits.isShared && isId(userId) ? { userId, productId } : { appId, productId }, limits);
    } catch (error) {
      this.tellUnread(error);
      return null;
    }
  }

  /**
   * What was counted of an app and a product up to now by all that is known: in Redis, or what processes have written.
   * @throws DatabaseUnavailableError
   */
  async readCounted(owner: CallOwner): Promise<CallsByDay> {
    const stored = await new StoredCalls(this.parts).read(owner, 'period');
    try {
      return this.shared ? await this.shared.readCounted(owner, stored) : stored;
    } catch (error) {
      this.tell(error, 'quotas start anew from the calls that the database has');
      return stored;
    }
  }

  private hold(owner: CallOwner, limits: PlanAllowance): Promise<LimitDecision> {
    return this.shared ? this.holdByAll(this.shared, owner, limits) : this.own.decide(owner, limits);
  }

  private async holdByAll(shared: SharedCounts, owner: CallOwner, limits: PlanAllowance): Promise<LimitDecision> {
    try {
      return await shared.decide(owner, limits);
    } catch (error) {
      this.tellAlone(error);
      return this.own.decide(owner, limits);
    }
  }

  /** Says that this process counts for itself. */
  tellAlone(error: unknown): void {
    this.parts.processMetrics.count('call_limit_fallbacks_total');
    this.tell(error, 'calls are held against the limits of their plans by this process alone');
  }

  private tellUnread(error: unknown): void {
    this.parts.processMetrics.count('call_limit_unread_total');
    this.tell(error, 'what plans allow, or what was called so far, could not be read in time; calls pass meanwhile');
  }

  private tell(error: unknown, what: string): void {
    const now = performance.now();
    if (now - this.loggedAt < LOG_EVERY_MS) return;
    this.loggedAt = now;
    this.parts.logger.warn({ err: error }, what);
  }
}

function isId(id: number | undefined): id is number {
  return Number.isSafeInteger(id);
}
