import { Op, type Transaction } from '../../../database/index.js';
import { ConflictError } from '../../../core/index.js';
import {
  UserDeletedEvent,
  UserDeletingEvent,
  UserDisablingEvent,
  UserKeptActiveEvent,
  UserStatusChangedEvent,
  UserUpdatedEvent,
  userRecord,
  type UserRecord,
} from '../../accounts/index.js';
import { PlanDeletedEvent, planVersionIds, ProductDeletedEvent, ProductUpdatedEvent } from '../../catalog/index.js';
import { appRecord } from '../app/app.js';
import type { AppParts } from '../app-parts.js';
import { grantRecord } from '../credential/grant.js';
import { DeveloperReconciliation } from './developer-reconciliation.js';
import { AppDeletedEvent } from '../events.js';
import { attempt, isAmbiguous } from './operation.js';
import type { NewOperation } from './operation-log.js';

/** Seconds after which a change of an account counts as broken off; its gateway calls and its commit take less. */
const PATIENCE_S = 40;

/**
 * Keeps the gateway in step with the accounts. Closing happens before the account changes and blocks the change if the
 * gateway fails (R16); opening happens afterwards, so that a key never works for an account that was not opened after
 * all. A log entry exists from the first call until the gateway has the account's final state.
 */
export function listenToDevelopers(parts: AppParts): void {
  const { events, operationLog } = parts;
  const reconciliation = new DeveloperReconciliation(parts);
  const reconcile = ({ id, email }: UserRecord) => reconciliation.run(id, email);
  const logOperation = (user: UserRecord, transaction?: Transaction) =>
    operationLog.open(operationFor(user), transaction, PATIENCE_S);

  events.within(UserDisablingEvent, ({ user }) => disable(parts, user));
  events.within(UserStatusChangedEvent, async ({ user }, transaction) => void (await logOperation(user, transaction)));
  events.on(UserStatusChangedEvent, ({ user }) => reconcile(user));
  events.on(UserKeptActiveEvent, ({ user }) => reconcile(user));

  events.within(UserUpdatedEvent, async ({ user, changes }, transaction) => {
    if (isIntroduction(changes)) await logOperation(user, transaction);
  });
  events.on(UserUpdatedEvent, async ({ user, changes }) => {
    if (isIntroduction(changes)) await reconcile(user);
  });

  events.within(UserDeletingEvent, ({ user }) => removeDeveloper(parts, user));
  events.within(UserDeletedEvent, async ({ user }, transaction) => {
    await removeApps(parts, user, transaction);
    await logOperation(user, transaction);
  });
  // Repeated for an app that was created in between.
  events.on(UserDeletedEvent, ({ user }) => reconcile(user));
}

/** Tells a gateway that keeps teams who is in one: not a change of the account that owns the apps. */
export class TeamIntroductions {
  private readonly reconciliation: DeveloperReconciliation;

  constructor(private readonly parts: AppParts) {
    this.reconciliation = new DeveloperReconciliation(parts);
  }

  /** Notes, with the change, that the gateway is to be told; recovery does it unless {@link follow} does. */
  async note(accountIds: readonly number[], transaction: Transaction): Promise<void> {
    const { developers, operationLog, database } = this.parts;
    if (accountIds.length === 0 || !(await developers.keepsTeams())) return;
    const accounts = await userRecord.findAll(database, { id: accountIds }, { transaction });
    for (const account of accounts) await operationLog.open(operationFor(account), transaction, PATIENCE_S);
  }

  /** @throws the errors of the gateway */
  async follow(accountId: number): Promise<void> {
    const { developers, reader } = this.parts;
    const account = (await developers.keepsTeams()) ? await reader.findOwner(accountId) : null;
    if (account) await this.reconciliation.run(account.id, account.email);
  }
}

function operationFor({ id, email }: UserRecord): NewOperation {
  return { kind: 'developer', payload: { email }, userId: id, appId: null, credentialId: null, productId: null };
}

// Fields that the gateway stores besides the status.
function isIntroduction(changes: object): boolean {
  return 'email' in changes || 'firstName' in changes || 'lastName' in changes;
}

async function disable({ developers, reader, operationLog }: AppParts, user: UserRecord): Promise<void> {
  const entry = await operationLog.open(operationFor(user), undefined, PATIENCE_S);
  try {
    await developers.setStatus({ ...user, status: 'inactive' }, await reader.appsOf(user.id));
  } catch (error) {
    // The account stays as it is; if the gateway closed its keys anyway, they soon reopen.
    if (!isAmbiguous(error)) await operationLog.drop(entry);
    throw error;
  }
}

// An app that is half theirs would lose keys with them.
async function settleTransfers({ operationLog, leases, recovery, reader }: AppParts, { id }: UserRecord) {
  for (const { appId } of await operationLog.findTransfersOf(id)) {
    if (appId === null || !(await reader.hasApp(appId))) continue;
    const settle = () => recovery().settleApp(appId, ({ kind }) => kind === 'app.transfer');
    if (await leases.holdNow(appId, settle)) continue;
    const fault = 'Another change of this app is still running; try again in a moment.';
    throw new ConflictError({ errors: { app: [fault] }, detail: `app ${appId}` });
  }
}

// Marked first: if the deletion fails, its apps must not look as if the gateway still had them.
async function removeDeveloper(parts: AppParts, user: UserRecord): Promise<void> {
  const { database, developers, operationLog, reader, writes, logger } = parts;
  await settleTransfers(parts, user);
  const apps = (await reader.appsOf(user.id)).filter(({ syncState }) => syncState === 'synced');
  const entry = await database.transaction(async (transaction) => {
    for (const { id } of apps) await writes.markApp(id, 'deleting', transaction);
    return operationLog.open(operationFor(user), transaction, PATIENCE_S);
  });
  try {
    await developers.remove(user);
  } catch (error) {
    const unmark = async (transaction: Transaction): Promise<void> => {
      for (const { id } of apps) await writes.markApp(id, 'synced', transaction);
      await operationLog.drop(entry, transaction);
    };
    if (!isAmbiguous(error)) await attempt(() => database.transaction(unmark), logger);
    throw error;
  }
}

async function removeApps(parts: AppParts, user: UserRecord, transaction: Transaction): Promise<void> {
  const { database, operationLog, reader, events, clock } = parts;
  const apps = await reader.appsOf(user.id, transaction);
  await appRecord.remove(database, { userId: user.id }, transaction);
  await operationLog.dropOfAppsOf(user.id, transaction);
  const fact = { by: { type: 'system', id: null }, occurredAt: clock.now() } as const;
  for (const app of apps) await events.emit(new AppDeletedEvent({ app, ...fact }), transaction);
}

/** Field of a change → its API name. */
const NAMES = { slug: 'slug', gatewayProductId: 'gateway_product_id' } as const;

/**
 * Keys carry products under their gateway name, and proxies ask for them by slug. While keys carry a product, neither
 * name can change and it cannot be deleted: that would silently close an API to all its users.
 */
export function listenToProducts(parts: AppParts): void {
  const { events } = parts;
  events.within(ProductUpdatedEvent, async ({ product, changes }, transaction) => {
    const renamed = Object.entries(NAMES).filter(([field]) => changes[field]);
    if (renamed.length === 0) return;
    const keys = await keysOf(parts, product.id, transaction);
    if (keys === null) return;
    const fault = `${keys} this product, so it keeps its slug and gateway_product_id.`;
    throw new ConflictError({ errors: Object.fromEntries(renamed.map(([, name]) => [name, [fault]])) });
  });
  events.within(ProductDeletedEvent, async ({ product }, transaction) => {
    const keys = await keysOf(parts, product.id, transaction);
    if (keys === null) return;
    const fault = `${keys} this product. Take it off them first, or make it a draft to close it.`;
    throw new ConflictError({ errors: { credentials: [fault] } });
  });
}

/** How many keys carry the product, as the start of a sentence; null if none do. */
async function keysOf({ database }: AppParts, productId: number, transaction: Transaction): Promise<string | null> {
  const total = await grantRecord.count(database, { productId }, transaction);
  if (total === 0) return null;
  return total === 1 ? '1 key carries' : `${total} keys carry`;
}

/** A plan stays for as long as a product on a key has it, or will. */
export function listenToPlans({ events, database }: AppParts): void {
  events.within(PlanDeletedEvent, async ({ plan }, transaction) => {
    const ids = await planVersionIds(database, plan.id, transaction);
    const isHeld = { [Op.or]: [{ planVersionId: ids }, { nextPlanVersionId: ids }] };
    if (ids.length === 0 || !(await grantRecord.has(database, isHeld, transaction))) return;
    throw new ConflictError({
      errors: { credentials: ['Keys have this plan. To offer it to nobody new, archive it.'] },
    });
  });
}
