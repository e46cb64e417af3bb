import { sessionKey } from '../web-session-store.js';
import type { RedisLink } from './redis-link.js';

/** The part of the `redis` client that a store of web sessions asks, under the names and options of that client. */
export interface SessionClient {
  get(id: string): Promise<string | null>;
  /** @returns null when the condition kept it from being written */
  set(id: string, value: string, options: SetOptions): Promise<string | null>;
  del(ids: readonly string[]): Promise<number>;
}

export interface SetOptions {
  /** Seconds. */
  readonly expiration: { readonly type: 'EX'; readonly value: number };
  /** `NX`: only what is not there. `XX`: only what is. */
  readonly condition: 'NX' | 'XX';
}

/**
 * Web sessions by the way that fails at once while Redis is away. Ids are hashed here, where they leave the process: whatever a
 * store does with an id, who reads Redis cannot take a session over.
 */
export function sessionClient(link: RedisLink): SessionClient {
  const name = (id: string): string => link.key('session', sessionKey(id));
  return {
    get: async (id) => {
      const value = await link.send(['GET', name(id)]);
      return typeof value === 'string' ? value : null;
    },
    set: async (id, value, { expiration, condition }) => {
      const command = ['SET', name(id), value, expiration.type, String(expiration.value), condition];
      return (await link.send(command)) === null ? null : 'OK';
    },
    del: async (ids) => Number(await link.send(['DEL', ...ids.map(name)])),
  };
}
