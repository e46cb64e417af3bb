import { chmod, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseEnv } from 'node:util';
import { execa } from 'execa';
import { folderWith } from '../config/support.js';
import { mustHaveServices } from '../support/binaries.js';
import { parseDockerfile, readPairs, type Stage } from '../support/deploy/dockerfile.js';
import { Image, whyNoImages, type ContainedProcess } from '../support/deploy/image.js';
import { TestClient } from '../support/http-client.js';
import { PATIENCE } from '../support/patience.js';
import { freePort } from '../support/ports.js';
import { portal } from '../support/portal-command.js';

const LONG = 300_000;
/** Everything that develops the package is installed for it, which a busy machine takes minutes for. */
const BUILD = 600_000;

const missing = (await whyNoImages()) ?? '';
if (missing !== '') process.stdout.write(`skipped: building and running the images of this repository: ${missing}\n`);
if (missing !== '' && mustHaveServices()) throw new Error(`the images cannot be built here: ${missing}`);

(missing === '' ? describe : describe.skip)('of the images of this repository', () => {
  let stages: Stage[];
  let built: Image;
  beforeAll(async () => {
    stages = parseDockerfile(await readFile('Dockerfile', 'utf8'));
    const context = await folderWith({});
    await execa('git', ['clone', '--quiet', '--depth', '1', `file://${process.cwd()}`, context]);
    built = await Image.build(context, stages);
  }, BUILD);
  afterAll(() => built?.remove());

  const stepOf = (stage: string, keyword: string) =>
    stages.find(({ name }) => name === stage)?.steps.find((step) => step.keyword === keyword);

  async function readyAt(running: ContainedProcess, isReady: () => Promise<boolean>, patience: number): Promise<void> {
    const deadline = performance.now() + patience;
    while (!(await isReady())) {
      if (performance.now() > deadline) throw new Error(`it was never ready:\n${running.output()}`);
      await pause(100);
    }
  }

  describe('that of the runtime', () => {
    let project: string;
    let settings: Record<string, string>;
    let running: ContainedProcess | undefined;
    beforeAll(async () => {
      const parent = await folderWith({});
      const { exitCode, stderr } = await portal(['init', 'acme', '--no-install', '--yes'], { cwd: parent, env: {} });
      expect([exitCode, stderr]).toEqual([0, expect.anything()]);
      project = join(parent, 'acme');
      await Promise.all([parent, project].map((folder) => chmod(folder, 0o755)));
      const { APP_KEY, PORTAL_API_JWT_SECRET } = parseEnv(await readFile(join(project, '.env'), 'utf8'));
      settings = { APP_KEY: APP_KEY ?? '', PORTAL_API_JWT_SECRET: PORTAL_API_JWT_SECRET ?? '' };
      settings['APP_URL'] = 'https://developers.example.com';
      settings['VERIFY_SECRET'] = 'eX4Wq0ZtLr7VmN2yBc9KdJh5GfSaUp3RiOoTlEwYkQx';
      settings['APP_TRUST_PROXY'] = '1';
      settings['DATABASE_URL'] = 'sqlite:/data/portal.sqlite';
    }, LONG);
    afterEach(async () => {
      await running?.end('SIGKILL').catch(() => undefined);
      running = undefined;
    });

    /** Migrates, serves, asks and stops, as the commands of docs/production.md do. */
    async function useAsWritten(image: Image): Promise<void> {
      expect((await image.run(['portal', 'migrate'], settings)).stdout).toMatch(/Ran \d+ migrations/);
      expect((await image.run(['portal', 'rbac:seed'], settings)).stdout).toMatch(/Added \d+ permissions/);
      const port = await freePort();
      const environment = { ...settings, SERVER_PORT: String(port) };
      const isHealthy = async () =>
        (await image.run(stepOf('runtime', 'HEALTHCHECK')?.exec ?? [], environment)).exitCode === 0;
      expect(await isHealthy()).toBe(false);
      const process = image.start(stepOf('runtime', 'CMD')?.exec ?? [], environment);
      running = process;
      await readyAt(process, isHealthy, PATIENCE.start);
      const client = TestClient.to(`http://127.0.0.1:${port}`);
      const headers = { host: 'developers.example.com' };
      const ask = (path: string) => client.sendAsItIs('GET', `/api/v1${path}`, headers, Buffer.alloc(0));
      await readyAt(process, async () => (await ask('/health/ready')).status === 200, PATIENCE.start);
      // An endpoint of the project, which imports portalkit.
      expect(JSON.parse((await ask('/status')).text)).toMatchObject({ data: { open: true } });
      expect(await process.end('SIGTERM')).toBe(0);
      running = undefined;
      expect(process.output()).not.toMatch(/EROFS|EACCES|read-only/i);
      expect(await isHealthy()).toBe(false);
      const { stdout } = await image.run(['find', '/data', '-type', 'f', '-printf', '%P %U %m\\n']);
      expect(stdout.split('\n').sort()).toEqual(['portal.sqlite 1000 600', 'portal.sqlite.migrate-lock 1000 600']);
    }

    it('holds the package with what ships and nothing else, a list of it, and no user who may change it', async () => {
      const image = built.stage('runtime');
      expect(image.settings).toMatchObject({ user: '1000:1000', directory: '/srv/portal' });
      expect(stepOf('runtime', 'CMD')?.exec).toEqual(['portal', 'serve']);
      const labels = readPairs(stepOf('runtime', 'LABEL')?.text ?? '');
      expect(labels).toMatchObject({ 'org.opencontainers.image.title': 'portalkit' });
      const version = (JSON.parse(await readFile('package.json', 'utf8')) as { version: string }).version;
      expect((await image.run(['portal', '--version'])).stdout).toBe(version);

      const found = await image.run([
        'sh',
        '-c',
        'cd /srv/node_modules && find . -name package.json -path "*/node_modules/*" -o -maxdepth 3 -name package.json',
      ]);
      const roots = found.stdout
        .split('\n')
        .filter((path) => /^(?:.*\/node_modules|\.)\/(?:@[^/]+\/)?[^/]+\/package\.json$/.test(path));
      const names = new Set(roots.map((path) => dirname(path).replace(/^.*node_modules\/|^\.\//, '')));
      names.delete('portalkit');
      const { stdout } = await image.run(['cat', '/srv/sbom.cdx.json']);
      const { components } = JSON.parse(stdout) as { components: { name: string; scope: string }[] };
      const listed = new Set(components.map(({ name }) => name));
      expect(names.size).toBeGreaterThan(100);
      expect([...names].filter((name) => !listed.has(name))).toEqual([]);
      for (const place of ['/srv/portal/x', '/srv/node_modules/x', '/srv/node_modules/portalkit/x']) {
        expect((await image.run(['touch', place])).stderr).toMatch(/Permission denied/);
      }
    });

    it(
      'runs a project that is mounted and cannot be written, on a file system that cannot either',
      async () => {
        const image = built.stage('runtime');
        await image.mountVolume('/data');
        await image.mount(project, '/srv/portal');
        await image.makeReadOnly();
        expect((await image.run(['touch', 'x', '/srv/x'], {}, '0:0')).stderr).toMatch(/(.*Read-only file system){2}/s);

        // `.env` of a developer's machine belongs to whoever made it there.
        const refused = await image.run(['portal', 'migrate'], settings);
        expect([refused.exitCode, refused.stderr]).toEqual([
          78,
          expect.stringMatching(/\.env: cannot be read: EACCES.*Fix: /s),
        ]);
        await rm(join(project, '.env'));
        const { DATABASE_URL, ...withoutDatabase } = settings;
        const misplaced = await image.run(['portal', 'migrate'], withoutDatabase);
        expect([DATABASE_URL, misplaced.stderr]).toEqual([
          expect.anything(),
          expect.stringMatching(/storage\S* cannot be created: .*\.\s+Fix: correct DATABASE_URL/),
        ]);

        await useAsWritten(image);
      },
      LONG,
    );

    it(
      'runs a project that is a layer on top, and writes to the volume alone',
      async () => {
        await writeFile(join(project, '.env'), 'APP_ENV=development\n');
        const image = await built.extend(project, parseDockerfile('FROM runtime AS acme\nCOPY . .\n'));
        await image.mountVolume('/data');
        await useAsWritten(image);
        expect(await image.listWritten()).toEqual([]);
        const { stdout } = await image.run(['find', '.', '-maxdepth', '1', '-printf', '%P %U\\n']);
        expect(stdout.split('\n')).toEqual(expect.arrayContaining(['portal.config.ts 0', 'src 0']));
        expect(stdout).not.toContain('.env ');

        const doctor = await image.run(['portal', 'doctor', '--json'], settings);
        const { checks } = JSON.parse(doctor.stdout) as {
          checks: { check: string; status: string; message: string }[];
        };
        expect(checks.filter(({ check }) => check === 'package')).toEqual([
          {
            check: 'package',
            status: 'ok',
            message: expect.stringMatching(/^portalkit [\d.]+ of \/srv\/node_modules$/),
          },
        ]);
        expect(checks.filter(({ status }) => status === 'failure')).toEqual([]);
      },
      LONG,
    );

    it(
      'leaves a project that brings portalkit itself to that one',
      async () => {
        const image = await built.extend(project, parseDockerfile('FROM acme AS own\nUSER 1000:1000\n'));
        const bring =
          'mkdir node_modules && cp -a /srv/node_modules/portalkit node_modules/ && ' +
          `sed -i 's/"version": "[^"]*"/"version": "0.0.7"/' node_modules/portalkit/package.json`;
        expect((await image.run(['sh', '-c', bring], {}, '0:0')).stderr).toBe('');
        expect((await image.run(['portal', '--version'])).stdout).toBe('0.0.7');
        const imports = `console.log(import.meta.resolve('portalkit'))`;
        const { stdout } = await image.run(['node', '--input-type=module', '--eval', imports]);
        expect(stdout).toBe('file:///srv/portal/node_modules/portalkit/dist/index.js');
      },
      LONG,
    );
  });

  describe('that of the demo', () => {
    let running: ContainedProcess | undefined;
    afterAll(() => running?.end('SIGKILL').catch(() => undefined));

    it(
      'shows the tour to everybody, as a user who owns nothing but the project of the demo, and ends with its signal',
      async () => {
        const image = built.stage('demo');
        const [entry = [], command = []] = ['ENTRYPOINT', 'CMD'].map((keyword) => stepOf('demo', keyword)?.exec ?? []);
        expect(command).toEqual(['--public', 'http://localhost:3000', '--reset-every', '60']);
        expect(image.settings.user).toBe('1000:1000');
        expect((await image.run(['touch', 'scripts/x'])).stderr).toMatch(/Permission denied/);
        expect((await image.run(['ls', 'node_modules/jest'])).exitCode).not.toBe(0);
        const port = String(await freePort());
        const place = ['--public', `http://localhost:${port}`, '--port', port, '--sample-port', '0'];
        const process = image.start([...entry, ...place, '--reset-every', '60'], {});
        running = process;
        await readyAt(process, () => Promise.resolve(process.output().includes('Everybody begins at')), LONG / 2);
        const page = await (await fetch(`http://localhost:${port}/portal/tour/start`)).text();
        expect(page.match(/demo-sign-in/g)).toHaveLength(4);
        expect(await process.end('SIGTERM')).toBe(0);
      },
      LONG,
    );
  });
});
