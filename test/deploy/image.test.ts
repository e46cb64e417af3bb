import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { execa } from 'execa';
import { folderWith } from '../config/support.js';
import { findService, mustHaveServices } from '../support/binaries.js';
import { parseDockerfile, readPairs, type Stage } from '../support/deploy/dockerfile.js';
import { Image, whyNoImages, type ContainedProcess } from '../support/deploy/image.js';
import { TestClient } from '../support/http-client.js';
import { freePort } from '../support/ports.js';
import { PATIENCE } from '../support/patience.js';
import { startBreakableRedis, type BreakableRedis } from '../support/redis.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

const BIN = join(process.cwd(), 'bin', 'portal.js');
const PORTAL = ['node', 'node_modules/portalkit/bin/portal.js'];
const LONG = 300_000;

const missing =
  (await whyNoImages()) ?? (['mariadb', 'redis'] as const).map((name) => (findService(name) ? '' : name)).join('');
if (missing !== '') process.stdout.write(`skipped: building and running the image: ${missing}\n`);
if (missing !== '' && mustHaveServices()) throw new Error(`the image cannot be built here: ${missing}`);

async function makeProject(): Promise<string> {
  const parent = await folderWith({});
  const choices = ['--database', 'mysql', '--sessions', 'redis', '--no-install', '--yes'];
  await execa(process.execPath, [BIN, 'init', 'acme', ...choices], { cwd: parent });
  const project = join(parent, 'acme');
  await execa('npm', ['install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--prefer-offline'], {
    cwd: project,
  });
  await execa(process.execPath, [BIN, 'publish', 'docker'], { cwd: project });
  return project;
}

(missing === '' ? describe : describe.skip)('the image of a project made by portal init', () => {
  let stages: Stage[];
  let image: Image;
  let database: TestDatabase;
  let redis: BreakableRedis;
  let running: ContainedProcess;
  let port: number;
  let settings: Record<string, string>;

  beforeAll(async () => {
    const project = await makeProject();
    stages = parseDockerfile(await readFile(join(project, 'Dockerfile'), 'utf8'));
    [image, database, redis, port] = await Promise.all([
      Image.build(project, stages),
      createTestDatabase(project, 'mysql'),
      startBreakableRedis(),
      freePort(),
    ]);
    const written = await readFile(join(project, 'deploy/portal.env'), 'utf8');
    const lines = written.split('\n').filter((line) => /^[A-Z]/.test(line));
    const own = lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]);
    const addresses = {
      DATABASE_URL: database.url,
      REDIS_URL: redis.url,
      SERVER_PORT: String(port),
      METRICS_PORT: '0',
    };
    settings = { ...(Object.fromEntries(own) as Record<string, string>), ...addresses };
  }, LONG);
  afterAll(async () => {
    await running?.end('SIGKILL').catch(() => undefined);
    await image?.remove();
    await redis?.stop();
    await database?.drop();
  });

  const final = () => stages.at(-1)?.steps ?? [];
  const healthcheck = () => final().find(({ keyword }) => keyword === 'HEALTHCHECK')?.exec ?? [];
  const isHealthy = async () => (await image.run(healthcheck(), settings)).exitCode === 0;
  const url = (path: string) => `http://127.0.0.1:${port}${path}`;

  it('is said in the way that keeps signals, users and layers right', () => {
    expect(stages.map(({ base }) => base)).toEqual(Array(2).fill(expect.stringMatching(/^node:\d+-bookworm-slim$/)));
    const keywords = final().map(({ keyword }) => keyword);
    expect(final().find(({ keyword }) => keyword === 'CMD')?.exec).toEqual([...PORTAL, 'serve']);
    expect(final().find(({ keyword }) => keyword === 'STOPSIGNAL')?.text).toBe('SIGTERM');
    expect(healthcheck()[0]).toBe('node');
    // Whatever comes after USER is not done as root; nothing is, once the portal runs.
    expect(keywords.slice(keywords.indexOf('USER'))).not.toContain('RUN');
    expect(image.settings.user).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    const labels = readPairs(final().find(({ keyword }) => keyword === 'LABEL')?.text ?? '');
    expect(labels).toMatchObject({ 'org.opencontainers.image.title': 'Acme Developer Portal' });
  });

  it('holds what runs and no secret, and its user owns nothing but storage', async () => {
    const { stdout } = await image.run(['find', '.', '-mindepth', '1', '-maxdepth', '1', '-printf', '%P %U\\n']);
    const entries = stdout.trim().split('\n').sort();
    expect(entries).toEqual([
      ...[
        'content 0',
        'migrations 0',
        'node_modules 0',
        'package-lock.json 0',
        'package.json 0',
        'portal.config.ts 0',
        'src 0',
      ],
      ...['storage 1000', 'tsconfig.json 0', 'vendor 0'],
    ]);
    expect((await image.run(['ls', 'node_modules/typescript'])).exitCode).not.toBe(0);
    expect((await image.run(['touch', 'src/x'])).stderr).toMatch(/Permission denied/);
  });

  it(
    'migrates and seeds as compose.yaml and the job of Kubernetes do, on a file system that cannot be written',
    async () => {
      await image.makeReadOnly();
      expect((await image.run(['touch', '/app/storage/x'], {}, '0:0')).stderr).toMatch(/Read-only file system/);
      expect((await image.run([...PORTAL, 'migrate'], settings)).stdout).toMatch(/Ran \d+ migrations/);
      expect((await image.run([...PORTAL, 'rbac:seed'], settings)).stdout).toMatch(/Added \d+ permissions/);
    },
    LONG,
  );

  it(
    'becomes healthy and ready, and signs developers up',
    async () => {
      expect(await isHealthy()).toBe(false);
      running = image.start(final().find(({ keyword }) => keyword === 'CMD')?.exec ?? [], settings);
      const deadline = performance.now() + PATIENCE.start;
      // It lives a moment before it is ready.
      while (!(await isHealthy()) || !(await fetch(url('/api/v1/health/ready'))).ok) {
        if (performance.now() > deadline) throw new Error(`it never became ready:\n${running.output()}`);
        await pause(100);
      }
      const names = { first_name: 'Zoë', last_name: 'Meyer', email: 'zoe@example.com' };
      const passwords = { password: 'correct horse battery 9', password_confirmation: 'correct horse battery 9' };
      const headers = { host: 'developers.example.com', 'content-type': 'application/json' };
      const body = Buffer.from(JSON.stringify({ ...names, ...passwords }));
      const client = TestClient.to(url(''));
      const { status, text } = await client.sendAsItIs('POST', '/api/v1/auth/register', headers, body);
      expect([status, text]).toEqual([201, expect.anything()]);
    },
    LONG,
  );

  it(
    'ends in order with its signal, as process 1',
    async () => {
      expect(await running.end('SIGTERM')).toBe(0);
      expect(running.output()).not.toMatch(/EROFS|EACCES|read-only/i);
      expect(await isHealthy()).toBe(false);
    },
    LONG,
  );
});
