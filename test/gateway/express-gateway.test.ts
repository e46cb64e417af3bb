import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CheckResult } from '../../src/gateway/contract-suite/index.js';
import { folderWith, SECRETS } from '../config/support.js';
import { describeWith } from '../support/describe-with.js';
import { mustHaveServices, requireService } from '../support/binaries.js';
import { portal } from '../support/portal-command.js';
import { freePort } from '../support/ports.js';
import { startPrivately, type PrivateService } from '../support/private-process.js';

/** A third-party gateway with a package.json of its own: `npm ci` there installs it. */
const EXAMPLE = fileURLToPath(new URL('../../../examples/gateways/express-gateway', import.meta.url));
const isInstalled = existsSync(`${EXAMPLE}/node_modules/express-gateway`);

if (isInstalled || mustHaveServices()) describeWith('redis', 'the example for Express Gateway', suite);
else describe.skip('the example for Express Gateway [needs express-gateway]', suite);

function suite(): void {
  let redis: PrivateService;
  let gateway: PrivateService;
  let adminPort: number;

  beforeAll(async () => {
    redis = await startPrivately('redis', ({ port, directory }) => ({
      program: requireService('redis'),
      arguments: ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', directory],
    }));
    adminPort = await freePort();
    const backendPort = await freePort();
    gateway = await startPrivately('express-gateway', ({ port }) => ({
      program: process.execPath,
      arguments: [`${EXAMPLE}/start-gateway.mjs`],
      environment: {
        EG_HTTP_PORT: String(port),
        EG_ADMIN_PORT: String(adminPort),
        EG_BACKEND_PORT: String(backendPort),
        EG_REDIS_PORT: String(redis.port),
      },
      isReady: async () => (await fetch(`http://127.0.0.1:${adminPort}/scopes`).catch(() => undefined))?.ok === true,
    }));
  });
  afterAll(async () => {
    await gateway?.stop();
    await redis?.stop();
  });

  it('keeps every promise with the real gateway and a real Redis: created, a key opens; revoked, it does not', async () => {
    const door = `http://127.0.0.1:${gateway.port}/{product}`;
    const header = 'Authorization: apiKey {key}:{secret}';
    const env = {
      ...SECRETS,
      APP_ENV: 'test',
      DATABASE_URL: `sqlite:${join(await folderWith({}), 'portal.sqlite')}`,
      EG_ADMIN_URL: `http://127.0.0.1:${adminPort}`,
    };
    expect((await portal(['migrate'], { cwd: EXAMPLE, env })).exitCode).toBe(0);
    const { stdout, stderr, exitCode } = await portal(
      ['gateway:test', '--json', '--door', door, '--door-header', header],
      { cwd: EXAMPLE, env },
    );
    expect(stderr).toBe('');
    const report = JSON.parse(stdout) as { driver: string; checks: CheckResult[] };
    expect(report.driver).toBe('express-gateway');
    expect(report.checks.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
    expect(new Set(report.checks.flatMap(({ reason }) => reason ?? []))).toEqual(
      new Set([
        'lacks the capability moveApps',
        'lacks the capability productStatusPerKey',
        'lacks the capability teams',
        'keys never end by themselves',
        'the end of a key stays where it is',
        'the driver cannot tell what is there',
      ]),
    );
    expect(exitCode).toBe(0);
  });
}
