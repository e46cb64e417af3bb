import type { SessionData, Store } from 'express-session';
import { DatabaseWebSessions, MemoryWebSessions, RedisConnection, sessionClient } from '../../src/cache/index.js';
import { silentLogger } from '../../src/core/index.js';
import { RedisSessionStore, RowSessionStore, SessionTimes } from '../../src/theme/index.js';
import { describeWith } from '../support/describe-with.js';
import { FakeClock } from '../support/fake-clock.js';
import { startRedis } from '../support/services.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const IDLE = 1_800;
const ABSOLUTE = 43_200;
const clock = new FakeClock();
const times = new SessionTimes({ idle: IDLE, absolute: ABSOLUTE }, clock);

interface Data extends SessionData {
  sid?: string;
}

let count = 0;
/** A store as express-session asks it, with promises. */
function asked(store: Store) {
  const done = <T>(ask: (callback: (error: unknown, result?: T | null) => void) => void) =>
    new Promise<T | null>((resolve, reject) => {
      ask((error, result) => {
        if (error) reject(error instanceof Error ? error : new Error(String(error)));
        else resolve(result ?? null);
      });
    });
  return {
    get: (id: string) => done<Data>((callback) => store.get(id, callback)),
    set: (id: string, session: Data) => done((callback) => store.set(id, session, callback)),
    touch: (id: string, session: Data) => done((callback) => store.touch?.(id, session, callback as () => void)),
    destroy: (id: string) => done((callback) => store.destroy(id, callback)),
    begin: async (): Promise<{ id: string; session: Data }> => {
      count += 1;
      const [id, session] = [`session ${count}`, { sid: 'a sign-in' } as Data];
      await done((callback) => store.set(id, session, callback));
      return { id, session };
    },
  };
}

function describeStore(name: string, store: () => Store): void {
  describe(name, () => {
    it('keeps a session, takes changes of it, and forgets it', async () => {
      const { begin, get, set, destroy } = asked(store());
      const { id, session } = await begin();
      expect(await get(id)).toMatchObject({ sid: 'a sign-in' });
      await set(id, Object.assign(session, { sid: 'another' }));
      expect(await get(id)).toMatchObject({ sid: 'another' });
      await destroy(id);
      expect(await get(id)).toBeNull();
      expect(await get('nobody’s')).toBeNull();
    });

    it('leaves one that was ended ended, however late a request writes or touches it (S39)', async () => {
      const { begin, get, set, touch, destroy } = asked(store());
      const { id } = await begin();
      const [late, touched] = [await get(id), await get(id)];
      clock.advance(61);
      await destroy(id);
      await set(id, late as Data);
      expect(await get(id)).toBeNull();
      await touch(id, touched as Data);
      expect(await get(id)).toBeNull();
    });

    it('leaves one that has expired so, however early the request began that writes or touches it', async () => {
      const { begin, get, set, touch } = asked(store());
      const { id } = await begin();
      clock.advance(IDLE - 1);
      const [late, touched] = [await get(id), await get(id)];
      expect(late).not.toBeNull();
      clock.advance(1);
      expect(await get(id)).toBeNull();
      await touch(id, touched as Data);
      await set(id, late as Data);
      expect(await get(id)).toBeNull();
    });

    it('goes on with one that is used, once a minute, and ends it in any case after twelve hours (S38)', async () => {
      const { begin, get, touch } = asked(store());
      const { id } = await begin();
      const first = await get(id);
      clock.advance(59);
      await touch(id, first as Data);
      expect(await get(id)).toEqual(first);
      let used = first;
      for (let passed = 59; passed < ABSOLUTE - 600; passed += 600) {
        expect([passed, used !== null]).toEqual([passed, true]);
        await touch(id, used as Data);
        clock.advance(600);
        used = await get(id);
      }
      clock.advance(600);
      await touch(id, used as Data);
      expect(await get(id)).toBeNull();
    });
  });
}

describeStore('web sessions in memory', () => new RowSessionStore(new MemoryWebSessions(clock), times));

let test: TestPortal;
beforeAll(async () => {
  test = await startTestPortal();
});
afterAll(() => test.stop());
describeStore('web sessions in the database', () => {
  const rows = new DatabaseWebSessions({ database: test.portal.database, clock });
  return new RowSessionStore(rows, times);
});

describeWith('redis', 'web sessions in a Redis', () => {
  let redis: Awaited<ReturnType<typeof startRedis>>;
  let connection: RedisConnection;
  beforeAll(async () => {
    redis = await startRedis();
    const config = { url: `redis://127.0.0.1:${redis.port}`, prefix: 'portal:', timeout: 5_000 };
    connection = new RedisConnection({ config, logger: silentLogger });
  });
  afterAll(async () => {
    await connection.close();
    await redis.stop();
  });
  const store = () => new RedisSessionStore(sessionClient(connection), times);

  describeStore('web sessions in Redis', store);

  it('keeps them under hashes of their ids, which end by themselves', async () => {
    const { begin } = asked(store());
    const { id } = await begin();
    const keys = (await connection.send(['KEYS', '*'])) as string[];
    expect(keys.every((key) => /^portal:session:[0-9a-f]{64}$/.test(key))).toBe(true);
    expect(keys.join()).not.toContain(id);
    const lives = await Promise.all(keys.map((key) => connection.send(['TTL', key])));
    expect(lives.every((life) => Number(life) > 0 && Number(life) <= IDLE)).toBe(true);
  });

  it('begins none under an id that is in use, and says so', async () => {
    const { begin, get, set } = asked(store());
    const { id } = await begin();
    await expect(set(id, { sid: 'a thief' } as Data)).rejects.toThrow('under an id that is in use');
    expect(await get(id)).toMatchObject({ sid: 'a sign-in' });
  });

  it('does not bring a late write back in the moment between the end and another beginning', async () => {
    const { begin, get, set, destroy } = asked(store());
    const { id, session } = await begin();
    await Promise.all([destroy(id), ...Array.from({ length: 20 }, () => set(id, { ...session }))]);
    expect(await get(id)).toBeNull();
  });
});

describe('a Redis that does not answer', () => {
  it('is told to whoever asked, by every method', async () => {
    const away = () => Promise.reject(new Error('Redis is away'));
    const { begin, get, set, touch, destroy } = asked(
      new RedisSessionStore({ get: away, set: away, del: away }, times),
    );
    const beganAt = clock.now().getTime() - 61_000;
    const known = { sid: 'x', beganAt, writtenAt: beganAt } as unknown as Data;
    for (const ask of [begin, () => get('a'), () => set('a', known), () => touch('a', known), () => destroy('a')]) {
      await expect(ask()).rejects.toThrow('Redis is away');
    }
  });
});
