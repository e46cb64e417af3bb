import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { folderWith, SECRETS } from '../config/support.js';
import { prepareMariaDb, type BreakableMariaDb } from '../support/chaos/breakable-mariadb.js';
import { finding } from '../support/chaos/finding.js';
import { Load, statusesOf, stopLoads } from '../support/chaos/load.js';
import { describeWith } from '../support/describe-with.js';
import { TestClient } from '../support/http-client.js';
import { servePortal, spawnPortal } from '../support/portal-process.js';

const CONFIG = { 'portal.config.js': "export default { app: { env: 'test' } };", 'package.json': '{"type":"module"}' };

describe('R04: a portal that starts [fast]', () => {
  it('tells all faults of its settings at once and ends with 78', async () => {
    const env = {
      APP_ENV: 'production',
      APP_URL: 'https://portal.test',
      APP_KEY: 'short',
      PORTAL_API_JWT_SECRET: 'secret',
      DATABASE_URL: 'postgres://nowhere/portal',
      SERVER_PORT: '99999',
      LIMITS_STORE: 'redis',
    };
    const { exitCode, stderr } = await spawnPortal(['serve'], { cwd: await folderWith(CONFIG), env });
    expect(exitCode).toBe(78);
    const wrong = ['app.key', 'portalApi.jwtSecret', 'database.url', 'server.port', 'redis.url'];
    for (const name of wrong) expect(stderr).toContain(name);
    expect(stderr).not.toContain('    at ');
    finding('R04', `${wrong.length} settings wrong at the start`, `all ${wrong.length} in one list, exit code 78`);
  });

  it('asks a database that stays away later and later, and gives up with 1', async () => {
    const asked: number[] = [];
    const refusing = createServer((socket) => {
      asked.push(performance.now());
      socket.destroy();
    }).listen(0, '127.0.0.1');
    await once(refusing, 'listening');
    const { port } = refusing.address() as AddressInfo;
    const env = { ...SECRETS, DATABASE_URL: `mysql://portal@127.0.0.1:${port}/portal`, DATABASE_START_WAIT: '6' };
    const start = performance.now();
    const { exitCode } = await spawnPortal(['serve', '--port', '0'], { cwd: await folderWith(CONFIG), env });
    const seconds = (performance.now() - start) / 1000;
    refusing.close();
    const pauses = asked.slice(1).map((at, index) => at - (asked[index] ?? 0));
    expect(exitCode).toBe(1);
    expect(seconds).toBeGreaterThan(6);
    expect(asked.length).toBeLessThan(60);
    expect(Math.max(...pauses.slice(-3))).toBeGreaterThan(2 * Math.min(...pauses.slice(0, 3)));
    finding(
      'R04',
      'no database for the whole of database.startWait (6 s)',
      `asked ${asked.length} times, gave up with exit code 1 after ${seconds.toFixed(1)} s`,
    );
  }, 30_000);
});

describeWith('mariadb', 'R04: a portal that starts before its MariaDB [fast]', () => {
  let mariadb: BreakableMariaDb;
  beforeAll(async () => {
    mariadb = await prepareMariaDb();
  }, 60_000);
  afterEach(stopLoads);
  afterAll(() => mariadb.stop());

  it('is alive, answers nothing but 503 until the migrations are found done, and then serves', async () => {
    const cwd = await folderWith(CONFIG);
    const env = { ...SECRETS, DATABASE_URL: mariadb.url };
    const serving = await servePortal([], { cwd, env });
    await serving.printed('Trying for 60 s.');
    const client = TestClient.to(serving.url);
    const load = new Load();
    load.add('catalog', 1, () => client.get('/api/v1/api-products'));
    load.add('ready', 1, () => client.get('/api/v1/health/ready'));
    load.add('live', 1, () => client.get('/api/v1/health/live'));
    await mariadb.revive();
    await serving.printed('migrations are pending');
    await load.until('catalog', 503, 5);
    const { live, ...before } = load.next();
    const migrating = spawnPortal(['migrate'], { cwd, env });
    expect((await migrating).exitCode).toBe(0);
    const migratedAt = performance.now();
    await serving.printed('Ready.');
    const readyAfter = performance.now() - migratedAt;
    await load.until('catalog', 200, 5);
    const after = await load.stop();
    expect(statusesOf(before)).toEqual(['503']);
    expect(Object.keys(live?.statuses ?? {})).toEqual(['200']);
    expect(['200', '503']).toEqual(expect.arrayContaining(statusesOf(after)));
    expect(readyAfter).toBeLessThan(5_000);
    expect(await serving.stop()).toBe(0);
    finding(
      'R04',
      'portal started before MariaDB, and before its migrations',
      `alive, 503 until the migrations were done, then ready within ${Math.round(Math.max(readyAfter, 0))} ms`,
    );
  }, 60_000);
});
