import { headerValue } from '../../src/api/gateway/decision-reply.js';
import { createLogger } from '../../src/core/index.js';
import { Developer, readKeyAccess, verify } from '../support/apps.js';
import { createProduct } from '../support/factories.js';
import type { Answer, Call } from '../support/http-client.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

let test: TestPortal;
let ada: Developer;
let app: { id: number; key: string; secret: string };
let count = 0;

const log: string[] = [];

beforeAll(async () => {
  test = await startTestPortal({ logger: createLogger('debug', { write: (line) => void log.push(line) }) });
  await createProduct(test, { slug: 'payments' });
  await createProduct(test, { slug: 'rates', approval: 'manual' });
  await createProduct(test, { slug: 'geo' });
  ada = await Developer.create(test);
});
beforeEach(async () => {
  count += 1;
  app = await ada.createApp(`app-${count}`, ['payments', 'rates']);
});
afterAll(() => test.stop());

const ask = (path: string, headers: Record<string, string> = {}, call: Call = {}): Promise<Answer> =>
  test.client.send('GET', path, { ...call, headers });
const reason = (answer: Answer): unknown[] => [answer.status, answer.headers.get('x-auth-reason')];

describe('a good key', () => {
  it('is answered with who it is, and never with the key', async () => {
    const answer = await verify(test, app.key);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-portal-developer')).toBe(String(ada.user.id));
    expect(answer.headers.get('x-portal-app')).toBe(`app-${count}`);
    expect(answer.headers.get('x-portal-key-id')).toBe(String(app.id));
    expect(answer.headers.get('x-portal-products')).toBe('payments');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('x-auth-reason')).toBeNull();
    expect(answer.json).toEqual({ allowed: true });
    expect(JSON.stringify([...answer.headers])).not.toContain(app.key);
  });

  it('is read from X-API-Key, Authorization, or the query of the call itself, in this order', async () => {
    const uri = { 'X-Forwarded-Uri': `/v1/charge?a=b&apikey=${app.key}` };
    const ways: Record<string, string>[] = [
      { 'X-API-Key': app.key },
      { Authorization: `Bearer ${app.key}` },
      { authorization: `apikey ${app.key}` },
      uri,
      { ...uri, Authorization: 'Basic YTpi' },
      { ...uri, 'X-API-Key': '' },
    ];
    for (const headers of ways) {
      expect([headers, (await ask('/gateway/verify', headers)).status]).toEqual([headers, 200]);
    }
    const bad = { ...uri, 'X-API-Key': 'pk_00000000000000000000000000000000' };
    expect(reason(await ask('/gateway/verify', bad))).toEqual([403, 'unknown_key']);
    // Caddy appends the client's query to the path of the check; nginx does not. It counts nowhere.
    expect(reason(await ask(`/gateway/verify?apikey=${app.key}`))).toEqual([401, 'missing_key']);
  });

  it('opens the products that were approved for it, and says why not the others', async () => {
    expect(await readKeyAccess(test, app.key, 'payments')).toBe('open');
    expect(await readKeyAccess(test, app.key, '-')).toBe('open');
    expect(await readKeyAccess(test, app.key, 'rates')).toBe('product_pending');
    expect(await readKeyAccess(test, app.key, 'geo')).toBe('product_not_granted');
    expect(await readKeyAccess(test, app.key, 'missing')).toBe('product_not_granted');
    expect(await readKeyAccess(test, app.key, '%zz')).toBe('product_not_granted');
    expect(await readKeyAccess(test, app.key, 'payments/../rates')).not.toBe('open');
    expect((await ask('/gateway/verify/Payments', { 'X-API-Key': app.key })).status).toBe(403);
  });

  it('stops opening a product that became a draft', async () => {
    await test.portal.database.execute("UPDATE portal_products SET visibility = 'draft' WHERE slug = 'payments'");
    expect(await readKeyAccess(test, app.key, 'payments')).toBe('product_not_granted');
    expect(await readKeyAccess(test, app.key)).toBe('no_product');
    await test.portal.database.execute("UPDATE portal_products SET visibility = 'public' WHERE slug = 'payments'");
    expect(await readKeyAccess(test, app.key, 'payments')).toBe('open');
  });

  it('has its last use noted at most once a minute', async () => {
    const lastUse = async (): Promise<unknown> => {
      // The note is written beside the answer.
      for (let round = 0; round < 50; round += 1) {
        const { data } = (await ada.get(`/app-${count}/credentials/${app.id}`)).json;
        if (data.last_used_at !== null) return data.last_used_at;
      }
      return null;
    };
    const start = test.clock.now().toISOString();
    await verify(test, app.key);
    expect(await lastUse()).toBe(start);
    test.clock.advance(59);
    await verify(test, app.key);
    expect(await lastUse()).toBe(start);
  });
});

describe('a key that does not open', () => {
  it('is told from none and from one that cannot be: 401 asks, 403 refuses', async () => {
    const none = await ask('/gateway/verify');
    expect(reason(none)).toEqual([401, 'missing_key']);
    expect(none.headers.get('www-authenticate')).toBe('ApiKey realm="api"');
    expect(none.json).toEqual({ error: 'missing_key' });
    for (const malformed of ['short', 'with space inside', `${app.key}!`, 'x'.repeat(256), `${app.key},${app.key}`]) {
      expect(reason(await verify(test, malformed))).toEqual([401, 'malformed_key']);
    }
    const twice = { 'X-Forwarded-Uri': `/?apikey=${app.key}&apikey=${app.key}` };
    expect(reason(await ask('/gateway/verify', twice))).toEqual([401, 'malformed_key']);
    const unknown = await verify(test, 'pk_00000000000000000000000000000000');
    expect(reason(unknown)).toEqual([403, 'unknown_key']);
    expect(unknown.headers.get('www-authenticate')).toBeNull();
    expect(reason(await verify(test, app.secret))).toEqual([403, 'unknown_key']);
  });

  it('is refused from the next request on, and says why', async () => {
    const path = `/app-${count}`;
    const credential = `${path}/credentials/${app.id}`;
    for (const [target, expected] of [
      [path, 'revoked_app'],
      [credential, 'revoked_key'],
      [`${credential}/products/payments`, 'product_revoked'],
    ] as const) {
      await ada.post(`${target}/revoke`);
      expect(await readKeyAccess(test, app.key, 'payments')).toBe(expected);
      await ada.post(`${target}/approve`);
      expect(await readKeyAccess(test, app.key, 'payments')).toBe('open');
    }
    await ada.delete(credential);
    expect(await readKeyAccess(test, app.key)).toBe('unknown_key');
  });

  it('is refused while its developer is disabled', async () => {
    const eve = await Developer.create(test);
    const own = await eve.createApp('shop', ['payments']);
    const { users } = test.portal.services.accounts;
    await users.setStatus(eve.user.id, 'inactive');
    expect(await readKeyAccess(test, own.key)).toBe('inactive_developer');
    await users.setStatus(eve.user.id, 'active');
    expect(await readKeyAccess(test, own.key)).toBe('open');
    await users.delete(eve.user.id);
    expect(await readKeyAccess(test, own.key)).toBe('unknown_key');
  });
});

describe('ext_authz', () => {
  it('reads the call from its own path, in every method, and takes the product from the prefix', async () => {
    for (const method of ['GET', 'POST', 'DELETE', 'PATCH', 'OPTIONS']) {
      const path = '/gateway/ext-authz/payments/v1/charge?x=1';
      const answer = await test.client.send(method, path, { headers: { Authorization: `Bearer ${app.key}` } });
      expect([method, answer.status]).toEqual([method, 200]);
    }
    const query = `/v1/a%2Fb/%zz?apikey=${app.key}`;
    expect((await ask(`/gateway/ext-authz/payments${query}`)).status).toBe(200);
    expect((await ask(`/gateway/ext-authz/-${query}`)).status).toBe(200);
    expect((await ask(`/gateway/ext-authz`, { 'X-API-Key': app.key })).status).toBe(200);
    expect(reason(await ask(`/gateway/ext-authz/rates${query}`))).toEqual([403, 'product_pending']);
    expect(reason(await ask(`/gateway/ext-authz/geo/..${query}`))).toEqual([403, 'product_not_granted']);
  });

  it('ignores X-Forwarded-Uri, which a client may have forged', async () => {
    const forged = { 'X-Forwarded-Uri': `/?apikey=${app.key}` };
    expect(reason(await ask('/gateway/ext-authz/payments/v1', forged))).toEqual([401, 'missing_key']);
  });
});

describe('who may ask', () => {
  const forwardedFor = (value: string) => ({ 'X-API-Key': app.key, 'X-Forwarded-For': value });

  it('without a secret: this machine, but not as the proxy of somebody else', async () => {
    for (const value of ['127.0.0.1', '::1', '[::1]:4711', '127.0.0.1:80, ::ffff:127.0.0.1']) {
      expect((await ask('/gateway/verify', forwardedFor(value))).status).toBe(200);
    }
    for (const value of ['203.0.113.9', '127.0.0.1, 203.0.113.9', 'unknown', '2001:db8::1']) {
      expect(reason(await ask('/gateway/verify', forwardedFor(value)))).toEqual([403, 'verify_secret_required']);
    }
    const signs: Record<string, string>[] = [
      { 'X-Real-IP': '203.0.113.9' },
      { Forwarded: 'for="[2001:db8::1]:47";proto=https' },
    ];
    for (const headers of signs) {
      const answer = await ask('/gateway/verify', { 'X-API-Key': app.key, ...headers });
      expect(reason(answer)).toEqual([403, 'verify_secret_required']);
    }
    const local = { 'X-API-Key': app.key, Forwarded: 'for=127.0.0.1;proto=https;by=203.0.113.9' };
    expect((await ask('/gateway/verify', local)).status).toBe(200);
    const warnings = log.filter((line) => line.includes('a gateway may not ask here'));
    expect(warnings).toHaveLength(1);
  });

  it('without a secret: nobody, once the portal is said to be behind a proxy', async () => {
    const proxied = await startTestPortal({ config: { app: { trustProxy: 1 } }, databaseUrl: test.databaseUrl });
    expect(await readKeyAccess(proxied, app.key)).toBe('verify_secret_required');
    await proxied.stop();
  });

  it('with a secret: whoever knows it, from anywhere', async () => {
    const secret = 'a-verify-secret-of-thirty-two-characters';
    const config = { verify: { secret, path: '/internal/check' }, app: { trustProxy: 1 } };
    const guarded = await startTestPortal({ config, databaseUrl: test.databaseUrl });
    const check = (headers: Record<string, string>) =>
      guarded.client.get('/internal/check/payments', { headers: { 'X-API-Key': app.key, ...headers } });
    expect(reason(await check({}))).toEqual([403, 'bad_verify_secret']);
    expect(reason(await check({ 'X-Portal-Verify-Secret': `${secret}x` }))).toEqual([403, 'bad_verify_secret']);
    const right = { 'X-Portal-Verify-Secret': secret, 'X-Forwarded-For': '203.0.113.9' };
    expect((await check(right)).status).toBe(200);
    expect((await guarded.client.get('/gateway/verify')).status).toBe(404);
    await guarded.stop();
  });

  it('is asked whatever Host the proxy uses, and also with the absolute form of the address', async () => {
    const raw = (target: string) =>
      test.client.rawRequest(
        `GET ${target} HTTP/1.1\r\nHost: api.internal\r\nX-API-Key: ${app.key}\r\nConnection: close\r\n\r\n`,
      );
    expect(await raw('/gateway/verify/payments')).toMatch(/^HTTP\/1\.1 200 /);
    expect(await raw('http://portal/gateway/verify/payments')).toMatch(/^HTTP\/1\.1 200 /);
    expect(await raw('http://portal/gateway/verify/geo')).toMatch(/^HTTP\/1\.1 403 /);
  });

  it('nobody, when it is switched off', async () => {
    const off = await startTestPortal({ config: { verify: { enabled: false } }, databaseUrl: test.databaseUrl });
    expect((await verify(off, app.key)).status).toBe(404);
    await off.stop();
  });
});

describe('when the database does not answer', () => {
  it('keeps the door shut with 503, which every proxy takes for a no', async () => {
    const broken = await startTestPortal();
    await broken.portal.database.execute('DROP TABLE portal_gateway_key_products');
    const answer = await verify(broken, app.key);
    expect(reason(answer)).toEqual([503, 'unavailable']);
    expect(answer.json).toEqual({ error: 'unavailable' });
    await broken.stop();
  });
});

describe('secrets', () => {
  it('are in no log line (S69)', () => {
    const text = log.join('');
    expect(text).not.toContain(app.key);
    expect(text).not.toContain(app.secret);
  });

  it('header values carry any name safely', () => {
    expect(headerValue('caf\u00e9, 100%\r\nX-Portal-App: forged')).toBe('caf%C3%A9, 100%25%0D%0AX-Portal-App: forged');
    expect(headerValue('\ud800')).toBe('%EF%BF%BD');
  });
});
