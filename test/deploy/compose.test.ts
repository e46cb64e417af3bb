import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { resolveConfig } from '../../src/config/index.js';
import { publish, publishedProject, readYaml } from './support.js';

interface Service {
  build?: string;
  image: string;
  user?: string;
  restart?: string;
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  env_file?: string[];
  environment?: object;
  command?: string[];
  ports?: string[];
  networks?: string[];
  stop_grace_period?: string;
  healthcheck?: { test: string[] };
  depends_on?: Record<string, { condition: string }>;
}
interface Compose {
  name: string;
  services: Record<string, Service>;
  networks: Record<string, { internal?: boolean }>;
}

let cwd: string;
let compose: Compose;
beforeAll(async () => {
  cwd = await publishedProject('docker');
  compose = await readYaml<Compose>(cwd, 'compose.yaml');
});
const read = (path: string) => readFile(join(cwd, path), 'utf8');
const environment = async (path: string) =>
  Object.fromEntries(
    (await read(path))
      .split('\n')
      .filter((line) => /^[A-Z]/.test(line))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  ) as Record<string, string>;

/** The schema of the Compose Specification, as dclint ships it; anything that it does not know is refused. */
async function faultsOfCompose(document: unknown): Promise<string[]> {
  const schema = JSON.parse(await readFile('node_modules/dclint/schemas/compose.schema.json', 'utf8')) as object;
  const validate = new Ajv({ strict: false, allErrors: true, validateFormats: false }).compile({
    ...schema,
    $schema: 'http://json-schema.org/draft-07/schema',
  });
  validate(document);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

describe('compose.yaml of portal publish docker', () => {
  it('is a Compose file by the schema of the specification, which would tell', async () => {
    expect(await faultsOfCompose(compose)).toEqual([]);
    const misspelt = { ...compose, services: { redis: { ...compose.services['redis'], helthcheck: {} } } };
    expect(await faultsOfCompose(misspelt)).not.toEqual([]);
  });

  it('has names that Docker takes, whatever the project is called', () => {
    expect(compose.name).toBe('acme-portal');
    expect(compose.services['portal-a']?.image).toBe('${PORTAL_IMAGE:-acme-portal:latest}');
  });

  it('gives no container more than it needs', () => {
    for (const [name, service] of Object.entries(compose.services)) {
      const { read_only, cap_drop, security_opt, user } = service;
      const hardened = { read_only, cap_drop, security_opt };
      expect([name, hardened]).toEqual([
        name,
        { read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] },
      ]);
      // Those of the portal are not root by their image.
      if (service.build === undefined && !name.startsWith('portal'))
        expect([name, user]).not.toEqual([name, undefined]);
      if (service.ports !== undefined) expect(name).toBe('nginx');
      if (!service.image.startsWith('${')) expect(service.image).toMatch(/^[a-z]+:\d+\.\d+$/);
    }
    expect(compose.networks['inside']).toEqual({ internal: true });
    for (const name of ['database', 'redis']) expect(compose.services[name]?.networks).toEqual(['inside']);
    expect(compose.services['nginx']?.networks).toEqual(['outside']);
  });

  it('brings the schema up to date before two replicas start, and nginx after they are ready', () => {
    const { services } = compose;
    const migrated = { condition: 'service_completed_successfully' };
    for (const replica of ['portal-a', 'portal-b']) {
      expect(services[replica]?.depends_on).toMatchObject({
        migrate: migrated,
        redis: { condition: 'service_healthy' },
      });
      expect(services[replica]?.healthcheck?.test.join(' ')).toContain('/api/v1/health/ready');
      expect(services['nginx']?.depends_on?.[replica]).toEqual({ condition: 'service_healthy' });
      expect(parseInt(services[replica]?.stop_grace_period ?? '', 10)).toBeGreaterThanOrEqual(35);
    }
    expect(services['migrate']).toMatchObject({
      restart: 'no',
      depends_on: { database: { condition: 'service_healthy' } },
    });
    const unwatched = Object.entries(services).filter(([, service]) => service.healthcheck === undefined);
    expect(unwatched.map(([name]) => name)).toEqual(['migrate']);
  });

  it('keeps its secrets in files that belong to their owner and to nobody’s repository', async () => {
    const files = Object.values(compose.services).flatMap(({ env_file = [] }) => env_file);
    expect(new Set(files)).toEqual(new Set(['deploy/portal.env', 'deploy/database.env', 'deploy/redis.env']));
    for (const file of files) expect((await stat(join(cwd, file))).mode & 0o777).toBe(0o600);
    expect(await read('deploy/.gitignore')).toMatch(/^\*\.env$/m);
    expect(await read('.dockerignore')).toMatch(/^deploy$/m);
    expect(JSON.stringify(compose)).not.toMatch(/"(environment|MARIADB_\w+)":/);
    const [portal, database, redis] = await Promise.all(
      ['deploy/portal.env', 'deploy/database.env', 'deploy/redis.env'].map(environment),
    );
    expect(new URL(portal?.['DATABASE_URL'] ?? '').password).toBe(database?.['MARIADB_PASSWORD']);
    expect(new URL(portal?.['REDIS_URL'] ?? '').password).toBe(redis?.['REDIS_PASSWORD']);
  });

  it('has settings that the portal accepts in production as they are', async () => {
    const env = { APP_ENV: 'production', SERVER_HOST: '0.0.0.0', ...(await environment('deploy/portal.env')) };
    const { config, warnings } = resolveConfig({ definition: {}, env });
    expect(warnings).toEqual([]);
    expect(config).toMatchObject({
      app: { trustProxy: 1 },
      session: { store: 'redis' },
      limits: { store: 'redis' },
      mail: { transport: 'smtp' },
      metrics: { port: 9464, host: '0.0.0.0' },
    });
  });

  it('never gives away the secrets of an installation that is there, not even with --force', async () => {
    const before = await read('deploy/portal.env');
    expect((await publish(cwd, 'docker', '--force')).kept).toContain('deploy/portal.env');
    expect(await read('deploy/portal.env')).toBe(before);
    expect(await (await publishedProject('docker'), read('deploy/portal.env'))).toBe(before);
  });
});

describe('the Compose file of docs/production.md for the runtime', () => {
  it('is one by the schema, and gives its containers the volume alone to write to', async () => {
    const [, text = ''] = /^```yaml\n(x-portal:.*?)^```$/ms.exec(await readFile('docs/production.md', 'utf8')) ?? [];
    const document = parse(text, { merge: true }) as Pick<Compose, 'services'>;
    expect(await faultsOfCompose(document)).toEqual([]);
    expect(Object.keys(document.services)).toEqual(['migrate', 'portal']);
    for (const service of Object.values(document.services)) {
      expect(service).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        volumes: ['data:/data', expect.stringMatching(/:\/srv\/portal:ro$/)],
      });
    }
  });
});
