import { GatewayNotFoundError } from '../../../gateway/index.js';
import { runAs } from '../../../core/index.js';
import type { AppParts, AppRecovery } from '../app-parts.js';
import { DeveloperReconciliation } from '../provisioning/developer-reconciliation.js';
import { readActingPerson, type LoggedOperation } from './operation.js';
import { Compensations } from './compensation.js';

/** So many in one run; the next follows at once when there may be more. */
const BATCH = 100;
/** So many while somebody waits for them. */
const AT_ONCE = 20;
/** Longer than the calls of one repair; another replica leaves it alone meanwhile. */
const CLAIM_S = 60;
/** After so many tries somebody has to look. */
const ALARM_AFTER = 10;

/** What can go on without the lease of one app. */
export interface Continuation {
  /** Puts the rest of the products on an app's keys, and takes the rest off. */
  products(intent: LoggedOperation): Promise<void>;
}

/**
 * Brings to an end what broke off between gateway and portal, from the intents that were left: what opens is taken back,
 * what closes is finished (R14, R16). Harmless to do again, on any number of replicas.
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

  /** On behalf of who wanted it. */
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

// What is not there any more opens nothing.
async function ignoreGone(call: () => Promise<void>): Promise<void> {
  try {
    await call();
  } catch (error) {
    if (!(error instanceof GatewayNotFoundError)) throw error;
  }
}
