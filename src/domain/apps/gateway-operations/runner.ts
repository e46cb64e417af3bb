import type { Database, Transaction } from '../../../database/index.js';
import type { Logger } from '../../../core/index.js';
import { OvertakenError } from '../errors.js';
import { attempt, type GatewayOperation, isAmbiguous, isDoubtful } from './operation.js';
import type { OperationLog, NewOperation } from './operation-log.js';

interface RunnerParts {
  readonly database: Database;
  readonly operationLog: OperationLog;
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
  async run<T>(operation: GatewayOperation<T>): Promise<T> {
    const { database, operationLog } = this.parts;
    const { kind, payload } = operation;
    const { id, target } = await database.transaction(async (transaction) => {
      const about = await operation.reserve(transaction);
      return { target: about, id: await operationLog.open({ kind, payload, ...about }, transaction) };
    });
    try {
      await operation.applyRemote(id);
    } catch (error) {
      await this.handleFailedRemote(operation, id, error);
      throw error;
    }
    try {
      return await database.transaction(async (transaction) => {
        await operationLog.settle(id, transaction);
        return operation.commit(transaction);
      });
    } catch (error) {
      if (error instanceof OvertakenError) await this.handleOvertaken(operation.opens, { kind, payload, ...target });
      else await this.handleFailedCommit(operation, id);
      throw error;
    }
  }

  private async handleFailedRemote(operation: GatewayOperation<unknown>, entry: number, error: unknown): Promise<void> {
    const isLost = isAmbiguous(error);
    // It may have been revoked at the gateway; recovery then does the same in the portal.
    if (!operation.opens && (isLost || operation.isHalfDone?.())) return;
    await attempt(async () => {
      if (operation.opens && (isDoubtful(error) || operation.isHalfDone?.())) await operation.compensate?.(entry);
      await this.endOperation(operation, entry, isLost);
    }, this.parts.logger);
  }

  // Another process settled it, but the gateway received our call after theirs.
  private async handleOvertaken(opens: boolean, entry: NewOperation): Promise<void> {
    const { database, operationLog, logger } = this.parts;
    logger.warn({ kind: entry.kind, app: entry.appId }, 'a change took too long and was overtaken');
    if (!opens) return;
    await attempt(
      () =>
        database.transaction(async (transaction) => {
          await operationLog.checkLater(await operationLog.open(entry, transaction), transaction, 0);
        }),
      logger,
    );
  }

  private async handleFailedCommit(operation: GatewayOperation<unknown>, entry: number): Promise<void> {
    const { operationLog, logger } = this.parts;
    const { compensate } = operation;
    if (compensate === null) return;
    await attempt(async () => {
      // The commit whose answer was lost has deleted the log entry.
      if (!(await operationLog.exists(entry))) return;
      await compensate(entry);
      await this.endOperation(operation, entry, false);
    }, logger);
  }

  private async endOperation(operation: GatewayOperation<unknown>, entry: number, isLost: boolean): Promise<void> {
    const { database, operationLog } = this.parts;
    await database.transaction(async (transaction: Transaction) => {
      if (isLost) await operationLog.checkLater(entry, transaction);
      else await operationLog.drop(entry, transaction);
      await operation.release?.(transaction);
    });
  }
}
