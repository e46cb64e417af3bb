import { randomBytes } from 'node:crypto';
import { readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { execa } from 'execa';
import { parse as parseToml } from 'smol-toml';
import { parse, parseAllDocuments } from 'yaml';
import { DEPLOY_CHECKS } from '../../src/cli/doctor-finding.js';
import { DEPLOY_TARGETS } from '../../src/cli/project/deployed.js';
import { resolveConfig } from '../../src/config/index.js';
import { folderWith, SECRETS } from '../config/support.js';
import { requireService } from '../support/binaries.js';
import { describeWith } from '../support/describe-with.js';
import { portal } from '../support/portal-command.js';
import { publishedProject, readYaml } from './support.js';

type Json = Record<string, unknown>;

/** Faults of a document by a schema in which every object is closed: a field that it does not name is misspelt. */
function faultsOf(document: unknown, schema: object): string[] {
  const validate = new Ajv2020({ allErrors: true, strict: false }).compile(schema);
  validate(document);
  return (validate.errors ?? []).map(({ instancePath, message, params }) =>
    `${instancePath} ${message} ${JSON.stringify(params)}`.trim(),
  );
}

const text = { type: 'string' };
const number = { type: 'integer' };
const flag = { type: 'boolean' };
const span = { type: 'string', pattern: '^\\d+(ms|s|m|h)$' };
const closed = (properties: Json, required: string[] = []) =>
  ({ type: 'object', additionalProperties: false, properties, required }) as Json;

describe('portal publish fly', () => {
  /** Fields of https://fly.io/docs/reference/configuration/ as of August 2026, as far as the file uses them. */
  const SCHEMA = closed(
    {
      app: text,
      primary_region: { type: 'string', pattern: '^[a-z]{3}$' },
      kill_signal: { enum: ['SIGINT', 'SIGTERM', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2', 'SIGKILL', 'SIGSTOP'] },
      kill_timeout: span,
      build: closed({ dockerfile: text }),
      deploy: closed({ strategy: { enum: ['canary', 'rolling', 'bluegreen', 'immediate'] }, release_command: text }),
      env: { type: 'object', additionalProperties: text },
      http_service: closed({
        ...{ internal_port: number, force_https: flag, auto_stop_machines: flag, auto_start_machines: flag },
        min_machines_running: number,
        concurrency: closed({ type: { enum: ['connections', 'requests'] }, soft_limit: number, hard_limit: number }),
        checks: {
          type: 'array',
          items: closed({
            ...{ method: text, path: text, interval: span, timeout: span, grace_period: span },
            headers: { type: 'object', additionalProperties: text },
          }),
        },
      }),
      metrics: closed({ port: number, path: text }),
      vm: {
        type: 'array',
        items: closed({ memory: text, cpu_kind: { enum: ['shared', 'performance'] }, cpus: number }),
      },
    },
    ['app'],
  );
  let file: Json & {
    env: Record<string, string>;
    http_service: { internal_port: number };
    deploy: Record<string, string>;
  };
  beforeAll(async () => {
    file = parseToml(await readFile(join(await publishedProject('fly'), 'fly.toml'), 'utf8')) as never;
  });

  it('writes a file whose fields Fly knows', () => {
    expect(faultsOf(file, SCHEMA)).toEqual([]);
    expect(faultsOf({ ...file, kill_timout: '40s' }, SCHEMA)).toEqual([expect.stringMatching(/kill_timout/)]);
    expect(file).toMatchObject({ app: 'acme-portal' });
  });

  it('has settings that the portal accepts in production, with the secrets that it asks for', () => {
    const secrets = { ...SECRETS, DATABASE_URL: 'mysql://u:p@db:3306/portal', REDIS_URL: 'rediss://:p@redis:6379' };
    const env = {
      ...file.env,
      ...secrets,
      MAIL_URL: 'smtp://u:p@mail:587',
      APP_ENV: 'production',
      SERVER_HOST: '0.0.0.0',
    };
    expect(resolveConfig({ definition: {}, env }).warnings).toEqual([]);
    expect(file.http_service.internal_port).toBe(3000);
  });

  it('migrates before any machine gets the new version, by a command that a shell reads', async () => {
    const { stdout } = await execa('sh', ['-n', '-c', file.deploy['release_command'] ?? '']);
    expect([stdout, file.deploy['release_command']]).toEqual(['', expect.stringMatching(/migrate && .*rbac:seed/)]);
  });
});

describe('portal publish render', () => {
  const variable = {
    oneOf: [
      closed({ key: text, value: text }, ['key', 'value']),
      closed({ key: text, sync: { const: false } }, ['key', 'sync']),
      closed({ key: text, generateValue: { const: true } }, ['key', 'generateValue']),
      closed({ key: text, fromService: closed({ type: text, name: text, property: text }) }, ['key', 'fromService']),
    ],
  };
  const variables = { type: 'array', items: variable };
  const kind = (type: string, properties: Json, required: string[]) =>
    closed({ type: { const: type }, name: text, plan: text, ...properties }, ['type', 'name', ...required]);
  /** Fields of https://render.com/docs/blueprint-spec as of August 2026, as far as the file uses them. */
  const SCHEMA = closed({
    services: {
      type: 'array',
      items: {
        oneOf: [
          kind(
            'web',
            {
              ...{ runtime: { const: 'docker' }, dockerfilePath: text, numInstances: number, preDeployCommand: text },
              ...{ healthCheckPath: text, maxShutdownDelaySeconds: { type: 'integer', minimum: 1, maximum: 300 } },
              envVars: variables,
            },
            ['runtime'],
          ),
          kind(
            'keyvalue',
            { maxmemoryPolicy: { enum: ['noeviction', 'allkeys-lru'] }, ipAllowList: { type: 'array' } },
            ['ipAllowList'],
          ),
          kind(
            'pserv',
            {
              ...{ runtime: { const: 'image' }, image: closed({ url: text }, ['url']), envVars: variables },
              disk: closed({ name: text, mountPath: text, sizeGB: number }, ['name', 'mountPath']),
            },
            ['runtime', 'image'],
          ),
        ],
      },
    },
  });
  interface Service {
    type: string;
    name: string;
    envVars?: { key: string; value?: string }[];
  }
  let file: { services: Service[] };
  beforeAll(async () => {
    file = await readYaml(await publishedProject('render'), 'render.yaml');
  });

  it('writes a Blueprint whose fields Render knows', () => {
    expect(faultsOf(file, SCHEMA)).toEqual([]);
    const [web, ...others] = file.services;
    expect(faultsOf({ services: [{ ...web, healthCheck: '/' }, ...others] }, SCHEMA)).not.toEqual([]);
    expect(file.services.map(({ type, name }) => [type, name])).toEqual([
      ['web', 'acme-portal'],
      ['keyvalue', 'acme-portal-redis'],
      ['pserv', 'acme-portal-database'],
    ]);
  });

  it('has settings that the portal accepts in production, once the others are filled in', () => {
    const given = file.services[0]?.envVars ?? [];
    const filled = {
      ...{
        APP_URL: 'https://acme.onrender.com',
        DATABASE_URL: 'mysql://u:p@db:3306/portal',
        MAIL_URL: 'smtp://u:p@m:587',
      },
      ...{ REDIS_URL: 'redis://redis:6379', ...SECRETS, VERIFY_SECRET: randomBytes(32).toString('base64url') },
    };
    const env = Object.fromEntries(given.map(({ key, value }) => [key, value ?? filled[key as keyof typeof filled]]));
    expect(Object.entries(env).filter(([, value]) => value === undefined)).toEqual([]);
    const { warnings } = resolveConfig({
      definition: {},
      env: { ...env, APP_ENV: 'production', SERVER_HOST: '0.0.0.0' },
    });
    expect(warnings).toEqual([]);
  });
});

describe('portal publish railway', () => {
  /** Fields of https://docs.railway.com/config-as-code/reference as of August 2026, as far as the file uses them. */
  const SCHEMA = closed({
    $schema: { const: 'https://railway.com/railway.schema.json' },
    build: closed({ builder: { enum: ['RAILPACK', 'DOCKERFILE'] }, dockerfilePath: text }, ['builder']),
    deploy: closed({
      ...{ preDeployCommand: { type: 'array', items: text, maxItems: 1 }, healthcheckPath: text, numReplicas: number },
      ...{ healthcheckTimeout: number, overlapSeconds: number, drainingSeconds: number },
      ...{ restartPolicyType: { enum: ['ON_FAILURE', 'ALWAYS', 'NEVER'] }, restartPolicyMaxRetries: number },
    }),
  });

  it('writes a file whose fields Railway knows, and variables with secrets of their own', async () => {
    const cwd = await publishedProject('railway');
    const file = JSON.parse(await readFile(join(cwd, 'railway.json'), 'utf8')) as Json & { deploy: Json };
    expect(faultsOf(file, SCHEMA)).toEqual([]);
    expect(faultsOf({ ...file, deploy: { ...file.deploy, drainSeconds: 4 } }, SCHEMA)).not.toEqual([]);
    const [command] = file.deploy['preDeployCommand'] as [string];
    expect((await execa('sh', ['-n', '-c', command])).exitCode).toBe(0);
    const variables = parseEnv(await readFile(join(cwd, 'deploy/railway.env'), 'utf8'));
    expect(variables).toMatchObject({ PORT: '3000', DATABASE_URL: '${{MySQL.MYSQL_URL}}' });
    expect((await stat(join(cwd, 'deploy/railway.env'))).mode & 0o777).toBe(0o600);
  });
});

describe('portal publish devcontainer', () => {
  /** Fields of the schema of devcontainers/spec as of November 2026, as far as the file uses them. */
  const SCHEMA = closed({
    ...{ name: text, image: text, postCreateCommand: text, remoteUser: text },
    forwardPorts: { type: 'array', items: { type: 'integer', minimum: 0, maximum: 65_535 } },
    portsAttributes: {
      type: 'object',
      additionalProperties: closed({ label: text, onAutoForward: { enum: ['notify', 'openBrowser', 'silent'] } }),
    },
  });
  let cwd: string;
  beforeAll(async () => {
    cwd = await publishedProject('devcontainer');
  });

  it('writes a container whose fields the format has', async () => {
    const file = JSON.parse(await readFile(join(cwd, '.devcontainer/devcontainer.json'), 'utf8')) as Json;
    expect(faultsOf(file, SCHEMA)).toEqual([]);
    expect(file).toMatchObject({ name: 'Acme Portal', forwardPorts: [3000] });
  });

  it('prepares a clone: secrets once, for their owner alone, then packages, tables and roles', async () => {
    const bin = await folderWith({});
    for (const name of ['npm', 'npx']) {
      await writeFile(join(bin, name), `#!/bin/sh\necho ${name} "$@" >>"$OLDPWD/calls"\n`, { mode: 0o755 });
    }
    const env = { PATH: `${bin}:${process.env['PATH'] ?? ''}` };
    const prepare = () => execa('sh', ['.devcontainer/prepare.sh'], { cwd, env });
    await prepare();
    const made = await readFile(join(cwd, '.env'), 'utf8');
    expect(resolveConfig({ definition: {}, env: parseEnv(made) }).config.app.env).toBe('development');
    expect((await stat(join(cwd, '.env'))).mode & 0o777).toBe(0o600);
    await prepare();
    expect(await readFile(join(cwd, '.env'), 'utf8')).toBe(made);
    const calls = (await readFile(join(cwd, 'calls'), 'utf8')).trim().split('\n');
    expect(calls.slice(0, 3)).toEqual(['npm install', 'npx portal migrate', 'npx portal rbac:seed']);
  });
});

describe('portal deploy:check', () => {
  const TARGETS = Object.keys(DEPLOY_TARGETS) as (keyof typeof DEPLOY_TARGETS)[];
  interface Found {
    ok: boolean;
    target: string;
    checks: { check: string; status: string; message: string }[];
  }
  async function check(cwd: string, ...args: string[]) {
    const { stdout, stderr, exitCode } = await portal(['deploy:check', ...args, '--json'], { cwd, env: {} });
    const { checks = [], ...found } = JSON.parse(stdout) as Partial<Found>;
    const bad = checks.filter(({ status }) => status !== 'ok').map(({ check: name }) => name);
    return { ...found, checks, exitCode, bad, said: stdout + stderr };
  }
  /** Replaces in every file that the target has. */
  async function edit(cwd: string, ...changes: (readonly [RegExp, string])[]) {
    for (const path of await readdir(cwd, { recursive: true, withFileTypes: true })) {
      const file = join(path.parentPath, path.name);
      if (!path.isFile()) continue;
      const before = await readFile(file, 'utf8');
      const after = changes.reduce((result, [from, to]) => result.replace(from, to), before);
      if (after !== before) await writeFile(file, after);
    }
  }
  async function filledIn(target: (typeof TARGETS)[number]): Promise<string> {
    const cwd = await publishedProject(target);
    await writeFile(join(cwd, 'package-lock.json'), '{}');
    await edit(cwd, [/example\.com/g, 'acme.test'], [/user:password@/g, '']);
    return cwd;
  }

  it.each(TARGETS)(
    'finds nothing wrong with %s once its addresses are filled in, and says so of each check',
    async (target) => {
      const fresh = await publishedProject(target);
      const { bad: before, exitCode: failed } = await check(fresh);
      expect([failed, before.every((name) => ['examples', 'image'].includes(name))]).toEqual([1, true]);
      const cwd = await filledIn(target);
      const { ok, exitCode, target: found, bad, checks } = await check(cwd, '--strict');
      expect([bad, ok, exitCode, found]).toEqual([[], true, 0, target]);
      for (const { check: name } of checks) expect(Object.keys(DEPLOY_CHECKS)).toContain(name);
    },
  );

  it('names what would not run, and no secret', async () => {
    const cwd = await filledIn('docker');
    const settings = await readFile(join(cwd, 'deploy/portal.env'), 'utf8');
    const [, secret = ''] = /APP_KEY=(\S+)/.exec(settings) ?? [];
    await writeFile(
      join(cwd, 'deploy/portal.env'),
      `${settings.replace(/DATABASE_URL=.*/, 'DATABASE_URL=sqlite:storage/portal.sqlite')}\nSESION_STORE=redis\nSERVER_DRAIN_DELAY=20\nPORTAL_API_PREFIX=/api/v2\n`,
    );
    await writeFile(join(cwd, '.dockerignore'), 'node_modules\n');
    await rm(join(cwd, 'package-lock.json'));
    await rm(join(cwd, 'deploy/nginx.conf'));
    const { exitCode, bad, said } = await check(cwd, 'docker');
    expect(exitCode).toBe(1);
    expect(bad).toEqual(['files', 'names', 'replicas', 'patience', 'health', 'image', 'image']);
    expect(said).toContain('40 seconds: a replica may take 69');
    expect(said).not.toContain(secret);
  });

  it('takes settings that the target keeps elsewhere from a file, and judges them', async () => {
    const cwd = await filledIn('fly');
    expect((await check(cwd)).said).toContain('APP_KEY, PORTAL_API_JWT_SECRET');
    await writeFile(join(cwd, 'fly.env'), 'APP_KEY=short\n');
    const { bad, said, exitCode } = await check(cwd, 'fly', '--env-file', 'fly.env');
    expect([exitCode, bad]).toEqual([1, ['settings']]);
    expect(said).not.toContain('short');
  });

  it('asks which target is meant, and for one that there is', async () => {
    const cwd = await folderWith({ 'portal.config.js': 'export default {};' });
    expect(await check(cwd)).toMatchObject({ exitCode: 2, said: expect.stringContaining('Nothing is published') });
    expect(await check(cwd, 'moon')).toMatchObject({ exitCode: 2, said: expect.stringContaining('no target moon') });
    await writeFile(join(cwd, 'fly.toml'), '');
    await writeFile(join(cwd, 'render.yaml'), '');
    expect((await check(cwd)).said).toContain('Say which: fly, render');
    expect(await check(cwd, 'fly', '--env-file', 'none.env')).toMatchObject({ exitCode: 2 });
  });

  it('is told on the page of production, check by check', async () => {
    const page = await readFile('docs/production.md', 'utf8');
    const rows = [...page.matchAll(/^\| `([\w-]+)` +\| (.+?) +\|$/gm)].map(([, name, meaning]) => [name, meaning]);
    expect(rows).toEqual(expect.arrayContaining(Object.entries(DEPLOY_CHECKS)));
  });
});

describe('portal publish helm', () => {
  /** What the templates may say; helm itself is no program of Debian or npm. */
  const EXPRESSION = /\{\{-? *(.+?) *-?\}\}/g;
  let folder: string;
  let values: Json;
  beforeAll(async () => {
    folder = join(await publishedProject('helm'), 'deploy/helm');
    values = await readYaml(folder, 'values.yaml');
  });

  const valueOf = (path: string): unknown =>
    path
      .split('.')
      .slice(2)
      .reduce<unknown>((found, key) => (found as Json | undefined)?.[key], values);

  /** Go templates, as far as the chart uses them: a value, or a map of them at an indentation. */
  function render(template: string): string {
    const settings = Object.entries(values['settings'] as Json).map(
      ([name, value]) => `\n  ${name}: '${String(value)}'`,
    );
    return template
      .replace(/[ \n]*\{\{- toYaml \.Values\.settings \| nindent 2 \}\}/, () => settings.join(''))
      .replace(EXPRESSION, (_whole, path: string) => {
        const value = valueOf(path);
        if (!/^\.Values(\.\w+)+$/.test(path) || value === undefined)
          throw new Error(`${path} is no value of the chart`);
        return String(value);
      });
  }

  it('is the manifests of portal publish kubernetes, with its values in their place', async () => {
    const manifests = join(await publishedProject('kubernetes'), 'deploy/kubernetes');
    const names = (await readdir(join(folder, 'templates'))).sort();
    const apart = ['kustomization.yaml', 'secret.example.yaml'];
    expect(names).toEqual((await readdir(manifests)).filter((name) => !apart.includes(name)).sort());
    for (const name of names) {
      const rendered = render(await readFile(join(folder, 'templates', name), 'utf8'));
      const [chart, plain] = [rendered, await readFile(join(manifests, name), 'utf8')].map((source) =>
        parseAllDocuments(source, { merge: true }).map((document) => document.toJS() as Json & { metadata: Json }),
      );
      for (const object of chart ?? []) {
        if (['configmap.yaml', 'migrate.yaml'].includes(name)) {
          expect(object.metadata['annotations']).toMatchObject({ 'helm.sh/hook': 'pre-install,pre-upgrade' });
          delete object.metadata['annotations'];
        }
      }
      expect([name, chart]).toEqual([name, plain]);
    }
  });

  it('has a value for every installation, and no other expression', async () => {
    const names = await readdir(join(folder, 'templates'));
    const templates = await Promise.all(names.map((name) => readFile(join(folder, 'templates', name), 'utf8')));
    const used = new Set(templates.flatMap((template) => [...template.matchAll(EXPRESSION)].map(([, path]) => path)));
    expect([...used].sort()).toEqual([
      ...['.Values.host', '.Values.image', '.Values.ingressClass', '.Values.replicas.max', '.Values.replicas.min'],
      'toYaml .Values.settings | nindent 2',
    ]);
    const chart = parse(await readFile(join(folder, 'Chart.yaml'), 'utf8')) as Json;
    expect(chart).toMatchObject({ apiVersion: 'v2', name: 'acme-portal', type: 'application' });
  });
});

describeWith('systemd', 'portal publish systemd', () => {
  let folder: string;
  beforeAll(async () => {
    folder = join(await publishedProject('systemd'), 'deploy/systemd');
  });
  const analyze = (...args: string[]) =>
    execa(requireService('systemd'), args, { cwd: folder, reject: false, all: true });

  it('writes units that systemd reads without a word', async () => {
    const units = ['acme-portal.service', 'acme-portal-backup.service', 'acme-portal-backup.timer'];
    expect((await readdir(folder)).sort()).toEqual([...units, 'portal.env'].sort());
    const { all, exitCode } = await analyze('verify', ...units.map((unit) => `./${unit}`));
    const faults = (all ?? '')
      .split('\n')
      .filter((line) => line.includes('acme-portal') && !line.includes('not executable'));
    expect([faults, exitCode]).toEqual([[], 0]);
  });

  it('writes a unit that is exposed to little: at most 2.0 of 10', async () => {
    const { exitCode } = await analyze('security', '--offline=yes', '--threshold=20', './acme-portal.service');
    expect(exitCode).toBe(0);
    const { exitCode: lower } = await analyze('security', '--offline=yes', '--threshold=1', './acme-portal.service');
    expect(lower).not.toBe(0);
  });

  it('keeps new secrets for their owner, in settings that the portal accepts in production', async () => {
    const lines = (await readFile(join(folder, 'portal.env'), 'utf8')).split('\n');
    const env = Object.fromEntries(
      lines.filter((line) => /^[A-Z]/.test(line)).map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]),
    );
    expect(resolveConfig({ definition: {}, env }).warnings).toEqual([]);
    expect((await stat(join(folder, 'portal.env'))).mode & 0o777).toBe(0o600);
  });
});
