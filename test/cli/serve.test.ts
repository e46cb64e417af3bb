import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { folderWith, SECRETS } from '../config/support.js';
import { describeWithMariaDb } from '../support/databases.js';
import { createMariaDbDatabase } from '../support/mariadb.js';
import { freePort } from '../support/ports.js';
import { portal } from '../support/portal-command.js';
import { servePortal, spawnPortal, type ServingPortal } from '../support/portal-process.js';
import { startTcpProxy } from '../support/tcp-proxy.js';

const ENV = { ...SECRETS, DATABASE_URL: 'sqlite:storage/test.sqlite' };

/** Routes of a host that misbehaves in the ways that a process has to survive, or not. */
const ROUTES = `
import { defineRoute, Joi } from 'portalkit';

const open = { method: 'get', context: 'consumer', auth: 'none', tag: 'Test', reply: { 200: Joi.object() } } as const;

export const routes = () => [
  defineRoute({ ...open, path: '/greeting', operation: 'greet', summary: 'Greet', handle: () => ({ text: 'GREETING' }) }),
  defineRoute({
    ...open, path: '/slow', operation: 'beSlow', summary: 'Answer late',
    handle: async () => { console.log('slow began'); await new Promise((done) => setTimeout(done, 1200)); return {}; },
  }),
  defineRoute({
    ...open, path: '/stuck', operation: 'beStuck', summary: 'Never answer',
    handle: () => { console.log('stuck began'); return new Promise(() => undefined); },
  }),
  defineRoute({ ...open, path: '/throw', operation: 'fail', summary: 'Fail', handle: () => { throw new Error('the handler failed'); } }),
  defineRoute({
    ...open, path: '/throw-later', operation: 'failLater', summary: 'Fail in the middle',
    handle: async () => { await null; throw new Error('the handler failed'); },
  }),
  defineRoute({
    ...open, path: '/late-throw', operation: 'throwLate', summary: 'Fail after the answer',
    handle: () => { setImmediate(() => void Promise.reject(new Error('nobody waits for me'))); return {}; },
  }),
];
`;
const CONFIG = `
import { defineConfig } from 'portalkit';
import { routes } from './src/routes.js';

export default defineConfig({ app: { env: 'development' }, routes });
`;

const project = () => folderWith({ 'portal.config.ts': CONFIG, 'src/routes.ts': ROUTES });
const status = async ({ url }: ServingPortal, path: string) => (await fetch(`${url}/api/v1${path}`)).status;

describe('portal serve', () => {
  let cwd: string;
  beforeAll(async () => {
    cwd = await project();
  });

  it('R04: never migrates by itself: alive, not ready, and it names the command; ready once somebody did', async () => {
    const serving = await servePortal([], { cwd, env: ENV });
    await serving.printed('migrations are pending. Run portal migrate, or start with --migrate.');
    expect(await status(serving, '/health/live')).toBe(200);
    expect(await status(serving, '/health/ready')).toBe(503);
    expect((await portal(['migrate'], { cwd, env: ENV })).exitCode).toBe(0);
    await serving.printed('Ready.');
    expect(await status(serving, '/health/ready')).toBe(200);
    expect(await serving.stop()).toBe(0);
  });

  it('serves the routes of the project, in TypeScript', async () => {
    const serving = await servePortal([], { cwd, env: ENV });
    const answer = await fetch(`${serving.url}/api/v1/greeting`);
    expect(await answer.json()).toMatchObject({ success: true, data: { text: 'GREETING' } });
    expect(await serving.stop()).toBe(0);
  });

  it('lets a running request finish after SIGTERM and ends with 0 (R03)', async () => {
    const serving = await servePortal([], { cwd, env: ENV });
    const slow = fetch(`${serving.url}/api/v1/slow`);
    await serving.printed('slow began');
    const ended = serving.stop();
    expect((await slow).status).toBe(200);
    expect(await ended).toBe(0);
    expect(serving.output()).toContain('SIGTERM: letting running requests finish.');
  });

  it('ends at once with 1 at a second signal (R03)', async () => {
    const serving = await servePortal([], { cwd, env: ENV });
    const stuck = fetch(`${serving.url}/api/v1/stuck`).catch(() => 'cut off');
    await serving.printed('stuck began');
    serving.process.kill('SIGINT');
    await serving.printed('SIGINT: letting');
    // A second signal within a quarter second is the echo of the same Ctrl-C.
    const again = setInterval(() => serving.process.kill('SIGINT'), 100);
    expect(await serving.ended).toBe(1);
    clearInterval(again);
    expect(await stuck).toBe('cut off');
    expect(serving.output()).toContain('SIGINT: letting running requests finish. A second signal ends at once.');
    expect(serving.output()).toContain('SIGINT again: ending at once, requests that run are cut off.');
  });

  it('survives a handler that throws, at once or later: 500 without a word of it (R26)', async () => {
    const serving = await servePortal([], { cwd, env: ENV });
    for (const path of ['/throw', '/throw-later']) {
      const answer = await fetch(`${serving.url}/api/v1${path}`);
      expect([answer.status, await answer.text()]).toEqual([500, expect.not.stringContaining('the handler failed')]);
    }
    expect(await status(serving, '/health/ready')).toBe(200);
    expect(await serving.stop()).toBe(0);
    // The log is written beside the answers; by the end of the process all of it is there.
    expect(serving.output().match(/"level":"error".*the handler failed/g)).toHaveLength(2);
  });

  it('says what nobody handled, turns away, lets requests finish and ends with 1 in five seconds, not 25 (R26)', async () => {
    const serving = await servePortal([], { cwd, env: { ...ENV, SERVER_DRAIN_DELAY: '4' } });
    const slow = fetch(`${serving.url}/api/v1/slow`);
    const stuck = fetch(`${serving.url}/api/v1/stuck`).catch(() => 'cut off');
    await serving.printed('stuck began');
    const began = performance.now();
    expect(await status(serving, '/late-throw')).toBe(200);
    await serving.printed('"level":"fatal"');
    expect(await status(serving, '/health/ready')).toBe(503);
    expect((await slow).status).toBe(200);
    expect(await stuck).toBe('cut off');
    expect(await serving.ended).toBe(1);
    expect(performance.now() - began).toBeLessThan(20_000);
    expect(serving.output()).toMatch(/"level":"fatal".*nobody waits for me/);
  });

  it('migrates first with --migrate', async () => {
    const env = { ...ENV, DATABASE_URL: 'sqlite:storage/other.sqlite' };
    const serving = await servePortal(['--migrate'], { cwd, env });
    await serving.printed('Ready.');
    expect(await serving.stop()).toBe(0);
    expect(serving.output()).toContain('Migrating 20260101000100-create-users');
  });

  it('speaks in lines of the log in production', async () => {
    const production = { APP_ENV: 'production', APP_URL: 'https://portal.example.com', APP_TRUST_PROXY: '1' };
    const env = { ...ENV, ...production };
    const port = String(await freePort());
    const serving = await servePortal(['--port', port], { cwd, env });
    await serving.printed('Ready.');
    const lines = serving.output().trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { level: string }).level)).not.toContain('error');
    expect(serving.url).toBe(`http://127.0.0.1:${port}`);
    expect(await serving.stop()).toBe(0);
  });

  it('says that the port is in use and how to take another', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const { exitCode, stderr } = await spawnPortal(['serve', '--port', String(port)], { cwd, env: ENV });
    taken.close();
    expect(exitCode).toBe(1);
    expect(stderr).toContain(
      `Error: Port ${port} of 127.0.0.1 is in use.\nFix: stop what uses it, or take another port`,
    );
  });

  it.each([
    [['--port', '99999'], 2, '--port must be at most 65535.'],
    [['--port', 'http'], 2, 'It must be a whole number.'],
    [['--host', 'nowhere.invalid', '--port', '0'], 1, 'nowhere.invalid is no address of this machine.'],
  ])('ends %j with %d', async (args, code, message) => {
    const { exitCode, stderr } = await spawnPortal(['serve', ...args], { cwd, env: ENV });
    expect([exitCode, stderr]).toEqual([code, expect.stringContaining(message)]);
  });

  it('gives up with 1 when the database stays away, alive until then (R04)', async () => {
    const port = await freePort();
    const url = `mysql://portal:canary-word@127.0.0.1:${port}/portal`;
    const env = { ...SECRETS, DATABASE_URL: url, DATABASE_START_WAIT: '5' };
    const serving = await servePortal([], { cwd, env });
    await serving.printed(
      `No database answers at 127.0.0.1:${port}/portal (database.url): ECONNREFUSED. Trying for 5 s.`,
    );
    expect(await status(serving, '/health/live')).toBe(200);
    expect(await serving.ended).toBe(1);
    expect(serving.output()).toContain('Fix: start it, or correct DATABASE_URL.');
    expect(serving.output()).not.toContain('canary-word');
  });

  it('starts anew with --watch when the project changes, and after it was broken', async () => {
    const watched = await project();
    const serving = await servePortal(['--migrate', '--watch'], { cwd: watched, env: ENV });
    await serving.printed('Ready.');
    await writeFile(join(watched, 'src/routes.ts'), 'export const routes = (');
    await serving.printed('Waiting for a change');
    expect(serving.output()).toContain('src/routes.ts:1');
    await writeFile(join(watched, 'src/routes.ts'), ROUTES.replace('GREETING', 'changed'));
    const starts = () => serving.output().split('Ready.').length - 1;
    while (starts() < 2) await Promise.race([once(serving.process.stdout ?? serving.process, 'data'), serving.ended]);
    const url = serving
      .output()
      .match(/Listening on (\S+)/g)
      ?.at(-1)
      ?.slice('Listening on '.length);
    expect(await (await fetch(`${url}/api/v1/greeting`)).json()).toMatchObject({ data: { text: 'changed' } });
    expect(await serving.stop()).toBe(0);
  });
});

describeWithMariaDb('portal serve before its MariaDB answers (R04)', () => {
  it('waits for it, alive and not ready, and then serves', async () => {
    const { url, drop } = await createMariaDbDatabase();
    const server = new URL(url);
    const proxy = await startTcpProxy(Number(server.port));
    proxy.block();
    server.port = String(proxy.port);
    const serving = await servePortal(['--migrate'], {
      cwd: await project(),
      env: { ...SECRETS, DATABASE_URL: server.href, DATABASE_POOL_ACQUIRE: '2000' },
    });
    await serving.printed('Trying for 60 s.');
    expect(await status(serving, '/health/live')).toBe(200);
    expect(await status(serving, '/health/ready')).toBe(503);
    proxy.unblock();
    await serving.printed('Ready.');
    expect(await serving.stop()).toBe(0);
    await proxy.close();
    await drop();
  });
});
