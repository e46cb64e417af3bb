import { ConflictError } from '../../../core/index.js';
import type { Transaction } from '../../../database/index.js';
import { credentialRecord } from '../credential/credential.js';
import type { AppParts } from '../app-parts.js';
import { appRecord } from './app.js';

type RoomParts = Pick<AppParts, 'database' | 'ownerLimits'>;

/**
 * Refuses what a team has no room for, counted under the lock of the team, so that parallel requests never exceed its limits. A
 * person has no such limits.
 * @param more apps and keys that are about to come
 * @throws ConflictError on `app` or `credentials`
 */
export async function requireOwnerRoom(
  { database, ownerLimits }: RoomParts,
  userId: number,
  more: { readonly apps: number; readonly keys: number },
  transaction: Transaction,
): Promise<void> {
  const limits = await ownerLimits.lockLimitsOf(userId, transaction);
  if (limits === null) return;
  const apps = await appRecord.findAll(database, { userId }, { only: ['id'], transaction });
  if (more.apps > 0 && apps.length + more.apps > limits.apps) {
    throw new ConflictError({ errors: { app: [`The team has at most ${limits.apps} apps.`] } });
  }
  if (more.keys === 0 || (apps.length === 0 && more.keys <= limits.keys)) return;
  const where = { appId: apps.map(({ id }) => id), replacedBy: null };
  if ((await credentialRecord.count(database, where, transaction)) + more.keys <= limits.keys) return;
  throw new ConflictError({ errors: { credentials: [`The team has at most ${limits.keys} keys.`] } });
}
