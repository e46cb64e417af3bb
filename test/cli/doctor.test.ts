import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkPortal } from '../../src/cli/check-portal.js';
import { checkKeys } from '../../src/cli/check-keys.js';
import { checkClock, checkMetrics, checkProxy } from '../../src/cli/check-surroundings.js';
import { shippedDrivers } from '../../src/shipped-drivers.js';
import { CHECKS } from '../../src/cli/doctor-finding.js';
import { resolveConfig, type PortalConfigInput } from '../../src/config/index.js';
import { Developer } from '../support/apps.js';
import { describeWith } from '../support/describe-with.js';
import { createPlan, createProduct } from '../support/factories.js';
import { freePort } from '../support/ports.js';
import { portal } from '../support/portal-command.js';
import { createProject, type Project } from '../support/project.js';
import { startRedis } from '../support/services.js';
import { startSmtp } from '../support/smtp.js';
import { dialectUnderTest } from '../support/test-database.js';
import { startTestPortal } from '../support/test-portal.js';
import { appIdOf, seedCalls } from '../support/usage.js';

interface Report {
  readonly ok: boolean;
  readonly checks: readonly { readonly check: string; readonly status: string; readonly message: string }[];
}

const STRONG = 'eX4Wq0ZtLr7VmN2yBc9KdJh5GfSaUp3RiOoTlEwYkQx';

let project: Project;
beforeAll(async () => {
  project = await createProject(dialectUnderTest());
});
afterAll(() => project.remove());

async function examine(env: Record<string, string>, ...flags: string[]) {
  const { stdout, exitCode, stderr } = await project.run(['doctor', '--json', ...flags], env);
  const report = JSON.parse(stdout) as Report;
  expect(report.ok).toBe(exitCode === 0);
  const bad = report.checks.filter(({ status }) => status !== 'ok').map(({ check, status }) => `${status}: ${check}`);
  return { ...report, exitCode, bad, said: stdout + stderr };
}

describe('portal doctor on a host with many faults', () => {
  it('names all of them at once, each by the stable name of its check, and no secret', async () => {
    const [redis, smtp, gateway] = [await freePort(), await freePort(), await freePort()];
    writeFileSync(join(project.cwd, '.env'), 'APP_NAME=Acme\n');
    chmodSync(join(project.cwd, '.env'), 0o644);
    const { bad, exitCode, checks, said } = await examine({
      APP_ENV: 'production',
      APP_URL: 'https://portal.example.com',
      METRICS_PORT: '9464',
      METRICS_HOST: '0.0.0.0',
      REDIS_URL: `redis://:canary-of-redis@127.0.0.1:${redis}`,
      MAIL_TRANSPORT: 'smtp',
      MAIL_URL: `smtp://portal:canary-of-mail@127.0.0.1:${smtp}`,
      GATEWAY_DRIVER: 'apigee',
      GATEWAY_APIGEE_ORGANIZATION: 'acme',
      GATEWAY_APIGEE_METADATA_URL: `http://127.0.0.1:${gateway}/token`,
    });
    const expected = [
      ...['warning: env-file', 'warning: proxy', 'warning: metrics', 'warning: admins'],
      ...['failure: gateway', 'failure: redis', 'failure: mail'],
    ];
    expect([exitCode, bad.filter((finding) => finding !== 'warning: database-file').sort()]).toEqual([
      1,
      expected.sort(),
    ]);
    for (const { check } of checks) expect(Object.keys(CHECKS)).toContain(check);
    expect(said).not.toMatch(/canary-of|base64:/);
    chmodSync(join(project.cwd, '.env'), 0o600);
  });

  it('passes with warnings, unless they count', async () => {
    expect(await examine({})).toMatchObject({ exitCode: 0, bad: expect.arrayContaining(['warning: admins']) });
    expect((await examine({}, '--strict')).exitCode).toBe(1);
    await project.run(['rbac:seed']);
    const account = ['--email', 'ada@example.com', '--name', 'Ada', '--role', 'super_admin', '--password-stdin'];
    await portal(['admin:create', ...account], { ...project, input: 'a long enough one' });
    const file = project.databaseUrl.replace(/^sqlite:/, '');
    if (dialectUnderTest() === 'sqlite') chmodSync(file, 0o600);
    expect(await examine({ VERIFY_SECRET: STRONG }, '--strict')).toMatchObject({ exitCode: 0, bad: [] });
  });

  it('takes a mail server that answers, and names one that refuses', async () => {
    const smtp = await startSmtp();
    const mail = async (url: string) =>
      (await examine({ MAIL_TRANSPORT: 'smtp', MAIL_URL: url })).checks.find(({ check }) => check === 'mail');
    expect(await mail(smtp.url)).toMatchObject({ status: 'ok' });
    const refused = await mail(smtp.url.replace('smtp://', 'smtp://portal:canary@'));
    expect(refused).toMatchObject({ status: 'failure', message: expect.stringMatching(/refuses user and password/) });
    await smtp.close();
  });
});

describeWith('redis', 'portal doctor and Redis', () => {
  it('warns of one that drops sessions when it is full (R10)', async () => {
    const redis = await startRedis(['--maxmemory-policy', 'allkeys-lru']);
    const { checks } = await examine({ REDIS_URL: `redis://127.0.0.1:${redis.port}`, REDIS_TIMEOUT: '5000' });
    await redis.stop();
    expect(checks.find(({ check }) => check === 'redis')).toMatchObject({
      status: 'warning',
      message: expect.stringContaining('allkeys-lru'),
      fix: expect.stringContaining('noeviction'),
    });
  });
});

describe('the checks of the surroundings', () => {
  const configured = (definition: PortalConfigInput) => {
    const keys = { app: { key: STRONG, ...definition.app }, portalApi: { jwtSecret: `${STRONG}-of-tokens` } };
    return resolveConfig({ definition: { ...definition, ...keys } }).config;
  };
  const app = { env: 'production', url: 'https://portal.example.com' } as const;

  it('count proxies only where one must be', () => {
    expect(checkProxy(configured({ app }))).toMatchObject({ check: 'proxy', status: 'warning' });
    expect(checkProxy(configured({ app: { ...app, trustProxy: 1 } })).status).toBe('ok');
    expect(checkProxy(configured({ app: { ...app, url: 'http://portal.test', allowHttp: true } })).status).toBe('ok');
  });

  it('take metrics on this machine for private', () => {
    const status = (host: string, port = 9464) => checkMetrics(configured({ app, metrics: { host, port } })).status;
    const hosts = ['127.0.0.1', '127.0.0.9', '::1', 'localhost', '0.0.0.0', '::', '10.0.0.7', 'metrics.internal'];
    expect(hosts.map((host) => status(host))).toEqual([
      ...['ok', 'ok', 'ok', 'ok'],
      ...['warning', 'warning', 'warning', 'warning'],
    ]);
    expect(status('0.0.0.0', 0)).toBe('ok');
  });

  it('tell of webhooks that are late, and of endpoints that fail', async () => {
    const test = await startTestPortal({ config: { outbound: { allow: ['127.0.0.1'] } } });
    const { portal: opened, clock } = test;
    const { catalog, webhooks } = opened.services;
    const found = async () =>
      (await checkPortal(opened, project.cwd)).find(({ check }) => check === 'webhooks') ?? { status: 'none' };
    expect(await found()).toMatchObject({ status: 'ok', message: 'no endpoints of the operator' });
    const url = `http://127.0.0.1:${await freePort()}/`;
    await webhooks.endpoints.create({ url, events: ['category.*'] }, null, null);
    await opened.database.execute("UPDATE portal_webhook_endpoints SET status = 'active'");
    await catalog.categories.create({ slug: 'maps', name: 'Maps' });
    clock.advance(590);
    expect(await found()).toMatchObject({ status: 'ok', message: '1 endpoint of the operator does well' });
    clock.advance(20);
    expect(await found()).toMatchObject({
      status: 'warning',
      message: expect.stringMatching(/^1 message .* ten minutes/),
    });
    await opened.jobs.run('webhooks');
    await webhooks.dispatcher.idle();
    expect(await found()).toMatchObject({
      status: 'warning',
      message: '1 endpoint of the operator fails, 0 were turned off',
    });
    await test.stop();
  });

  it('tell of calls that were held against no plan, because the proxy names no product', async () => {
    const test = await startTestPortal({ config: { verify: { enabled: true } } });
    await createPlan(test, { slug: 'free' }, { quotaPerDay: 10 });
    for (const slug of ['one', 'two']) await createProduct(test, { slug, plans: ['free'] });
    const { id } = await (await Developer.create(test)).createApp('shop', ['one', 'two']);
    const ofPlans = async () =>
      (await checkPortal(test.portal, project.cwd)).filter(({ message }) => /no plan/.test(message));
    expect(await ofPlans()).toEqual([]);
    const calls = {
      appId: await appIdOf(test, 'shop'),
      credentialId: id,
      productId: 0,
      at: test.clock.now(),
      calls: 7,
    };
    await seedCalls(test, [calls]);
    expect(await ofPlans()).toMatchObject([
      { check: 'verify', status: 'warning', message: expect.stringMatching(/^7 calls with keys of several products/) },
    ]);
    await test.stop();
  });

  it('measure the clock of the database server (R30)', async () => {
    // Its clock stands still, long ago.
    const test = await startTestPortal();
    const findings = await checkClock(test.portal);
    const isFar = { check: 'clock', status: 'warning', message: expect.stringMatching(/this machine is \d+ s /) };
    expect(findings).toMatchObject(dialectUnderTest() === 'mysql' ? [isFar] : []);
    if (dialectUnderTest() === 'mysql') {
      const { checks } = await examine({});
      expect(checks).toContainEqual({ check: 'clock', status: 'ok', message: 'agrees with that of the database' });
    }
    await test.stop();
  });

  it('tell keys that still need an earlier APP_KEY from those that none opens (S71)', async () => {
    const [old, next] = [`${STRONG}-old`, `${STRONG}-new`];
    const first = await startTestPortal({ config: { app: { key: old } } });
    await first.portal.services.site.settings.create({
      ...{ key: 'acme.secret', value: 'word', type: 'secret', label: 'Secret', group: 'acme', isPublic: false },
    });
    const { databaseUrl } = first;
    const status = async (key: string, previousKeys: string[]) => {
      const test = await startTestPortal({ databaseUrl, config: { app: { key, previousKeys } } });
      const finding = await checkKeys(test.portal);
      await test.stop();
      return finding;
    };
    expect((await checkKeys(first.portal)).status).toBe('ok');
    expect(await status(next, [old])).toMatchObject({ status: 'warning', fix: 'portal keys:rotate --reseal' });
    expect(await status(next, [])).toMatchObject({
      status: 'failure',
      message: 'APP_KEY does not open portal_settings.value: another one wrote them',
    });
    await first.stop();
  });
});

describe('docs/production.md', () => {
  it('lists every check by its name', async () => {
    const page = readFileSync(join(process.cwd(), 'docs', 'production.md'), 'utf8');
    const listed = [...page.matchAll(/^\| `([a-z-]+)` +\| (.+?) +\|$/gm)].map(([, check, meaning]) => [check, meaning]);
    const ofDrivers = Object.values(await shippedDrivers()).flatMap(({ doctorChecks = {} }) =>
      Object.entries(doctorChecks),
    );
    expect(listed).toEqual(expect.arrayContaining([...Object.entries(CHECKS), ...ofDrivers]));
  });
});
