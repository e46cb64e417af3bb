import { finding } from '../support/chaos/finding.js';
import { FLEET_PASSWORD, startFleet, type Fleet } from '../support/chaos/fleet.js';
import { Load, stopLoads, type Tally } from '../support/chaos/load.js';
import { describeWith } from '../support/describe-with.js';
import { PageClient } from '../support/page-client.js';

/** R07: nothing waits longer for Redis. */
const LIMIT_MS = 1_000;
const ATTEMPTS = 1_000;

describeWith('redis', 'two processes and a Redis that fails', () => {
  let fleet: Fleet;
  beforeAll(async () => {
    const unlimited = { max: 1_000_000 };
    fleet = await startFleet({ limits: { ip: { requests: unlimited, failingAccounts: unlimited } } });
  });
  afterEach(stopLoads);
  afterAll(() => fleet.stop());
  beforeEach(() => untilReady());

  async function untilReady(): Promise<number> {
    const start = performance.now();
    for (const client of fleet.clients) {
      while ((await client.get('/api/v1/health/ready')).status !== 200)
        await new Promise((done) => setTimeout(done, 50));
    }
    return performance.now() - start;
  }

  async function startLoad() {
    const { page, token } = await fleet.signUp();
    const load = new Load();
    for (const [index, client] of fleet.clients.entries()) {
      const browser = page.copy(client);
      load.add(`catalog ${index}`, 2, () => browser.get('/portal/products'));
      load.add(`profile ${index}`, 2, () => browser.get('/portal/profile', { follow: false }));
      load.add(`me ${index}`, 2, () => client.get('/api/v1/me', { token }));
      load.add(`live ${index}`, 1, () => client.get('/api/v1/health/live'));
      await load.until(`profile ${index}`, 200);
    }
    return load;
  }

  it.each([
    ['R07: killed', () => fleet.redis.kill(), () => fleet.redis.revive(), 303],
    ['R08: frozen', async () => fleet.redis.freeze(), async () => fleet.redis.thaw(), 200],
  ])(
    '%s under load: public pages and the API go on, nothing waits, and it mends by itself',
    async (name, breakIt, mendIt, after) => {
      const load = await startLoad();
      load.next();
      await breakIt();
      for (const index of [0, 1]) await load.until(`profile ${index}`, 503, 50);
      const without = load.next();
      await mendIt();
      expect(await untilReady()).toBeLessThan(5_000);
      load.next();
      for (const index of [0, 1]) await load.until(`profile ${index}`, after, 50);
      const back = await load.stop();
      for (const index of [0, 1]) {
        expectOnly(without[`catalog ${index}`], [200]);
        expectOnly(without[`me ${index}`], [200]);
        expectOnly(without[`live ${index}`], [200]);
        expectOnly(without[`profile ${index}`], [200, 503]);
        expectOnly(back[`catalog ${index}`], [200]);
      }
      const slowest = Math.max(...Object.values(without).map((tally) => tally.slowest));
      const [rule, fault] = name.split(': ');
      finding(
        String(rule),
        `Redis ${String(fault)} under load`,
        `public pages and API 200, slowest ${Math.round(slowest)} ms`,
      );
    },
  );

  function expectOnly(tally: Tally | undefined, statuses: number[]): void {
    expect(statuses.map(String)).toEqual(expect.arrayContaining(Object.keys(tally?.statuses ?? { none: 1 })));
    expect(tally?.slowest).toBeLessThan(LIMIT_MS);
  }

  it('R09: a thousand wrong logins with Redis killed in the middle are evaluated twice the limit at most, never 500', async () => {
    const counts: Record<number, number> = {};
    const attack = (times: number) =>
      Promise.all(
        Array.from({ length: times }, async (_, index) => {
          const client = fleet.clients[index % 2] ?? fleet.clients[0];
          const { status } = await client.post('/api/v1/auth/login', {
            email: 'victim@example.com',
            password: 'wrong',
          });
          counts[status] = (counts[status] ?? 0) + 1;
        }),
      );
    await attack(ATTEMPTS * 0.4);
    const dying = fleet.redis.kill();
    await attack(ATTEMPTS * 0.3);
    await dying;
    await fleet.redis.revive();
    await untilReady();
    await attack(ATTEMPTS * 0.3);
    expect(Object.keys(counts).sort()).toEqual(['401', '429']);
    expect(counts[401]).toBeGreaterThanOrEqual(5);
    expect(counts[401]).toBeLessThanOrEqual(10);
    finding(
      'R09',
      `Redis killed in the middle of ${ATTEMPTS} wrong logins`,
      `${counts[401]} evaluated (limit 5), no 500`,
    );
  });

  it('R10: eviction and a full Redis cost a sign-in, never a 500', async () => {
    const { page, email } = await fleet.signUp();
    const { redis } = fleet;
    await redis.ask('CONFIG', 'SET', 'maxmemory', '3mb');
    await redis.ask('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
    for (let number = 0; number < 400; number += 1) await redis.ask('SET', `flood:${number}`, 'x'.repeat(10_000));
    const evicted = await page.get('/portal/profile', { follow: false });
    expect([200, 303]).toContain(evicted.status);
    await redis.ask('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
    await redis.ask('CONFIG', 'SET', 'maxmemory', '1');
    const full = new PageClient(fleet.clients[0]);
    expect((await full.submit('/portal/login', { email, password: FLEET_PASSWORD })).status).toBe(503);
    await redis.ask('FLUSHALL');
    await redis.ask('CONFIG', 'SET', 'maxmemory', '0');
    await full.submit('/portal/login', { email, password: FLEET_PASSWORD }, { follow: false });
    expect((await full.get('/portal/profile', { follow: false })).status).toBe(200);
    const warned = fleet.replicas.map((replica) => replica.output());
    for (const output of warned) expect(output).not.toMatch(/"level":"fatal"/);
    finding('R10', 'Redis evicting, then full', 'signing in 503 while full, signed in again afterwards, no 500');
  });
});
