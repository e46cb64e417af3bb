import { RedisStore } from 'connect-redis';
import type { SessionData } from 'express-session';
import type { SessionTimes, Timed } from './session-times.js';

interface SetOptions {
  readonly expiration: { readonly type: 'EX'; readonly value: number };
}

/** The part of a Redis client that the store uses; ids are keys. */
interface SessionClient {
  get(id: string): Promise<string | null>;
  set(id: string, value: string, options: SetOptions & { readonly condition: 'NX' | 'XX' }): Promise<string | null>;
  del(ids: readonly string[]): Promise<number>;
}

type Done = (error?: unknown, data?: unknown) => unknown;

/**
 * Web sessions in Redis. `RedisStore` writes unconditionally and would revive a session that ended during the request;
 * this one creates a session only if absent and updates it only if present (S39). The value also stores the expiry,
 * which is read by the portal's clock; the TTL of Redis only cleans up.
 */
export class RedisSessionStore extends RedisStore {
  /** Writes only if the key does not exist. */
  private readonly beginnings: RedisStore;

  constructor(
    client: SessionClient,
    private readonly times: SessionTimes,
  ) {
    const options = {
      prefix: '',
      serializer: serializerOf(times),
      ttl: (session: SessionData) => secondsOf(times, session),
    };
    super({ ...options, client: createWrite(client, 'XX') });
    this.beginnings = new RedisStore({ ...options, client: createWrite(client, 'NX') });
  }

  override async set(id: string, session: Timed, done: Done = passOn): Promise<unknown> {
    const afterSave: Done = (error, data) => {
      if (!error) this.times.markBegun(session);
      return done(error, data);
    };
    if (session.beganAt === undefined) return this.beginnings.set(id, session, afterSave);
    // Redis drops it a moment later, or much later if the portal's clock was corrected.
    return this.times.isOver(session) ? done(null) : super.set(id, session, afterSave);
  }

  override async touch(id: string, session: Timed, done: Done = passOn): Promise<unknown> {
    return this.times.isDue(session) ? this.set(id, session, done) : done(null);
  }
}

/** `1767225600000 {…}`: the end of the session, and the session. */
function serializerOf(times: SessionTimes) {
  return {
    stringify: (session: SessionData): string => {
      const { data, expiresAt } = times.stamp(session);
      return `${expiresAt.getTime()} ${data}`;
    },
    parse: (value: string): SessionData => {
      const end = value.indexOf(' ');
      // The declared type excludes an ended session, but express-session accepts null.
      const isOver = !(Number(value.slice(0, end)) > times.now);
      return (isOver ? null : JSON.parse(value.slice(end + 1))) as SessionData;
    },
  };
}

/** At least 1: `RedisStore` treats anything less as a request to end the session. */
function secondsOf(times: SessionTimes, session: SessionData): number {
  return Math.max(1, Math.ceil((times.stamp(session).expiresAt.getTime() - times.now) / 1000));
}

function createWrite(client: SessionClient, condition: 'NX' | 'XX') {
  return {
    get: (id: string) => client.get(id),
    del: (ids: readonly string[]) => client.del(ids),
    set: async (id: string, value: string, options: SetOptions): Promise<void> => {
      const isWritten = (await client.set(id, value, { ...options, condition })) !== null;
      // A changed session may have ended meanwhile, and must stay ended. A new one has an id that never existed.
      if (!isWritten && condition === 'NX') throw new Error('a web session was to begin under an id that is in use');
    },
  };
}

function passOn(error?: unknown): void {
  if (error) throw error instanceof Error ? error : new Error('the web session was not kept', { cause: error });
}
