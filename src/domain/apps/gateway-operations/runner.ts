import type { Database, Transaction } from '../../../database/index.js';
import type { Logger } from '../../../core/index.js';
import { OvertakenError } from '../errors.js';
import { attempt, type GatewayOperation, isAmbiguous, isDoubtful } from './operation.js';
import type { OperationLog, NewOperation } from './operation-log.js';

interface RunnerParts {
  readonly database: Database;
  readonly intents: OperationLog;
  readonly logger: Logger;
}

/**
 * Intent, gateway, commit (R14): a row announces the change, the gateway is called with no transaction open (R12), and
 * the row is deleted with the portal's own write. After any interruption the row remains, and `Recovery` uses it to
 * reconcile both sides.
 */
export class OperationRunner {
  constructor(private readonly parts: RunnerParts) {}

  /** @throws the errors of the gateway and of `commit`; then nothing has changed, or recovery will settle it soon */
  async run<T>(change: GatewayOperation<T>): Promise<T> {
    const { database, intents } = this.parts;
    const { kind, payload } = change;
    const { id, target } = await database.transaction(async (transaction) => {
      const about = await change.reserve(transaction);
      return { target: about, id: await intents.open({ kind, payload, ...about }, transaction) };
    });
    try {
      await change.applyRemote();
    } catch (error) {
      await this.afterFailedPush(change, id, error);
      throw error;
    }
    try {
      return await database.transaction(async (transaction) => {
        await intents.settle(id, transaction);
        return change.commit(transaction);
      });
    } catch (error) {
      if (error instanceof OvertakenError) await this.afterOvertaking(change.opens, { kind, payload, ...target });
      else await this.afterFailedWrite(change, id);
      throw error;
    }
  }

  private async afterFailedPush(change: GatewayOperation<unknown>, intent: number, error: unknown): Promise<void> {
    const isLost = isAmbiguous(error);
    // It may have been revoked at the gateway; recovery then does the same in the portal.
    if (!change.opens && isLost) return;
    await attempt(async () => {
      if (change.opens && (isDoubtful(error) || change.isHalfDone?.())) await change.compensate?.();
      await this.end(change, intent, isLost);
    }, this.parts.logger);
  }

  // Another process settled it, but the gateway received our call after theirs.
  private async afterOvertaking(opens: boolean, intent: NewOperation): Promise<void> {
    const { database, intents, logger } = this.parts;
    logger.warn({ kind: intent.kind, app: intent.appId }, 'a change took too long and was overtaken');
    if (!opens) return;
    await attempt(
      () =>
        database.transaction(async (transaction) => {
          await intents.checkLater(await intents.open(intent, transaction), transaction, 0);
        }),
      logger,
    );
  }

  private async afterFailedWrite(change: GatewayOperation<unknown>, intent: number): Promise<void> {
    const { intents, logger } = this.parts;
    const { compensate } = change;
    if (compensate === null) return;
    await attempt(async () => {
      // The commit whose answer was lost has deleted the intent.
      if (!(await intents.exists(intent))) return;
      await compensate();
      await this.end(change, intent, false);
    }, logger);
  }

  private async end(change: GatewayOperation<unknown>, intent: number, isLost: boolean): Promise<void> {
    const { database, intents } = this.parts;
    await database.transaction(async (transaction: Transaction) => {
      if (isLost) await intents.checkLater(intent, transaction);
      else await intents.drop(intent, transaction);
      await change.release?.(transaction);
    });
  }
}
