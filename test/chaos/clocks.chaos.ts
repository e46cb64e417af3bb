import { setTimeout as pause } from 'node:timers/promises';
import { findService } from '../support/binaries.js';
import { fakeTime, type FakeTime } from '../support/chaos/fake-time.js';
import { finding } from '../support/chaos/finding.js';
import { SIGN_UP_PASSWORD, SignUps, type SignedUp } from '../support/chaos/sign-ups.js';
import { describeWith } from '../support/describe-with.js';
import { TestClient, type Answer } from '../support/http-client.js';
import { metricsAt } from '../support/metrics.js';
import { freePort } from '../support/ports.js';
import { servePortal, type ServingPortal } from '../support/portal-process.js';
import { createProject, UNLIMITED, type Project } from '../support/project.js';
import { startBreakableRedis, type BreakableRedis } from '../support/redis.js';
import { dialectUnderTest } from '../support/test-database.js';

const HOUR = 3_600;
/** `limits.login.perAccountAndIp` */
const WINDOW_S = 60;
const ATTEMPTS = 5;
const APP = { url: 'http://portal.test' };

interface TimedPortal {
  readonly time: FakeTime;
  readonly serving: ServingPortal;
  readonly client: TestClient;
  readonly metricsPort: number;
}

/** A process with a clock of its own. */
async function serveAt(seconds: number, { cwd, env }: Project): Promise<TimedPortal> {
  const [time, metricsPort] = [fakeTime(seconds), await freePort()];
  const serving = await servePortal([], { cwd, env: { ...env, ...time.env, METRICS_PORT: String(metricsPort) } });
  await serving.printed('Ready');
  return { time, serving, client: TestClient.to(serving.url), metricsPort };
}

async function stop({ serving, time }: TimedPortal): Promise<void> {
  await serving.stop();
  time.remove();
}

const login = (client: TestClient, email: string, password = SIGN_UP_PASSWORD) =>
  client.post('/api/v1/auth/login', { email, password });
const refresh = (client: TestClient, token: string) => client.post('/api/v1/auth/refresh', { refresh_token: token });
const me = async (client: TestClient, token: string) => (await client.get('/api/v1/me', { token })).status;
const profile = async ({ page }: SignedUp, client: TestClient) =>
  (await page.copy(client).get('/portal/profile', { follow: false })).status;
const pair = ({ json }: Answer) => json.data as { access_token: string; refresh_token: string };
const waitOf = ({ headers }: Answer) => Number(headers.get('retry-after'));

/** Wrong passwords until the limit is met. @returns how many were looked at, and how long to stay away */
async function exhaust(clients: readonly TestClient[], email: string) {
  const answers: Answer[] = [];
  for (let attempt = 0; attempt <= ATTEMPTS; attempt += 1) {
    answers.push(await login(clients[attempt % clients.length] as TestClient, email, 'wrong'));
  }
  const evaluated = answers.filter(({ status }) => status === 401).length;
  const waits = answers.filter(({ status }) => status === 429).map(waitOf);
  return { evaluated, wait: waits[0] ?? -1 };
}

describeWith('faketime', 'a process whose clock jumps', () => {
  let project: Project;
  let portal: TimedPortal;
  beforeAll(async () => {
    const { ip } = UNLIMITED;
    project = await createProject(dialectUnderTest(), { app: APP, limits: { ip } });
    portal = await serveAt(0, project);
  }, 60_000);
  afterAll(async () => {
    await stop(portal);
    await project.remove();
  });

  it('R29: two hours on and three back crashes nothing, stretches no window and keeps the order of refresh tokens', async () => {
    const { client, time, serving } = portal;
    const person = await new SignUps([client]).next();
    const old = pair(await login(client, person.email));
    const other = await new SignUps([client], 'window').next();
    const first = await exhaust([client], other.email);
    expect(first.evaluated).toBe(ATTEMPTS);
    expect(first.wait).toBeGreaterThan(0);
    expect(first.wait).toBeLessThanOrEqual(WINDOW_S);

    time.set(2 * HOUR);
    expect((await client.get('/api/v1/health/ready')).status).toBe(200);
    // A quarter of an hour for the token, half an hour without a request for the session.
    expect([await me(client, old.access_token), await profile(person, client)]).toEqual([401, 303]);
    expect((await login(client, other.email)).status).toBe(200);
    const second = pair(await refresh(client, old.refresh_token));
    expect(await me(client, second.access_token)).toBe(200);

    time.set(-HOUR);
    expect((await client.get('/api/v1/health/ready')).status).toBe(200);
    const third = pair(await refresh(client, second.refresh_token));
    expect(await me(client, third.access_token)).toBe(200);
    const signedIn = await new SignUps([client], 'later').next();
    expect([await me(client, signedIn.token), await profile(signedIn, client)]).toEqual([200, 200]);
    const again = await exhaust([client], signedIn.email);
    expect(again.evaluated).toBe(ATTEMPTS);
    expect(again.wait).toBeGreaterThan(0);
    expect(again.wait).toBeLessThanOrEqual(WINDOW_S);
    // By the counter, not by the time: the newest is good, and the first was used long ago.
    const fourth = await refresh(client, third.refresh_token);
    expect(fourth.status).toBe(200);
    expect((await refresh(client, old.refresh_token)).status).toBe(401);
    expect((await refresh(client, pair(fourth).refresh_token)).status).toBe(401);
    expect(await me(client, pair(fourth).access_token)).toBe(401);

    expect(serving.process.exitCode).toBeNull();
    expect(serving.output()).not.toMatch(/"level":"(error|fatal)"/);
    finding(
      'R29',
      'clock of a process two hours on, then three back',
      `no error; Retry-After ${first.wait} s and ${again.wait} s of a window of ${WINDOW_S} s; sessions end and begin; refresh tokens by counter`,
    );
  }, 60_000);
});

describeWith('faketime', 'two processes whose clocks differ', () => {
  it.each([
    ['R30: by ten seconds work as one [fast]', 5],
    ['R30: by two minutes lock nobody out, and say so', 60],
  ])(
    '%s',
    async (_title, offset) => {
      const redis = findService('redis') === undefined ? null : await startBreakableRedis();
      const project = await sharedProject(redis);
      const [ahead, behind] = await Promise.all([serveAt(offset, project), serveAt(-offset, project)]);
      try {
        for (const [from, to] of [
          [ahead, behind],
          [behind, ahead],
        ] as const)
          await expectToWork(from.client, to.client, from === ahead ? 'ahead' : 'behind');
        const skews = redis === null && dialectUnderTest() === 'sqlite' ? [] : await skewsOf([ahead, behind]);
        for (const [index, skew] of skews.entries())
          expect(Math.abs(skew - (index === 0 ? offset : -offset))).toBeLessThan(3);
        const warnings = [ahead, behind].map(({ serving }) =>
          /the clock of this machine is wrong/.test(serving.output()),
        );
        expect(warnings).toEqual([ahead, behind].map(() => skews.length > 0 && offset > 10));
        finding(
          'R30',
          `clocks of two processes ${2 * offset} s apart`,
          `tokens, sessions and limits of one work at the other; portal_clock_skew_seconds ${skews.map((skew) => skew.toFixed(1)).join(' and ') || 'has nothing to compare with'}, ` +
            `${warnings.includes(true) ? 'warned of' : 'no warning'}`,
        );
      } finally {
        await Promise.all([ahead, behind].map(stop));
        await redis?.stop();
        await project.remove();
      }
    },
    60_000,
  );
});

async function sharedProject(redis: BreakableRedis | null): Promise<Project> {
  const shared = redis === null ? {} : { session: { store: 'redis' as const }, redis: { url: redis.url } };
  const limits = redis === null ? { store: 'database' as const } : {};
  return createProject(dialectUnderTest(), { app: APP, limits: { ...limits, ip: UNLIMITED.ip }, ...shared });
}

/** Everything that one of them gives out is good at the other. */
async function expectToWork(from: TestClient, to: TestClient, name: string): Promise<void> {
  const person = await new SignUps([from], name).next();
  expect([await me(to, person.token), await profile(person, to), await profile(person, from)]).toEqual([200, 200, 200]);
  let tokens = pair(await login(from, person.email));
  for (const client of [to, from, to]) {
    tokens = pair(await refresh(client, tokens.refresh_token));
    expect([await me(from, tokens.access_token), await me(to, tokens.access_token)]).toEqual([200, 200]);
  }
  const { evaluated, wait } = await exhaust([from, to], person.email);
  expect(evaluated).toBe(ATTEMPTS);
  expect(wait).toBeGreaterThan(0);
  expect(wait).toBeLessThanOrEqual(WINDOW_S);
}

/** Seconds that each believes to be ahead; readiness is what compares. */
async function skewsOf(portals: readonly TimedPortal[]): Promise<number[]> {
  return Promise.all(
    portals.map(async ({ client, metricsPort }) => {
      await pause(1_000);
      await client.get('/api/v1/health/ready');
      return metricsAt(metricsPort).read('portal_clock_skew_seconds');
    }),
  );
}
