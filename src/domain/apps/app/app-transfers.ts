import type { RowOf, Transaction } from '../../../database/index.js';
import { ConflictError, NotFoundError, ValidationError } from '../../../core/index.js';
import { GatewayConflictError } from '../../../gateway/index.js';
import type { UserRecord } from '../../accounts/index.js';
import type { AppParts } from '../app-parts.js';
import { AppTransferEndedEvent, AppTransferOfferedEvent } from '../events.js';
import { appTransfer, endTransfer } from '../gateway-operations/app-operations.js';
import { AppChanges } from './app-changes.js';
import { appRecord, transferRecord } from './app.js';
import { requireOwnerRoom } from './owner-room.js';
import type { OwnedApp } from './app-reader.js';
import type { Approver, Initiator } from './approval.js';

type TransferRecord = RowOf<typeof transferRecord>;

/** An app that is offered to another owner, with what stands against it. */
export interface AppTransfer extends OwnedApp {
  readonly id: number;
  readonly to: UserRecord;
  readonly createdAt: Date;
  /** Slugs of products on its keys that the new owner may not use. */
  readonly notAllowed: readonly string[];
  /** Plans on its keys that the present owner may have and the new one may not. */
  readonly plansNotAllowed: readonly HeldPlan[];
  /** The new owner has an app of that name. */
  readonly isNameTaken: boolean;
  /** Its keys are away for a moment while it moves. */
  readonly pausesKeys: boolean;
}

/** A plan that a key has for a product. */
interface HeldPlan {
  readonly product: string;
  readonly plan: string;
}

type Obstacles = Pick<AppTransfer, 'notAllowed' | 'plansNotAllowed' | 'isNameTaken'>;

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

  /** Whether the gateway can give an app another owner at all. */
  isPossible(): Promise<boolean> {
    return this.parts.gateway.canMove();
  }

  /** Whether each key of an app is away for a moment while it moves. */
  pausesKeys(): Promise<boolean> {
    return this.parts.gateway.movesPauseKeys();
  }

  /** Open offers to these accounts, the newest first; at most 100. */
  async listFor(accountIds: readonly number[]): Promise<AppTransfer[]> {
    const where = { toId: accountIds, takenBy: null };
    const rows = await transferRecord.findAll(this.parts.database, where, { order: 'x.id DESC', limit: MOST });
    const found = await Promise.all(rows.map((row) => this.complete(row)));
    return found.flatMap((transfer) => transfer ?? []);
  }

  /** An offer to one of these accounts. @throws NotFoundError */
  async find(id: number, accountIds: readonly number[]): Promise<AppTransfer> {
    const where = { id, toId: accountIds, takenBy: null };
    const transfer = await this.complete(await transferRecord.require(this.parts.database, where));
    if (!transfer) throw new NotFoundError();
    return transfer;
  }

  /** The open offer of an app. @throws NotFoundError for another one */
  async ofApp({ app }: OwnedApp, id: number): Promise<AppTransfer> {
    const row = await transferRecord.require(this.parts.database, {
      ...{ id, appId: app.id, fromId: app.userId, takenBy: null },
    });
    const transfer = await this.complete(row);
    if (!transfer) throw new NotFoundError();
    return transfer;
  }

  /** The offer of an app that waits for its answer; null when there is none. */
  async current({ app }: OwnedApp): Promise<AppTransfer | null> {
    const row = await transferRecord.find(this.parts.database, {
      ...{ appId: app.id, fromId: app.userId, takenBy: null },
    });
    return row && this.complete(row);
  }

  /**
   * Offers an app; an earlier offer of it is dead.
   * @throws ConflictError for its owner, and at a gateway that cannot move apps
   */
  async offer(owned: OwnedApp, to: UserRecord, by: Approver): Promise<AppTransfer> {
    const { database, events, clock } = this.parts;
    await this.requireMovable(owned, to);
    return this.changes.changeApp(owned, async ({ app }) => {
      const id = await database.transaction(async (transaction) => {
        const createdAt = clock.now();
        await transferRecord.remove(database, { appId: app.id }, transaction);
        const row = { appId: app.id, fromId: app.userId, toId: to.id, takenBy: null, createdAt };
        const made = await transferRecord.insert(database, row, transaction);
        await events.emit(new AppTransferOfferedEvent({ app, by, toId: to.id, occurredAt: createdAt }), transaction);
        return made;
      });
      return this.ofApp({ ...owned, app }, id);
    });
  }

  /** @throws NotFoundError when it is over */
  async end({ id, to, ...owned }: AppTransfer, by: Approver, state: 'withdrawn' | 'declined'): Promise<void> {
    const { database, events, clock } = this.parts;
    await this.changes.changeApp(owned, ({ app }) =>
      database.transaction(async (transaction) => {
        await endTransfer(this.parts, id, transaction);
        const fact = { app, by, toId: to.id, state, occurredAt: clock.now() };
        await events.emit(new AppTransferEndedEvent(fact), transaction);
      }),
    );
  }

  /** Ends offers from one account to others in the caller's transaction. What is being accepted meanwhile finds none, and goes back. */
  async endBetween(fromId: number, toIds: readonly number[], by: Initiator, transaction: Transaction): Promise<void> {
    const { database, events, clock } = this.parts;
    const open = { fromId, toId: toIds, takenBy: null };
    const offers = await transferRecord.findAll(database, open, { order: 'x.id', transaction });
    for (const { id, appId, toId } of offers) {
      if ((await transferRecord.remove(database, { id }, transaction)) === 0) continue;
      const app = await appRecord.require(database, { id: appId }, { transaction });
      const fact = { app, by, toId, state: 'withdrawn', occurredAt: clock.now() } as const;
      await events.emit(new AppTransferEndedEvent(fact), transaction);
    }
  }

  /**
   * {@link accept} of an offer to one of these accounts. Once more, by the same person, it answers the same while the app is
   * where it went: an answer may have been lost, and what broke off is brought to its end meanwhile.
   * @throws NotFoundError when there is no such offer, and what {@link accept} throws
   */
  async take(id: number, accountIds: readonly number[], by: Approver): Promise<OwnedApp> {
    const taken = await this.claim(id, accountIds, by);
    if (taken) return taken;
    const transfer = await this.find(id, accountIds);
    try {
      return await this.accept(transfer, by);
    } catch (error) {
      // What broke off before was finished first, so that the offer is over.
      const finished = error instanceof NotFoundError && (await this.claim(id, accountIds, by));
      if (finished) return finished;
      throw error;
    }
  }

  /**
   * Makes the app the new owner's, at the gateway and here; its keys stay as they are.
   * @returns the app. @throws NotFoundError when the offer is over, ConflictError for what stands against it, the errors of the gateway
   */
  async accept({ id, to, ...owned }: AppTransfer, by: Approver): Promise<OwnedApp> {
    return this.changes.changeApp(owned, async (present) => {
      const open = { id, fromId: owned.owner.id, toId: to.id, takenBy: null };
      const row = await transferRecord.require(this.parts.database, open);
      const transfer = await this.complete(row);
      if (!transfer) throw new NotFoundError();
      requireAcceptable(transfer);
      return this.run(present, { id, to: transfer.to }, by);
    });
  }

  /**
   * The same without an offer, as admins do; an offer that is open ends with it.
   * @throws ConflictError for its owner, for what stands against it, and at a gateway that cannot move apps; the errors of the gateway
   */
  async move(owned: OwnedApp, to: UserRecord, by: Approver): Promise<OwnedApp> {
    await this.requireMovable(owned, to);
    return this.changes.changeApp(owned, async (present) => {
      requireAcceptable({ ...present, to, ...(await this.obstaclesOf(present, to)) });
      return this.run(present, { id: null, to }, by);
    });
  }

  /**
   * The same with the apps of an account, all but those of these names. None moves while something stands against one of them;
   * what has moved before the gateway fails stays there, and another call goes on.
   * @throws ValidationError on `close_apps` for a name that none of its apps has, and the errors of {@link move}
   */
  async moveAll(owner: UserRecord, to: UserRecord, by: Approver, except: readonly string[] = []): Promise<void> {
    const { reader, database } = this.parts;
    const all = await reader.appsOf(owner.id);
    const keys = new Set(except.map((name) => name.toLowerCase()));
    const unknown = except.filter((name) => !all.some((app) => app.name.toLowerCase() === name.toLowerCase()));
    if (unknown.length > 0) {
      throw new ValidationError({ close_apps: unknown.map((name) => `There is no app ${JSON.stringify(name)}.`) });
    }
    const moving = all.flatMap((app) => (keys.has(app.name.toLowerCase()) ? [] : { owner, app }));
    for (const owned of moving) {
      await this.requireMovable(owned, to);
      requireAcceptable({ ...owned, to, ...(await this.obstaclesOf(owned, to)) });
    }
    const more = { apps: moving.length, keys: await this.countKeys(moving) };
    await database.transaction((transaction) => requireOwnerRoom(this.parts, to.id, more, transaction));
    for (const owned of moving) await this.move(owned, to, by);
  }

  private async requireMovable({ owner }: OwnedApp, to: UserRecord): Promise<void> {
    if (to.id === owner.id) throw new ConflictError({ errors: { to: ['The app is theirs already.'] } });
    await this.parts.gateway.requireMoves();
  }

  // The limits of a team are asked before anything is moved, and hold once more in the transaction that gives it the app.
  private async run(present: OwnedApp, answer: { id: number | null; to: UserRecord }, by: Approver): Promise<OwnedApp> {
    const { database, runner } = this.parts;
    const keys = await this.countKeys([present]);
    const requireRoom = (transaction: Transaction) =>
      requireOwnerRoom(this.parts, answer.to.id, { apps: 1, keys }, transaction);
    await database.transaction(requireRoom);
    const change = appTransfer(this.parts, present, answer, by);
    const commit = async (transaction: Transaction) => {
      await requireRoom(transaction);
      return change.commit(transaction);
    };
    return runner.run({ ...change, commit }).catch((error: unknown) => {
      // An app that somebody made at the gateway.
      throw error instanceof GatewayConflictError ? nameTakenError(present.app.name, error) : error;
    });
  }

  private async countKeys(owned: readonly OwnedApp[]): Promise<number> {
    const keys = await this.parts.reader.credentialsOf(owned.map(({ app }) => app.id));
    return keys.filter(({ replacedBy }) => replacedBy === null).length;
  }

  // null unless they accepted it and the app is where it went.
  private async claim(id: number, accountIds: readonly number[], by: Approver): Promise<OwnedApp | null> {
    const { database, reader } = this.parts;
    const row = await transferRecord.find(database, { id, toId: accountIds, takenBy: by.id });
    const to = row && (await reader.findOwner(row.toId));
    const owned = to && (await reader.findAnyApp(to, row.appId));
    return owned?.app.syncState === 'synced' ? owned : null;
  }

  // null where the app has moved or is going meanwhile.
  private async complete({ id, appId, fromId, toId, createdAt }: TransferRecord): Promise<AppTransfer | null> {
    const { reader } = this.parts;
    const [owner, to] = [await reader.findOwner(fromId), await reader.findOwner(toId)];
    const owned = owner && (await reader.findAnyApp(owner, appId));
    if (!owned || !to || owned.app.syncState !== 'synced') return null;
    const pausesKeys = await this.pausesKeys();
    return { ...owned, id, to, createdAt, pausesKeys, ...(await this.obstaclesOf(owned, to)) };
  }

  private async obstaclesOf({ owner, app }: OwnedApp, to: UserRecord): Promise<Obstacles> {
    const { reader, products, plans, database } = this.parts;
    const isNameTaken = await appRecord.has(database, { userId: to.id, nameKey: app.name.toLowerCase() });
    const keys = await reader.credentialsOf([app.id]);
    const open = keys.flatMap(({ id, status }) => (status === 'revoked' ? [] : [id]));
    const grants = await reader.grantsOf(open);
    const slugs = [...new Set(grants.map(({ slug }) => slug))];
    if (slugs.length === 0) return { isNameTaken, notAllowed: [], plansNotAllowed: [] };
    const notAllowed = (await products.splitAttachable(to.id, slugs)).unknown;
    const held = grants.flatMap(({ productId: id, slug, plan, nextPlan }) =>
      [plan, nextPlan].flatMap((one) => (one ? [{ id, slug, plan: one.slug }] : [])),
    );
    const refused = await plans.findRefused(to.id, held);
    // A plan that nobody may choose any more stays with the key that has it.
    const lost = new Set(await plans.findRefused(owner.id, refused));
    const found = new Map<string, HeldPlan>();
    for (const wish of refused) {
      if (lost.has(wish) || notAllowed.includes(wish.slug)) continue;
      found.set(`${wish.slug} ${wish.plan}`, { product: wish.slug, plan: wish.plan });
    }
    return { isNameTaken, notAllowed, plansNotAllowed: [...found.values()] };
  }
}

function requireAcceptable({
  to,
  app,
  notAllowed,
  plansNotAllowed,
  isNameTaken,
}: Omit<AppTransfer, 'id' | 'createdAt' | 'pausesKeys'>) {
  if (to.status !== 'active') throw new ConflictError({ errors: { to: ['The new owner is not active.'] } });
  if (isNameTaken) throw nameTakenError(app.name);
  const products = notAllowed.map(
    (slug) => `The new owner may not use ${JSON.stringify(slug)}. Take it off the keys first.`,
  );
  const held = plansNotAllowed.map(({ product, plan }) => `${product}: ${plan}`);
  const plans = held.map(
    (one) => `The new owner may not have the plan ${JSON.stringify(one)}. Choose another one first.`,
  );
  if (products.length + plans.length > 0) throw new ConflictError({ errors: { products: [...products, ...plans] } });
}

function nameTakenError(name: string, cause?: Error): ConflictError {
  const fault = `The new owner has an app called ${JSON.stringify(name)} already.`;
  return new ConflictError({ errors: { name: [fault] }, cause });
}
