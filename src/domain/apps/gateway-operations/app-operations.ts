import type { Transaction } from '../../../database/index.js';
import { nextVersion, NotFoundError, type Changes } from '../../../core/index.js';
import type { MovedApp } from '../../../gateway/index.js';
import { appRecord, transferRecord, type AppRecord } from '../app/app.js';
import type { AppParts } from '../app-parts.js';
import type { OwnedApp } from '../app/app-reader.js';
import { stateChanges, type Approvable, type Initiator } from '../app/approval.js';
import type { UserRecord } from '../../accounts/index.js';
import { AppApprovedEvent, AppDeletedEvent, AppRevokedEvent, AppTransferredEvent, AppUpdatedEvent } from '../events.js';
import type { TransferJournal } from './transfer-journal.js';
import { type GatewayOperation, type OperationTarget, statePayload } from './operation.js';

export function appTarget({ owner, app }: OwnedApp): OperationTarget {
  return { userId: owner.id, appId: app.id, credentialId: null, productId: null };
}

/** @param changes field of the record → before and after */
export function appUpdate(
  parts: AppParts,
  present: OwnedApp,
  changes: Changes,
  by: Initiator,
): GatewayOperation<OwnedApp> {
  const { gateway, database, events, clock, reader } = parts;
  const values = Object.fromEntries(Object.entries(changes).map(([field, [, after]]) => [field, after]));
  return {
    kind: 'app.update',
    payload: { changes, by },
    opens: false,
    reserve: () => Promise.resolve(appTarget(present)),
    applyRemote: () => gateway.updateApp({ ...present, app: { ...present.app, ...values } }),
    compensate: () => gateway.updateApp(present),
    commit: async (transaction) => {
      const version = { updatedAt: nextVersion(clock.now(), present.app) };
      await appRecord.update(database, { id: present.app.id }, { ...values, ...version }, transaction);
      const after = await reader.reloadApp(present, transaction);
      await events.emit(new AppUpdatedEvent({ app: after.app, changes, by, occurredAt: clock.now() }), transaction);
      return after;
    },
  };
}

export function appStatusChange(
  { gateway, writes, events, clock, reader }: AppParts,
  present: OwnedApp,
  next: Approvable,
  by: Initiator,
): GatewayOperation<OwnedApp> {
  const Event = next.status === 'revoked' ? AppRevokedEvent : AppApprovedEvent;
  return {
    kind: 'app.status',
    payload: statePayload(next, by),
    opens: next.status === 'approved',
    reserve: () => Promise.resolve(appTarget(present)),
    // Even if the portal already shows that state: the gateway's may have been changed directly.
    applyRemote: () => gateway.setAppStatus(present, next.status),
    compensate: () => gateway.setAppStatus(present, present.app.status),
    commit: async (transaction) => {
      const changes = stateChanges(present.app, next);
      if (Object.keys(changes).length === 0) return present;
      await writes.setApp(present.app, next, transaction);
      const after = await reader.reloadApp(present, transaction);
      await events.emit(new Event({ app: after.app, changes, by, occurredAt: clock.now() }), transaction);
      return after;
    },
  };
}

/**
 * Gives an app another owner, with its keys. Once the gateway may have done it, it is finished: the key works all the time.
 * @param id of the offer that is accepted; null where an admin moves it, which ends whatever offer there is
 */
export function appTransfer(
  parts: AppParts,
  present: OwnedApp,
  { id, to }: { readonly id: number | null; readonly to: UserRecord },
  by: Initiator,
): GatewayOperation<OwnedApp> {
  const { operationLog, database, events, clock, reader } = parts;
  const { app, owner } = present;
  const move = new AppMove(parts, app);
  return {
    kind: 'app.transfer',
    payload: { transfer: id, to: to.id, by },
    opens: false,
    reserve: () => Promise.resolve(appTarget(present)),
    applyRemote: (entry) => move.run(entry, owner, to),
    compensate: async (entry) => {
      await move.run(entry, to, owner);
      await database.transaction((transaction) => move.commit(owner, transaction));
    },
    isHalfDone: () => move.hasBegun,
    commit: async (transaction) => {
      if (id === null) await transferRecord.remove(database, { appId: app.id }, transaction);
      else await takeTransfer({ database }, id, by, transaction);
      const values = { userId: to.id, ownedSince: clock.now(), updatedAt: nextVersion(clock.now(), app) };
      await appRecord.update(database, { id: app.id }, values, transaction);
      await operationLog.moveAllOf(app.id, to.id, transaction);
      await move.commit(to, transaction);
      const after = await reader.reloadApp({ owner: to, app }, transaction);
      const fact = { app: after.app, by, fromId: owner.id, occurredAt: clock.now() };
      await events.emit(new AppTransferredEvent(fact), transaction);
      return after;
    },
  };
}

/** An app on its way from one owner to another at the gateway, there or back. */
class AppMove {
  private moved: MovedApp | undefined;
  private journal: TransferJournal | undefined;

  constructor(
    private readonly parts: AppParts,
    private readonly app: AppRecord,
  ) {}

  get hasBegun(): boolean {
    return this.journal?.hasBegun ?? false;
  }

  async run(entry: number, from: UserRecord, to: UserRecord): Promise<void> {
    const { gateway } = this.parts;
    this.journal = gateway.openJournal(entry);
    this.moved = await gateway.moveApp({ owner: from, app: this.app }, to, this.journal);
  }

  /** What is another at the gateway now: the id of the app, and whether its keys end by themselves. */
  async commit(owner: UserRecord, transaction: Transaction): Promise<void> {
    const { database, reader, operationLog, clock } = this.parts;
    if (!this.moved) return;
    const { appId: gatewayAppId, keepsEnds } = this.moved;
    const { app } = this;
    await appRecord.update(database, { id: app.id }, { gatewayAppId }, transaction);
    if (keepsEnds) return;
    for (const { id, status, expiresAt } of await reader.credentialsOf([app.id], transaction)) {
      if (status === 'revoked' || expiresAt === null || expiresAt <= clock.now()) continue;
      const ending = { kind: 'key.end', payload: {}, ...appTarget({ owner, app }), credentialId: id } as const;
      await operationLog.openLater(ending, expiresAt, transaction);
    }
  }
}

/** Who took an offer for somebody else, and does not ask again. */
const NOBODY = 0;

/** Part of the change that accepts an offer: it stays for repeated requests. @throws NotFoundError when it is over */
async function takeTransfer(
  { database }: Pick<AppParts, 'database'>,
  id: number,
  by: Initiator,
  transaction: Transaction,
): Promise<void> {
  const takenBy = by.type === 'developer' ? by.id : NOBODY;
  const taken = await transferRecord.update(database, { id, takenBy: null }, { takenBy }, transaction);
  if (taken === 0) throw new NotFoundError();
}

/** Part of the change that ends an offer otherwise. @throws NotFoundError when it is over */
export async function endTransfer(
  { database }: Pick<AppParts, 'database'>,
  id: number,
  transaction: Transaction,
): Promise<void> {
  if ((await transferRecord.remove(database, { id, takenBy: null }, transaction)) === 0) throw new NotFoundError();
}

/** After the first step, deletion is the only operation left. */
export function appDeletion(
  { gateway, writes, operationLog, database, events, clock }: AppParts,
  present: OwnedApp,
  by: Initiator,
): GatewayOperation<void> {
  const { id } = present.app;
  return {
    kind: 'app.delete',
    payload: { by },
    opens: false,
    reserve: async (transaction) => {
      await operationLog.dropAllOf({ appId: id }, transaction);
      await writes.markApp(id, 'deleting', transaction);
      return appTarget(present);
    },
    applyRemote: () => gateway.removeApp(present),
    compensate: null,
    release: (transaction) => writes.markApp(id, 'synced', transaction),
    commit: async (transaction) => {
      await appRecord.remove(database, { id }, transaction);
      await events.emit(new AppDeletedEvent({ app: present.app, by, occurredAt: clock.now() }), transaction);
    },
  };
}
