import { sessionKey } from './web-session-store.js';
import type { RedisConnection } from './redis-connection.js';

/** The part of the `redis` client that a web session store uses, with that client's names and options. */
export interface SessionClient {
  get(id: string): Promise<string | null>;
  /** @returns null when the condition prevented the write */
  set(id: string, value: string, options: SetOptions): Promise<string | null>;
  del(ids: readonly string[]): Promise<number>;
}

export interface SetOptions {
  /** Seconds. */
  readonly expiration: { readonly type: 'EX'; readonly value: number };
  /** `NX`: only if absent. `XX`: only if present. */
  readonly condition: 'NX' | 'XX';
}

/**
 * Session client that fails fast while Redis is down. Ids are hashed here, as they leave the process: whatever a store
 * does with an id, reading Redis is not enough to take over a session.
 */
export function sessionClient(connection: RedisConnection): SessionClient {
  const name = (id: string): string => connection.key('session', sessionKey(id));
  return {
    get: async (id) => {
      const value = await connection.send(['GET', name(id)]);
      return typeof value === 'string' ? value : null;
    },
    set: async (id, value, { expiration, condition }) => {
      const command = ['SET', name(id), value, expiration.type, String(expiration.value), condition];
      return (await connection.send(command)) === null ? null : 'OK';
    },
    del: async (ids) => Number(await connection.send(['DEL', ...ids.map(name)])),
  };
}
