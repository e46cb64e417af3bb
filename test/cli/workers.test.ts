import { execFileSync } from 'node:child_process';
import { request } from 'node:http';
import { folderWith, SECRETS } from '../config/support.js';
import { portal } from '../support/portal-command.js';
import { servePortal, spawnPortal, type ServingPortal } from '../support/portal-process.js';

const ENV = { ...SECRETS, DATABASE_URL: 'sqlite:storage/test.sqlite' };
const ROUTES = `
import { defineRoute, Joi } from 'portalkit';

const open = { method: 'get', context: 'consumer', auth: 'none', tag: 'Test', reply: { 200: Joi.object() } } as const;

export const routes = () => [
  defineRoute({ ...open, path: '/pid', operation: 'tellPid', summary: 'Tell', handle: () => ({ pid: process.pid }) }),
  defineRoute({
    ...open, path: '/slow', operation: 'beSlow', summary: 'Answer late',
    handle: async () => { console.log('slow began'); await new Promise((done) => setTimeout(done, 1200)); return {}; },
  }),
];
`;
const CONFIG = `
import { defineConfig } from 'portalkit';
import { routes } from './src/routes.js';

export default defineConfig({ app: { env: 'development' }, routes });
`;

describe('portal serve --workers', () => {
  let cwd: string;
  let serving: ServingPortal;
  beforeAll(async () => {
    cwd = await folderWith({ 'portal.config.ts': CONFIG, 'src/routes.ts': ROUTES });
    serving = await servePortal(['--workers', '2', '--migrate'], { cwd, env: ENV });
    await serving.printed('Ready.');
  });
  afterAll(async () => void (await serving.stop()));

  // A connection of its own each time: each goes to the next worker.
  const ask = (path: string, body?: object): Promise<{ status: number; text: string }> =>
    new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json' };
      const options = { method: body ? 'POST' : 'GET', headers, agent: false } as const;
      const sent = request(`${serving.url}/api/v1${path}`, options, (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
        response.on('error', reject);
      });
      sent.on('error', reject);
      sent.end(body && JSON.stringify(body));
    });
  const pid = async () => (JSON.parse((await ask('/pid')).text) as { data: { pid: number } }).data.pid;

  /** The processes that answer, once there are so many. */
  async function pids(count: number, without: number | null = null): Promise<number[]> {
    const found = new Set<number>();
    while (found.size < count) {
      const answered = await pid().catch(() => null);
      if (answered !== null && answered !== without) found.add(answered);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return [...found];
  }

  it('answers with two processes on one port, and migrates and speaks once', async () => {
    const found = await pids(2);
    expect(found).not.toContain(serving.process.pid);
    const text = serving.output();
    expect(text.match(/Listening on/g)).toHaveLength(1);
    expect(text.match(/Ready\. The API/g)).toHaveLength(1);
    expect(text.match(/Migrating 20260101000100-create-users/g)).toHaveLength(1);
  });

  it('counts a limit for all workers together (S15)', async () => {
    const login = () => ask('/auth/login', { email: 'nobody@example.com', password: 'wrong' });
    const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await login()).status));
    expect(statuses.filter((status) => status === 401)).toHaveLength(5);
    expect(statuses.filter((status) => status === 429)).toHaveLength(15);
  });

  it('replaces a worker that was killed, while the other one answers', async () => {
    const [victim = 0] = await pids(2);
    process.kill(victim, 'SIGKILL');
    await serving.printed('A worker ended with SIGKILL; another one takes its place in 0.5 s.');
    expect((await ask('/health/live')).status).toBe(200);
    const after = await pids(2, victim);
    expect(after).not.toContain(victim);
  });

  it('lets running requests finish after SIGTERM, ends with 0 and leaves nobody behind', async () => {
    const workers = await pids(2);
    const slow = [ask('/slow'), ask('/slow')];
    await serving.printed('slow began');
    serving.process.kill('SIGTERM');
    expect((await Promise.all(slow)).map(({ status }) => status)).toEqual([200, 200]);
    expect(await serving.ended).toBe(0);
    expect(serving.output().match(/letting running requests finish/g)).toHaveLength(1);
    for (const worker of workers) expect(() => process.kill(worker, 0)).toThrow('ESRCH');
  });
});

describe('portal serve with workers that are not ready yet', () => {
  let cwd: string;
  let serving: ServingPortal;
  beforeAll(async () => {
    cwd = await folderWith({ 'portal.config.ts': CONFIG, 'src/routes.ts': ROUTES });
    serving = await servePortal(['--workers', '3'], { cwd, env: ENV });
  });
  afterAll(async () => void (await serving.stop()));

  it('turns nobody away once any of them has said that the portal is ready (R03)', async () => {
    // A connection each, so that every worker gets its share.
    const status = async (path: string) => {
      const { status, body } = await fetch(`${serving.url}/api/v1${path}`, { headers: { connection: 'close' } });
      await body?.cancel();
      return status;
    };
    expect([await status('/health/live'), await status('/health/ready'), await status('/pid')]).toEqual([
      200, 503, 503,
    ]);
    const migrated = portal(['migrate'], { cwd, env: ENV });
    while ((await status('/health/ready')) !== 200) await new Promise((resolve) => setTimeout(resolve, 5));
    const met = new Set<number>();
    for (let count = 0; count < 400; count += 1) met.add(await status('/pid'));
    expect([...met]).toEqual([200]);
    expect((await migrated).exitCode).toBe(0);
  });
});

describe('portal serve with workers refuses', () => {
  let cwd: string;
  beforeAll(async () => {
    cwd = await folderWith({ 'portal.config.ts': CONFIG, 'src/routes.ts': ROUTES });
  });

  it.each([
    [['--workers', '0'], {}, 2, '--workers must be a number from 1 to 128, or auto.'],
    [['--workers', '2', '--watch'], {}, 2, '--watch serves with one process: leave --workers away.'],
    [
      ['--workers', '2'],
      { LIMITS_STORE: 'memory' },
      78,
      'limits.store (LIMITS_STORE, from the environment): must not be memory',
    ],
    [
      ['--workers', '2'],
      { SESSION_STORE: 'memory' },
      78,
      'session.store (SESSION_STORE, from the environment): must not be',
    ],
    [['--workers', '2', '--host', 'nowhere.invalid'], {}, 1, 'nowhere.invalid is no address of this machine.'],
  ])('%j %j with %d', async (args, env, code, message) => {
    const { exitCode, stderr } = await spawnPortal(['serve', '--port', '0', ...args], { cwd, env: { ...ENV, ...env } });
    expect([exitCode, stderr]).toEqual([code, expect.stringContaining(message)]);
    expect(stderr.split(message)).toHaveLength(2);
  });
});

describe('a primary that is killed', () => {
  it('takes its workers along', async () => {
    const cwd = await folderWith({ 'portal.config.ts': CONFIG, 'src/routes.ts': ROUTES });
    const serving = await servePortal(['--workers', '2', '--migrate'], { cwd, env: ENV });
    await serving.printed('Ready.');
    const children = childrenOf(serving.process.pid ?? 0);
    expect(children).toHaveLength(2);
    serving.process.kill('SIGKILL');
    await serving.ended;
    while (children.some(isAlive)) await new Promise((resolve) => setTimeout(resolve, 20));
  });
});

function childrenOf(pid: number): number[] {
  return execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' })
    .trim()
    .split(/\s+/)
    .map(Number);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
