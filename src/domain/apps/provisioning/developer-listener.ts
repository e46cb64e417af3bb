import type { Transaction } from '../../../database/index.js';
import {
  UserDeletedEvent,
  UserDeletingEvent,
  UserDisablingEvent,
  UserKeptActiveEvent,
  UserStatusChangedEvent,
  UserUpdatedEvent,
  type UserRecord,
} from '../../accounts/index.js';
import type { AppParts } from '../app-parts.js';
import { DeveloperReconciliation } from './developer-reconciliation.js';
import { AppDeletedEvent } from '../events.js';
import { attempt } from '../gateway-operations/attempt.js';
import type { NewOperation } from '../gateway-operations/operation-log.js';
import { isAmbiguous } from '../gateway-operations/operation.js';

/** Seconds after which a change of an account is taken for broken off; its gateway calls and its commit take less. */
const PATIENCE_S = 40;

/**
 * Keeps the gateway in step with the accounts. Closing happens before the account changes and stops it when the gateway
 * cannot (R16); opening happens after, so that a key never works for an account that was not opened after all. An intent
 * is there from the first call until the gateway has heard what the account came to in the end.
 */
export function listenToDevelopers(parts: AppParts): void {
  const { events, intents } = parts;
  const convergence = new DeveloperReconciliation(parts);
  const converge = ({ id, email }: UserRecord) => convergence.run(id, email);
  const intend = (user: UserRecord, transaction?: Transaction) => intents.open(about(user), transaction, PATIENCE_S);

  events.within(UserDisablingEvent, ({ user }) => disable(parts, user));
  events.within(UserStatusChangedEvent, async ({ user }, transaction) => void (await intend(user, transaction)));
  events.on(UserStatusChangedEvent, ({ user }) => converge(user));
  events.on(UserKeptActiveEvent, ({ user }) => converge(user));

  events.within(UserUpdatedEvent, async ({ user, changes }, transaction) => {
    if (isIntroduction(changes)) await intend(user, transaction);
  });
  events.on(UserUpdatedEvent, async ({ user, changes }) => {
    if (isIntroduction(changes)) await converge(user);
  });

  events.within(UserDeletingEvent, ({ user }) => removeDeveloper(parts, user));
  events.within(UserDeletedEvent, async ({ user }, transaction) => {
    await removeApps(parts, user, transaction);
    await intend(user, transaction);
  });
  // Again, for an app that was created between the first time and the deletion.
  events.on(UserDeletedEvent, ({ user }) => converge(user));
}

function about({ id, email }: UserRecord): NewOperation {
  return { kind: 'developer', payload: { email }, userId: id, appId: null, credentialId: null, productId: null };
}

// What the gateway knows of a developer beside their status.
function isIntroduction(changes: object): boolean {
  return 'email' in changes || 'firstName' in changes || 'lastName' in changes;
}

async function disable({ developers, reader, intents }: AppParts, user: UserRecord): Promise<void> {
  const intent = await intents.open(about(user), undefined, PATIENCE_S);
  try {
    await developers.setStatus({ ...user, status: 'inactive' }, await reader.appsOf(user.id));
  } catch (error) {
    // The account stays as it is; should the gateway have closed all the same, it opens again soon.
    if (!isAmbiguous(error)) await intents.drop(intent);
    throw error;
  }
}

// Marked first: if the account then stays after all, its apps do not look as if the gateway still had them.
async function removeDeveloper(parts: AppParts, user: UserRecord): Promise<void> {
  const { database, developers, intents, reader, writes, logger } = parts;
  const apps = (await reader.appsOf(user.id)).filter(({ syncState }) => syncState === 'synced');
  const intent = await database.transaction(async (transaction) => {
    for (const { id } of apps) await writes.markApp(id, 'deleting', transaction);
    return intents.open(about(user), transaction, PATIENCE_S);
  });
  try {
    await developers.remove(user);
  } catch (error) {
    const unmark = async (transaction: Transaction): Promise<void> => {
      for (const { id } of apps) await writes.markApp(id, 'synced', transaction);
      await intents.drop(intent, transaction);
    };
    if (!isAmbiguous(error)) await attempt(() => database.transaction(unmark), logger);
    throw error;
  }
}

async function removeApps(parts: AppParts, user: UserRecord, transaction: Transaction): Promise<void> {
  const { database, intents, reader, events, clock } = parts;
  const apps = await reader.appsOf(user.id, transaction);
  await database.execute('DELETE FROM portal_apps WHERE user_id = ?', [user.id], { transaction });
  await intents.dropOfAppsOf(user.id, transaction);
  const fact = { by: { type: 'system', id: null }, occurredAt: clock.now() } as const;
  for (const app of apps) await events.emit(new AppDeletedEvent({ app, ...fact }), transaction);
}
