import { fromRow, Op, type Database, type Transaction } from '../../../database/index.js';
import { addSeconds, currentActorContext, latestEnd, type Clock } from '../../../core/index.js';
import { LEASE_S } from '../app-leases.js';
import { OvertakenError } from '../errors.js';
import {
  operationRecord,
  type LoggedOperation,
  type OperationKind,
  type OperationPayload,
  type OperationTarget,
} from './operation.js';

/** By then, a call whose answer was lost has either reached the gateway or never will. */
const LATE_S = 60;
const LONGEST_PAUSE_S = 300;
/** Key ends wait for their agreed time, however far ahead. */
const IS_DUE = "(i.due_at <= ? OR (i.due_at > ? AND i.kind <> 'key.end'))";
const DUE_FIRST = 'i.due_at, i.id';

export interface NewOperation extends OperationTarget {
  readonly kind: OperationKind;
  readonly payload: OperationPayload;
}

/**
 * Rows that mark where gateway and portal may differ: written before the gateway call, deleted with the commit (R14).
 */
export class OperationLog {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** @param delay seconds until another process may treat it as abandoned, unless an app lease says so */
  async open({ kind, payload, ...target }: NewOperation, transaction?: Transaction, delay = 0): Promise<number> {
    const now = this.clock.now();
    const columns = {
      ...{ kind, state: 'running' as const, ...target },
      payload: { ...payload, acting: currentActorContext().person },
      dueAt: addSeconds(now, delay),
      createdAt: now,
    };
    return operationRecord.insert(this.database, columns, transaction);
  }

  /** Schedules a gateway operation for later. */
  async openLater(entry: NewOperation, at: Date, transaction: Transaction): Promise<void> {
    const id = await this.open(entry, transaction);
    await operationRecord.update(this.database, { id }, { state: 'check', dueAt: at }, transaction);
  }

  /**
   * Part of the transaction that commits the change: an operation that was presumed dead can no longer commit.
   * @throws OvertakenError when another process settled it
   */
  async settle(id: number, transaction: Transaction): Promise<void> {
    if (!(await this.drop(id, transaction))) throw new OvertakenError({ detail: `intent ${id}` });
  }

  /** @returns whether it was there */
  async drop(id: number, transaction?: Transaction): Promise<boolean> {
    return (await operationRecord.remove(this.database, { id }, transaction)) > 0;
  }

  /** Deleting a record settles everything that was pending for it. */
  async dropAllOf(target: { appId: number } | { credentialId: number }, transaction: Transaction): Promise<void> {
    await operationRecord.remove(this.database, target, transaction);
  }

  /** What is pending for an app is the matter of its new owner. */
  async moveAllOf(appId: number, userId: number, transaction: Transaction): Promise<void> {
    await operationRecord.update(this.database, { appId }, { userId }, transaction);
  }

  exists(id: number): Promise<boolean> {
    return operationRecord.has(this.database, { id });
  }

  /** Schedules a second rollback for when a lost call can no longer arrive. */
  async checkLater(id: number, transaction: Transaction, seconds = LATE_S): Promise<void> {
    const dueAt = addSeconds(this.clock.now(), seconds);
    await operationRecord.update(this.database, { id }, { state: 'check', dueAt }, transaction);
  }

  /** The oldest due entries. Skips those of an app whose lease is held. */
  findDue(limit: number): Promise<LoggedOperation[]> {
    const now = this.clock.now();
    const where = `${IS_DUE} AND NOT EXISTS (
      SELECT 1 FROM portal_apps a WHERE a.id = i.app_id AND a.lease_until > ? AND a.lease_until <= ?)`;
    const and = { where, values: [now, latestEnd(now, LONGEST_PAUSE_S), now, latestEnd(now, LEASE_S)] };
    return operationRecord.findAll(this.database, {}, { and, order: DUE_FIRST, limit });
  }

  /** The oldest due entries of one developer. */
  findDueOf(userId: number, limit: number): Promise<LoggedOperation[]> {
    const now = this.clock.now();
    const and = { where: IS_DUE, values: [now, latestEnd(now, LONGEST_PAUSE_S)] };
    return operationRecord.findAll(this.database, { userId }, { and, order: DUE_FIRST, limit });
  }

  /** Whether the transfer of an app to another owner is still unfinished. */
  isMoving(appId: number): Promise<boolean> {
    return operationRecord.has(this.database, { appId, kind: 'app.transfer' });
  }

  /** Changes of owners that have not come to their end and are from or to an account. */
  async findTransfersOf(userId: number): Promise<LoggedOperation[]> {
    const all = await operationRecord.findAll(this.database, { kind: 'app.transfer' }, { order: 'i.id' });
    return all.filter((entry) => entry.userId === userId || Number(entry.payload.to) === userId);
  }

  /** Unfinished changes of an app; its lease must be held. */
  findByApp(appId: number): Promise<LoggedOperation[]> {
    // A change of products across keys holds no lease as a whole, so it may be running right now. Deletions are
    // skipped because nothing else can be done to their target.
    const and = { where: "i.kind NOT IN ('app.products', 'app.delete', 'key.delete')", values: [] };
    return operationRecord.findAll(this.database, { appId, state: 'running' }, { and, order: 'i.id' });
  }

  /** Id of the newest entry about an account as a whole; 0 if there is none. */
  async findNewestId(userId: number): Promise<number> {
    const newest = { only: ['id'], order: 'i.id DESC', limit: 1 } as const;
    const row = await operationRecord.find(this.database, { userId, kind: 'developer' }, newest);
    return row?.id ?? 0;
  }

  async dropOfDeveloper(userId: number, until: number): Promise<void> {
    await operationRecord.remove(this.database, { userId, kind: 'developer', id: { [Op.lte]: until } });
  }

  /** Deleting the account deletes its apps, which settles their log entries. */
  async dropOfAppsOf(userId: number, transaction: Transaction): Promise<void> {
    await operationRecord.remove(this.database, { userId, appId: { [Op.ne]: null } }, transaction);
  }

  list(): Promise<LoggedOperation[]> {
    return operationRecord.findAll(this.database, {}, { order: 'i.id' });
  }

  /** Claims a log entry for a while. @returns false when another process has it or it is settled */
  async claim({ id, dueAt }: LoggedOperation, seconds: number): Promise<boolean> {
    const until = addSeconds(this.clock.now(), seconds);
    return (await operationRecord.update(this.database, { id, dueAt }, { dueAt: until })) === 1;
  }

  /** Gives up the claim because its app is in use. */
  async release(id: number): Promise<void> {
    await operationRecord.update(this.database, { id }, { dueAt: addSeconds(this.clock.now(), 5) });
  }

  /** Makes an entry due now. */
  async hasten(id: number): Promise<void> {
    await operationRecord.update(this.database, { id }, { dueAt: this.clock.now() });
  }

  /** Schedules a retry; each delay is longer than the last. */
  async postpone({ id, attempts }: LoggedOperation, reason: string): Promise<void> {
    const pause = Math.min(5 * 2 ** attempts, LONGEST_PAUSE_S);
    const dueAt = addSeconds(this.clock.now(), pause);
    const failed = { attempts: fromRow('attempts', 1), lastError: reason.slice(0, 500), dueAt };
    await operationRecord.update(this.database, { id }, failed);
  }
}
