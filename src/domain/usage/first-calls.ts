import type { Database } from '../../database/index.js';
import { appRecord } from '../apps/index.js';
import { slices } from './slices.js';

/**
 * Notes with apps when they were first let through; one that is noted stays. Call it after the transaction that counts, so that
 * one that waits keeps no app locked; a note that is lost then is made with the next calls.
 */
export async function noteFirstCalls(
  database: Database,
  allowed: readonly { readonly appId: number; readonly lastAt: number }[],
): Promise<void> {
  const first = new Map<number, number>();
  for (const { appId, lastAt } of allowed) first.set(appId, Math.min(lastAt, first.get(appId) ?? lastAt));
  const appsAt = new Map<number, number[]>();
  for (const [id, time] of first) appsAt.set(time, [...(appsAt.get(time) ?? []), id]);
  for (const [time, ids] of appsAt) {
    for (const id of slices(ids)) {
      await appRecord.update(database, { id, firstCalledAt: null }, { firstCalledAt: new Date(time) });
    }
  }
}
