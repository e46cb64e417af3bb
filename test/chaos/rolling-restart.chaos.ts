import { setTimeout as pause } from 'node:timers/promises';
import { findService } from '../support/binaries.js';
import { startDocumented, type BalancerName } from '../support/chaos/documented-proxy.js';
import { finding } from '../support/chaos/finding.js';
import { insertProductBeside } from '../support/insert-product.js';
import { PacedLoad, percentile, type Measured } from '../support/chaos/paced-load.js';
import { SignUps } from '../support/chaos/sign-ups.js';
import { addTraffic } from '../support/chaos/traffic.js';
import { describeWith } from '../support/describe-with.js';
import { TestClient } from '../support/http-client.js';
import { freePort } from '../support/ports.js';
import { servePortal, type ServingPortal } from '../support/portal-process.js';
import type { PrivateService } from '../support/private-process.js';
import { createProject, UNLIMITED, type Project } from '../support/project.js';
import { startBreakableRedis, type BreakableRedis } from '../support/redis.js';
import { dialectUnderTest } from '../support/test-database.js';

const RESTARTS = Number(process.env.PORTAL_CHAOS_RESTARTS ?? 5);
/** Requests a second, through both balancers together. */
const RATE = Number(process.env.PORTAL_CHAOS_RATE ?? 100);
/** As in production. Seconds. */
const DRAIN_DELAY = 3;
/** Of a health check that finds a replica again. */
const SEEN_AFTER_MS = 500;
const PRODUCT = 'payments';

describeWith('haproxy', 'two replicas behind load balancers', () => {
  describeWith('nginx', 'that are restarted one after the other', () => {
    describe.each([
      ['one process each', 1],
      ['two workers each', 2],
    ])('(%s)', (name, workers) => {
      let site: Site;
      beforeAll(async () => (site = await startSite(workers)), 60_000);
      afterAll(() => site.stop());

      it(`R03: ${RESTARTS} times each under load fail no request, read or write, behind haproxy and nginx`, async () => {
        const load = new PacedLoad();
        const { haproxy, nginx } = site.clients;
        const person = await new SignUps([haproxy, nginx]).next();
        addTraffic(load, { name: 'haproxy', client: haproxy, person, product: PRODUCT, times: RATE / 100 });
        addTraffic(load, { name: 'nginx', client: nginx, person, product: PRODUCT, times: RATE / 100 });
        await pause(1_000);
        for (let round = 0; round < RESTARTS; round += 1) {
          for (const index of [0, 1]) {
            expect(await site.restart(index)).toBe(0);
            await pause(SEEN_AFTER_MS);
          }
        }
        const measured = await load.stop();
        const failed = Object.entries(measured).filter(([, { faults }]) => faults.length > 0);
        expect(failed.map(([kind, { statuses, faults }]) => [kind, statuses, faults])).toEqual([]);
        const store = `${dialectUnderTest() === 'mysql' ? 'MariaDB' : 'SQLite'}${site.hasRedis ? ' and Redis' : ''}`;
        for (const balancer of ['haproxy', 'nginx'])
          finding(
            'R03',
            `two replicas (${name}) behind ${balancer}, each restarted ${RESTARTS} times under load (${store})`,
            summaryOf(
              Object.entries(measured)
                .filter(([kind]) => kind.startsWith(balancer))
                .map(([, of]) => of),
            ),
          );
      }, 180_000);
    });
  });
});

function summaryOf(kinds: readonly Measured[]): string {
  const times = kinds.flatMap((kind) => kind.times);
  return `0 of ${times.length} requests failed, p99 ${Math.round(percentile(times, 0.99))} ms`;
}

interface Site {
  readonly hasRedis: boolean;
  readonly clients: Readonly<Record<BalancerName, TestClient>>;
  /** @returns the exit code of the process that ended */
  restart(index: number): Promise<number | string>;
  stop(): Promise<void>;
}

async function startSite(workers: number): Promise<Site> {
  const redis = findService('redis') === undefined ? null : await startBreakableRedis();
  const project = await siteProject(redis);
  const ports = [await freePort(), await freePort()];
  const serve = async (index: number) => {
    const args = ['--port', String(ports[index]), '--workers', String(workers)];
    const serving = await servePortal(args, project);
    await serving.printed('Ready');
    return serving;
  };
  const replicas: ServingPortal[] = await Promise.all([serve(0), serve(1)]);
  const balancers: PrivateService[] = [await startDocumented('haproxy', ports), await startDocumented('nginx', ports)];
  const [haproxy, nginx] = balancers.map(({ port }) => TestClient.to(`http://127.0.0.1:${port}`)) as [
    TestClient,
    TestClient,
  ];
  return {
    hasRedis: redis !== null,
    clients: { haproxy, nginx },
    restart: async (index) => {
      const code = await replicas[index]?.stop();
      replicas[index] = await serve(index);
      return code ?? 'none';
    },
    stop: async () => {
      await Promise.all(balancers.map((balancer) => balancer.stop()));
      await Promise.all(replicas.map((replica) => replica.stop()));
      await redis?.stop();
      await project.remove();
    },
  };
}

async function siteProject(redis: BreakableRedis | null): Promise<Project> {
  const shared = redis === null ? {} : ({ session: { store: 'redis' }, redis: { url: redis.url } } as const);
  const project = await createProject(dialectUnderTest(), {
    app: { url: 'http://127.0.0.1', trustProxy: 1 },
    server: { drainDelay: DRAIN_DELAY },
    limits: { ...UNLIMITED, forgotPassword: { perAccount: 1_000_000, perIp: 1_000_000 } },
    ...shared,
  });
  await insertProductBeside(project.databaseUrl, PRODUCT);
  return project;
}
