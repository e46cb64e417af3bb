import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GatewayRefusedError } from '../../../src/gateway/index.js';
import { startApigee, type ApigeeUnderTest } from './support.js';

let test: ApigeeUnderTest;
afterEach(() => test.stop());

const bearers = () => new Set(test.fake.requests.map(({ headers }) => headers.authorization));

describe('signing in at Apigee', () => {
  it.each([
    ['x', 'token'],
    ['x', 'service-account'],
    ['x', 'metadata'],
    ['edge', 'token'],
    ['edge', 'basic'],
    ['edge', 'oauth'],
  ] as const)('works at %s with %s', async (flavour, signIn) => {
    test = await startApigee(flavour, { signIn });
    await expect(test.driver.check()).resolves.toBeUndefined();
  });

  it.each([
    ['x', 'service-account'],
    ['edge', 'oauth'],
  ] as const)('at %s gets one token for many calls, and another before it ends', async (flavour, signIn) => {
    test = await startApigee(flavour, { signIn });
    await Promise.all([test.driver.check(), test.driver.check(), test.driver.products.list()]);
    expect(bearers().size).toBe(1);
    test.clock.advance(3_541);
    await test.driver.check();
    expect(bearers().size).toBe(2);
  });

  it.each([
    ['x', 'service-account'],
    ['edge', 'oauth'],
  ] as const)('at %s tries again when a token was withdrawn, with a change too', async (flavour, signIn) => {
    test = await startApigee(flavour, { signIn });
    await test.driver.check();
    test.fake.tokens.revokeAll();
    const ada = { id: '1', email: 'ada@example.com', firstName: 'Ada', lastName: 'L', status: 'active' } as const;
    await test.driver.developers.ensure(ada);
    expect(test.fake.organization.developers.size).toBe(1);
  });

  it('at Edge logs in again when the refresh token is no longer good', async () => {
    test = await startApigee('edge', { signIn: 'oauth' });
    await test.driver.check();
    test.fake.tokens.revokeAll();
    test.fake.tokens.revokeRefreshTokens();
    await expect(test.driver.check()).resolves.toBeUndefined();
  });

  it('takes the 500 that some releases of Edge give to a stale token for what it is', async () => {
    test = await startApigee('edge', { signIn: 'oauth' });
    const code = 'usersandroles.SsoInternalServerError';
    test.fake.fail({ kind: 'status', status: 500, code, path: '/v1/' });
    await expect(test.driver.check()).resolves.toBeUndefined();
    expect(test.fake.requests).toHaveLength(2);
  });

  it('says whose fault it is, without the secret', async () => {
    test = await startApigee('edge', { signIn: 'oauth', settings: { password: 'wrong-password' } });
    const refused = await test.driver.check().catch((error: unknown) => error as GatewayRefusedError);
    expect(refused).toBeInstanceOf(GatewayRefusedError);
    expect((refused as GatewayRefusedError).detail).toMatch(/^sign-in at 127\.0\.0\.1:\d+: 401/);
    expect(JSON.stringify(refused)).not.toContain('wrong-password');
    await test.stop();
    test = await startApigee('edge', { signIn: 'basic', settings: { password: 'wrong' } });
    await expect(test.driver.check()).rejects.toMatchObject({ detail: expect.stringContaining('401') });
    expect(test.fake.requests).toHaveLength(1);
  });

  it('reads the key of a service account from its file, and again after it was replaced', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'portalkit-key-'));
    const credentialsFile = join(folder, 'key.json');
    try {
      test = await startApigee('x', { settings: { token: '', credentialsFile } });
      await expect(test.driver.check()).rejects.toMatchObject({ detail: expect.stringContaining('cannot be read') });
      for (const [text, fault] of [
        ['{', 'it is not JSON'],
        ['{}', 'client_email or private_key is missing'],
        [JSON.stringify({ client_email: 'a@b', private_key: 'none' }), 'private_key is not a key'],
      ] as const) {
        writeFileSync(credentialsFile, text);
        await expect(test.driver.check()).rejects.toMatchObject({ detail: expect.stringContaining(fault) });
      }
      const account = test.fake.tokens.serviceAccount(`${test.fake.url}/token`);
      writeFileSync(credentialsFile, JSON.stringify(account));
      await expect(test.driver.check()).resolves.toBeUndefined();
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('tells when the organization is of the other kind', async () => {
    test = await startApigee('x', { settings: { platform: 'edge' } });
    await expect(test.driver.check()).rejects.toMatchObject({
      detail: expect.stringContaining('set gateway.apigee.platform to x'),
    });
  });
});
