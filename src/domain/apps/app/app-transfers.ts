import type { RowOf } from '../../../database/index.js';
import { ConflictError, NotFoundError } from '../../../core/index.js';
import type { UserRecord } from '../../accounts/index.js';
import type { AppParts } from '../app-parts.js';
import { AppTransferEndedEvent, AppTransferOfferedEvent } from '../events.js';
import { appTransfer, endTransfer } from '../gateway-operations/app-operations.js';
import { AppChanges } from './app-changes.js';
import { appRecord, transferRecord } from './app.js';
import type { OwnedApp } from './app-reader.js';
import type { Approver } from './approval.js';

type TransferRecord = RowOf<typeof transferRecord>;

/** An app that is offered to another owner, with what stands against it. */
export interface AppTransfer extends OwnedApp {
  readonly id: number;
  readonly to: UserRecord;
  readonly createdAt: Date;
  /** Slugs of products on its keys that the new owner may not use. */
  readonly notAllowed: readonly string[];
  /** The new owner has an app of that name. */
  readonly isNameTaken: boolean;
}

const MOST = 100;

/**
 * Hands apps over to another owner with their keys as they are: one side offers, the other accepts. Both, and what ends an
 * offer, hold the lease of the app.
 */
export class AppTransfers {
  private readonly changes: AppChanges;

  constructor(private readonly parts: AppParts) {
    this.changes = new AppChanges(parts);
  }

  /** Open offers to these accounts, the newest first; at most 100. */
  async listFor(accountIds: readonly number[]): Promise<AppTransfer[]> {
    const where = { toId: accountIds };
    const rows = await transferRecord.findAll(this.parts.database, where, { order: 'x.id DESC', limit: MOST });
    const found = await Promise.all(rows.map((row) => this.complete(row)));
    return found.flatMap((transfer) => transfer ?? []);
  }

  /** An offer to one of these accounts. @throws NotFoundError */
  async find(id: number, accountIds: readonly number[]): Promise<AppTransfer> {
    const transfer = await this.complete(await transferRecord.require(this.parts.database, { id, toId: accountIds }));
    if (!transfer) throw new NotFoundError();
    return transfer;
  }

  /** The open offer of an app. @throws NotFoundError for another one */
  async ofApp({ app }: OwnedApp, id: number): Promise<AppTransfer> {
    const row = await transferRecord.require(this.parts.database, { id, appId: app.id, fromId: app.userId });
    const transfer = await this.complete(row);
    if (!transfer) throw new NotFoundError();
    return transfer;
  }

  /**
   * Offers an app; an earlier offer of it is dead.
   * @throws ConflictError for who owns it, and at a gateway that cannot move apps
   */
  async offer(owned: OwnedApp, to: UserRecord, by: Approver): Promise<AppTransfer> {
    const { database, events, clock, gateway } = this.parts;
    if (to.id === owned.owner.id) throw new ConflictError({ errors: { to: ['The app is theirs already.'] } });
    await gateway.requireMoves();
    return this.changes.changeApp(owned, async ({ app }) => {
      const id = await database.transaction(async (transaction) => {
        const createdAt = clock.now();
        await transferRecord.remove(database, { appId: app.id }, transaction);
        const row = { appId: app.id, fromId: app.userId, toId: to.id, createdAt };
        const made = await transferRecord.insert(database, row, transaction);
        await events.emit(new AppTransferOfferedEvent({ app, by, toId: to.id, occurredAt: createdAt }), transaction);
        return made;
      });
      return this.ofApp({ ...owned, app }, id);
    });
  }

  /** Withdraws or declines an offer. @throws NotFoundError when it is over */
  async end({ id, to, ...owned }: AppTransfer, by: Approver): Promise<void> {
    const { database, events, clock } = this.parts;
    await this.changes.changeApp(owned, ({ app }) =>
      database.transaction(async (transaction) => {
        await endTransfer(this.parts, id, transaction);
        const fact = { app, by, toId: to.id, occurredAt: clock.now() };
        await events.emit(new AppTransferEndedEvent(fact), transaction);
      }),
    );
  }

  /**
   * Makes the app the new owner's, at the gateway and here; its keys stay as they are.
   * @returns the app. @throws NotFoundError when the offer is over, ConflictError for what stands against it, the errors of the gateway
   */
  async accept({ id, to, ...owned }: AppTransfer, by: Approver): Promise<OwnedApp> {
    return this.changes.changeApp(owned, async (present) => {
      const row = await transferRecord.require(this.parts.database, { id, fromId: owned.owner.id, toId: to.id });
      const transfer = await this.complete(row);
      if (!transfer) throw new NotFoundError();
      requireAcceptable(transfer);
      return this.parts.runner.run(appTransfer(this.parts, present, { id, to: transfer.to }, by));
    });
  }

  // null where the app has moved or is going meanwhile.
  private async complete({ id, appId, fromId, toId, createdAt }: TransferRecord): Promise<AppTransfer | null> {
    const { reader, database } = this.parts;
    const [owner, to] = [await reader.findOwner(fromId), await reader.findOwner(toId)];
    const owned = owner && (await reader.findAnyApp(owner, appId));
    if (!owned || !to || owned.app.syncState !== 'synced') return null;
    const isNameTaken = await appRecord.has(database, { userId: toId, nameKey: owned.app.name.toLowerCase() });
    return { ...owned, id, to, createdAt, isNameTaken, notAllowed: await this.notAllowed(appId, to) };
  }

  private async notAllowed(appId: number, to: UserRecord): Promise<readonly string[]> {
    const { reader, products } = this.parts;
    const keys = await reader.credentialsOf([appId]);
    const open = keys.flatMap(({ id, status }) => (status === 'revoked' ? [] : [id]));
    const slugs = [...new Set((await reader.grantsOf(open)).map(({ slug }) => slug))];
    return slugs.length === 0 ? [] : (await products.splitAttachable(to.id, slugs)).unknown;
  }
}

function requireAcceptable({ to, app, notAllowed, isNameTaken }: AppTransfer): void {
  if (to.status !== 'active') throw new ConflictError({ errors: { to: ['The new owner is not active.'] } });
  if (isNameTaken) {
    throw new ConflictError({ errors: { name: [`The new owner has an app called ${app.name} already.`] } });
  }
  if (notAllowed.length === 0) return;
  const fault = `The new owner may not use ${notAllowed.join(', ')}. Take it off the keys first.`;
  throw new ConflictError({ errors: { products: [fault] } });
}
