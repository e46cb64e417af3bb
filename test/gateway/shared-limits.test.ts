import type { PlanLimits } from '../../src/domain/catalog/index.js';
import { createLogger } from '../../src/core/index.js';
import { AdminClient } from '../support/admin-client.js';
import { Developer, verify } from '../support/apps.js';
import { describeWith } from '../support/describe-with.js';
import { createPlan, createProduct } from '../support/factories.js';
import { startReplicas, type Replicas } from '../support/replicas.js';
import { createTeam } from '../support/teams.js';
import type { TestPortal } from '../support/test-portal.js';
import { flushUsage } from '../support/usage.js';

const FLUSH_S = 5;

describeWith('redis', 'limits of plans over two replicas with Redis', () => {
  let replicas: Replicas;
  let ada: Developer;
  let count = 0;
  const log: string[] = [];
  beforeAll(async () => {
    const logger = createLogger('warn', { write: (line) => void log.push(line) });
    replicas = await startReplicas({ logger, replicas: 1 });
    ada = await Developer.create(replicas.one);
  });
  afterAll(() => replicas.stop());
  beforeEach(async () => {
    count += 1;
    await ada.signInAgain();
  });
  afterEach(() => replicas.redis.mend());

  async function limited(limits: Partial<PlanLimits>) {
    const product = `shared-${count}`;
    await createPlan(replicas.one, { slug: `${product}-plan` }, limits);
    await createProduct(replicas.one, { slug: product, plans: [`${product}-plan`] });
    const { id, key } = await ada.createApp(product, [product]);
    return { product, id, ask: (portal: TestPortal) => verify(portal, key, product) };
  }
  type Ask = Awaited<ReturnType<typeof limited>>['ask'];

  /** So many calls, to both in turn, by so many clients at once; how many of them passed. */
  async function passedOf(calls: number, ask: Ask, clients = 25): Promise<number> {
    let [next, passed] = [0, 0];
    const client = async () => {
      while (next < calls) {
        next += 1;
        const { status } = await ask(next % 2 ? replicas.one : replicas.two);
        if (status === 200) passed += 1;
      }
    };
    await Promise.all(Array.from({ length: clients }, client));
    return passed;
  }
  const flush = async () => {
    await flushUsage(replicas.one);
    await flushUsage(replicas.two);
  };
  it('let exactly as many calls pass as the quota says, whoever is asked', async () => {
    const { ask } = await limited({ quotaPerDay: 300 });
    expect(await passedOf(450, ask)).toBe(300);
  });

  it('let exactly as many calls of two apps of a team pass as the quota says that they share', async () => {
    const { product } = await limited({ quotaPerDay: 150, ratePerMinute: 1_000, isShared: true });
    const { one } = replicas;
    const { teams, apps } = { ...one.portal.services.teams, ...one.portal.services.apps };
    const owner = await teams.accountOf(await createTeam(one, ada.user));
    const made = async (name: string) =>
      apps.create(owner, { name, products: [product] }, { type: 'developer', id: ada.user.id });
    const keys = [await made('one'), await made('two')].map((app) => app.credentials?.[0]?.key?.consumerKey ?? '');
    let turn = 0;
    const ask: Ask = (portal) => verify(portal, keys[Math.floor((turn += 1) / 2) % 2] ?? '', product);
    expect(await passedOf(250, ask)).toBe(150);
  });

  it('share the rate: a burst over both is that of one', async () => {
    const { ask } = await limited({ ratePerMinute: 20 });
    expect(await passedOf(60, ask)).toBe(20);
    replicas.one.clock.advance(60 + 30);
    expect(await passedOf(60, ask)).toBe(10);
  });

  it('go by another plan from the next call on, on every replica', async () => {
    const { product, id, ask } = await limited({ quotaPerDay: 1 });
    await createPlan(replicas.one, { slug: `${product}-pro` }, { quotaPerDay: 3 });
    const admin = await AdminClient.create(replicas.one);
    await admin.put(`/products/${product}/plans`, { plans: [`${product}-plan`, `${product}-pro`] });
    const change = (plan: string) => ada.put(`/${product}/credentials/${id}/products/${product}/plan`, { plan });
    expect(await passedOf(3, ask, 1)).toBe(1);
    await change(`${product}-pro`);
    expect((await ask(replicas.two)).status).toBe(200);
    expect((await ask(replicas.one)).status).toBe(200);
    expect((await ask(replicas.two)).status).toBe(403);
    await change(`${product}-plan`);
    expect((await ask(replicas.two)).status).toBe(403);
  });

  it('are taken up from the database when Redis comes back empty', async () => {
    const { ask } = await limited({ quotaPerDay: 100 });
    expect(await passedOf(60, ask)).toBe(60);
    await flush();
    expect(await passedOf(7, ask)).toBe(7);
    await replicas.redis.ask('FLUSHALL');
    // The seven that nobody had written yet may be made once more, and no others.
    const passed = await passedOf(120, ask);
    expect(passed).toBeGreaterThanOrEqual(33);
    expect(passed).toBeLessThanOrEqual(40);
  });

  it('count what was called without it when Redis answers again with what it knew', async () => {
    const { ask } = await limited({ quotaPerDay: 100 });
    expect(await passedOf(30, ask)).toBe(30);
    await flush();
    // It is full: it reads, and refuses to write.
    await replicas.redis.ask('CONFIG', 'SET', 'maxmemory', '1');
    expect(await passedOf(30, ask)).toBe(30);
    await replicas.redis.ask('CONFIG', 'SET', 'maxmemory', '0');
    await flush();
    // Once in a flush each replica compares, beside a call that does not wait for it.
    for (let round = 0; round < 3; round += 1) {
      await ask(replicas.one);
      replicas.one.clock.advance(FLUSH_S);
      await flush();
    }
    const passed = await passedOf(200, ask);
    expect(passed).toBeGreaterThanOrEqual(37);
    expect(passed).toBeLessThanOrEqual(38);
  });

  it('are held by each replica for itself while Redis is dead, and nobody is refused for that', async () => {
    const { ask } = await limited({ quotaPerDay: 100 });
    expect(await passedOf(40, ask)).toBe(40);
    await flush();
    await replicas.redis.kill();
    log.length = 0;
    // Each of them knows of the forty, and of its own.
    expect(await passedOf(40, ask)).toBe(40);
    expect(await passedOf(200, ask)).toBeLessThanOrEqual(20 + 40 + 60);
    expect(log.filter((line) => line.includes('by this process alone')).length).toBeLessThanOrEqual(2);
    await flush();
    replicas.one.clock.advance(2 * FLUSH_S);
    expect(await passedOf(10, ask)).toBe(0);
  });
});
