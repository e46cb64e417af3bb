import { GatewayNotFoundError } from '../../../gateway/index.js';
import { runAs } from '../../../core/index.js';
import type { AppParts, AppRecovery } from '../app-parts.js';
import { DeveloperReconciliation } from './developer-reconciliation.js';
import { readActingPerson, type LoggedOperation } from './operation.js';
import { Compensations } from './compensation.js';

/** Batch size; the next batch follows at once when there may be more. */
const BATCH = 100;
/** Batch size while a request waits. */
const AT_ONCE = 20;
/** Longer than the calls of one repair; other replicas skip it meanwhile. */
const CLAIM_S = 60;
/** After this many attempts an operator has to investigate. */
const ALARM_AFTER = 10;

/** Changes that can continue without an app's lease. */
export interface Continuation {
  /** Finishes adding products to an app's keys and removing the others. */
  products(entry: LoggedOperation): Promise<void>;
}

/**
 * Settles interrupted changes from the operation log: grants are rolled back, revocations are finished (R14, R16).
 * Idempotent, and safe on any number of replicas.
 */
export class Recovery implements AppRecovery {
  private readonly compensations: Compensations;
  private readonly reconciliation: DeveloperReconciliation;

  constructor(
    private readonly parts: AppParts,
    private readonly continuation: Continuation,
  ) {
    this.compensations = new Compensations(parts);
    this.reconciliation = new DeveloperReconciliation(parts);
  }

  async run(): Promise<{ settled: number; failed: number }> {
    const { operationLog } = this.parts;
    const total = { settled: 0, failed: 0 };
    for (;;) {
      const due = await operationLog.findDue(BATCH);
      for (const entry of due) {
        const outcome = await this.attempt(entry);
        if (outcome !== 'busy') total[outcome] += 1;
      }
      if (due.length < BATCH) return total;
    }
  }

  async settleDeveloper(userId: number): Promise<void> {
    for (const entry of await this.parts.operationLog.findDueOf(userId, AT_ONCE)) {
      if ((await this.attempt(entry)) === 'failed') return;
    }
  }

  async settleApp(appId: number, isRelevant: (entry: LoggedOperation) => boolean = () => true): Promise<void> {
    const waiting = await this.parts.operationLog.findByApp(appId);
    for (const entry of waiting.filter(isRelevant)) await this.settle(entry);
  }

  private async attempt(entry: LoggedOperation): Promise<'settled' | 'failed' | 'busy'> {
    const { operationLog, logger } = this.parts;
    if (!(await operationLog.claim(entry, CLAIM_S))) return 'busy';
    try {
      const isDone = await this.settleExclusively(entry);
      if (!isDone) await operationLog.release(entry.id);
      if (isDone) logger.info({ kind: entry.kind, app: entry.appId }, 'a change that broke off was brought to an end');
      return isDone ? 'settled' : 'busy';
    } catch (error) {
      const level = entry.attempts + 1 >= ALARM_AFTER ? 'error' : 'warn';
      const facts = { err: error, kind: entry.kind, app: entry.appId, attempts: entry.attempts + 1 };
      logger[level](facts, 'gateway and portal still differ after a change that broke off');
      await operationLog.postpone(entry, error instanceof Error ? error.message : String(error));
      return 'failed';
    }
  }

  private async settleExclusively(entry: LoggedOperation): Promise<boolean> {
    const { leases, reader } = this.parts;
    const settle = () => this.settle(entry);
    if (entry.appId === null || entry.kind === 'app.products' || !(await reader.hasApp(entry.appId))) {
      await settle();
      return true;
    }
    return leases.holdNow(entry.appId, settle);
  }

  /** Runs on behalf of the person who requested the change. */
  private async settle(entry: LoggedOperation): Promise<void> {
    const person = readActingPerson(entry);
    const work = () => this.complete(entry);
    await (person ? runAs({ person, request: null }, work) : work());
  }

  private async complete(entry: LoggedOperation): Promise<void> {
    const { operationLog, database } = this.parts;
    if (entry.kind === 'developer') return this.reconciliation.run(entry.userId, String(entry.payload.email));
    if (entry.kind === 'app.products') {
      await this.continuation.products(entry);
      await operationLog.drop(entry.id);
      return;
    }
    const compensation = await this.compensations.plan(entry);
    if (!compensation) return void (await operationLog.drop(entry.id));
    if ('finish' in compensation) {
      await ignoreGone(() => compensation.finish.applyRemote(entry.id));
      await database.transaction(async (transaction) => {
        await operationLog.settle(entry.id, transaction);
        await compensation.finish.commit(transaction);
      });
      return;
    }
    await ignoreGone(() => compensation.compensate(entry.id));
    await database.transaction(async (transaction) => {
      await operationLog.drop(entry.id, transaction);
      await compensation.release?.(transaction);
    });
  }
}

// Something that is gone grants no access.
async function ignoreGone(call: () => Promise<void>): Promise<void> {
  try {
    await call();
  } catch (error) {
    if (!(error instanceof GatewayNotFoundError)) throw error;
  }
}
