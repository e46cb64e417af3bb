import { GatewayNotFoundError } from '../../../gateway/index.js';
import { runAs } from '../../../core/index.js';
import type { AppParts, AppRecovery } from '../app-parts.js';
import { DeveloperReconciliation } from '../provisioning/developer-reconciliation.js';
import { readActingPerson, type LoggedOperation } from './operation.js';
import { Compensations } from './compensation.js';

/** Batch size; the next batch follows at once when there may be more. */
const BATCH = 100;
/** Batch size while a request waits. */
const AT_ONCE = 20;
/** Longer than the calls of one repair; other replicas skip it meanwhile. */
const CLAIM_S = 60;
/** After this many tries an operator has to look. */
const ALARM_AFTER = 10;

/** Changes that can continue without an app's lease. */
export interface Continuation {
  /** Finishes adding products to an app's keys and removing the others. */
  products(intent: LoggedOperation): Promise<void>;
}

/**
 * Settles changes that broke off between gateway and portal, from their intents: grants are rolled back, revocations
 * are finished (R14, R16). Idempotent, and safe on any number of replicas.
 */
export class Recovery implements AppRecovery {
  private readonly repairs: Compensations;
  private readonly convergence: DeveloperReconciliation;

  constructor(
    private readonly parts: AppParts,
    private readonly continuation: Continuation,
  ) {
    this.repairs = new Compensations(parts);
    this.convergence = new DeveloperReconciliation(parts);
  }

  async run(): Promise<{ settled: number; failed: number }> {
    const { intents } = this.parts;
    const total = { settled: 0, failed: 0 };
    for (;;) {
      const due = await intents.due(BATCH);
      for (const intent of due) {
        const outcome = await this.attempt(intent);
        if (outcome !== 'busy') total[outcome] += 1;
      }
      if (due.length < BATCH) return total;
    }
  }

  async settleDeveloper(userId: number): Promise<void> {
    for (const intent of await this.parts.intents.dueOf(userId, AT_ONCE)) {
      if ((await this.attempt(intent)) === 'failed') return;
    }
  }

  async settleApp(appId: number, matters: (intent: LoggedOperation) => boolean = () => true): Promise<void> {
    const waiting = await this.parts.intents.ofApp(appId);
    for (const intent of waiting.filter(matters)) await this.settle(intent);
  }

  private async attempt(intent: LoggedOperation): Promise<'settled' | 'failed' | 'busy'> {
    const { intents, logger } = this.parts;
    if (!(await intents.claim(intent, CLAIM_S))) return 'busy';
    try {
      const isDone = await this.alone(intent);
      if (!isDone) await intents.release(intent.id);
      if (isDone)
        logger.info({ kind: intent.kind, app: intent.appId }, 'a change that broke off was brought to an end');
      return isDone ? 'settled' : 'busy';
    } catch (error) {
      const level = intent.attempts + 1 >= ALARM_AFTER ? 'error' : 'warn';
      const facts = { err: error, kind: intent.kind, app: intent.appId, attempts: intent.attempts + 1 };
      logger[level](facts, 'gateway and portal still differ after a change that broke off');
      await intents.postpone(intent, error instanceof Error ? error.message : String(error));
      return 'failed';
    }
  }

  private async alone(intent: LoggedOperation): Promise<boolean> {
    const { leases, reader } = this.parts;
    const settle = () => this.settle(intent);
    if (intent.appId === null || intent.kind === 'app.products' || !(await reader.hasApp(intent.appId))) {
      await settle();
      return true;
    }
    return leases.holdNow(intent.appId, settle);
  }

  /** Runs on behalf of the person who requested the change. */
  private async settle(intent: LoggedOperation): Promise<void> {
    const person = readActingPerson(intent);
    const work = () => this.bringToAnEnd(intent);
    await (person ? runAs({ person, request: null }, work) : work());
  }

  private async bringToAnEnd(intent: LoggedOperation): Promise<void> {
    const { intents, database } = this.parts;
    if (intent.kind === 'developer') return this.convergence.run(intent.userId, String(intent.payload.email));
    if (intent.kind === 'app.products') {
      await this.continuation.products(intent);
      await intents.drop(intent.id);
      return;
    }
    const repair = await this.repairs.of(intent);
    if (!repair) return void (await intents.drop(intent.id));
    if ('finish' in repair) {
      await ignoreGone(repair.finish.applyRemote);
      await database.transaction(async (transaction) => {
        await intents.settle(intent.id, transaction);
        await repair.finish.commit(transaction);
      });
      return;
    }
    await ignoreGone(repair.compensate);
    await database.transaction(async (transaction) => {
      await intents.drop(intent.id, transaction);
      await repair.release?.(transaction);
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
