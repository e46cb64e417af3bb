import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { openPortal } from 'portalkit';

// JavaScript, so that Node's own runner needs nothing to read it; `npm run typecheck` checks it like the rest.

/**
 * Beats portal.config.ts and .env, so that the test needs neither your secrets nor a server.
 * @param {string} folder
 */
const settingsOf = (folder) => ({
  APP_ENV: 'test',
  APP_LOG_LEVEL: 'warn',
  APP_KEY: `base64:${randomBytes(32).toString('base64')}`,
  PORTAL_API_JWT_SECRET: randomBytes(48).toString('base64url'),
  SERVER_HOST: '127.0.0.1',
  SERVER_PORT: '0',
  DATABASE_URL: `sqlite:${join(folder, 'test.sqlite')}`,
  SESSION_STORE: 'database',
  LIMITS_STORE: 'memory',
  SERVER_WORKERS: '1',
  GATEWAY_DRIVER: 'local',
});

/** The real portal of this project, on any free port and with a new database that is thrown away. */
describe('this portal', () => {
  /** @type {string} */
  let folder;
  /** @type {import('portalkit').Portal} */
  let portal;
  /** @type {Awaited<ReturnType<import('portalkit').Portal['listen']>>} */
  let server;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), '{{name}}-'));
    portal = await openPortal({ env: { ...process.env, ...settingsOf(folder) } });
    await portal.migrator.up();
    server = await portal.listen();
  });

  after(async () => {
    await server?.close();
    await portal?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** @param {string} path */
  const get = (path) => fetch(`http://127.0.0.1:${server.address.port}${portal.config.portalApi.prefix}${path}`);

  it('is ready', async () => {
    const response = await get('/health/ready');
    assert.equal(response.status, 200);
  });

  it('answers the route of src/routes.ts in the envelope', async () => {
    const response = await get('/status');
    assert.equal(response.status, 200);
    /** @type {any} */
    const { success, data } = await response.json();
    assert.equal(success, true);
    assert.equal(data.open, true);
  });
});
