import {
  UserDeletedEvent,
  UserDeletingEvent,
  UserDisablingEvent,
  UserKeptActiveEvent,
  UserStatusChangedEvent,
  type UserRecord,
} from '../accounts/index.js';
import { GatewayNotFoundError } from '../../gateway/index.js';
import type { SyncState } from './app.js';
import type { AppParts } from './app-parts.js';
import { AppDeletedEvent } from './events.js';
import { attempt } from './two-sided-change.js';

/**
 * Keeps the gateway in step with the accounts. Closing happens before the account changes and stops it when the gateway
 * cannot (R16); opening happens after, so that a key never works for an account that was not opened after all.
 */
export function listenToDevelopers(parts: AppParts): void {
  const { events, gateway, database, reader, clock } = parts;
  events.within(UserDisablingEvent, ({ user }) => setStatus(parts, user, false));
  events.within(UserDeletingEvent, ({ user }) => removeDeveloper(parts, user));
  events.within(UserDeletedEvent, async ({ user }, transaction) => {
    const apps = await reader.appsOf(user.id, transaction);
    await database.execute('DELETE FROM portal_apps WHERE user_id = ?', [user.id], { transaction });
    const fact = { by: { type: 'system', id: null }, occurredAt: clock.now() } as const;
    for (const app of apps) await events.emit(new AppDeletedEvent({ app, ...fact }), transaction);
  });
  events.on(UserKeptActiveEvent, ({ user }) => setStatus(parts, user, true));
  events.on(UserStatusChangedEvent, ({ user, after }) => setStatus(parts, user, after === 'active'));
  // Again, for an app that was created between the first time and the deletion.
  events.on(UserDeletedEvent, ({ user }) => gateway.removeDeveloper(user));
}

async function setStatus({ gateway, reader }: AppParts, user: UserRecord, isActive: boolean): Promise<void> {
  const apps = (await reader.appsOf(user.id)).map((app) => ({ owner: user, app }));
  try {
    await gateway.setDeveloperStatus(user, isActive, apps);
  } catch (error) {
    // Who never had an app is not known there.
    if (!(error instanceof GatewayNotFoundError && apps.length === 0)) throw error;
  }
}

// Marked first: if the account then stays after all, its apps do not look as if the gateway still had them.
async function removeDeveloper({ database, gateway, reader, logger }: AppParts, user: UserRecord): Promise<void> {
  const apps = (await reader.appsOf(user.id)).filter(({ syncState }) => syncState === 'synced');
  const mark = async (state: SyncState): Promise<void> => {
    for (const { id } of apps)
      await database.execute('UPDATE portal_apps SET sync_state = ? WHERE id = ?', [state, id]);
  };
  await mark('deleting');
  try {
    await gateway.removeDeveloper(user);
  } catch (error) {
    await attempt(() => mark('synced'), logger);
    throw error;
  }
}
