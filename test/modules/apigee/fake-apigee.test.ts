import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeApigee, type ApigeeFlavour, type FakeApigeeOptions } from '../../../src/modules/apigee/index.js';
import { misfits } from './shapes.js';
import { FLAVOURS } from './support.js';
import { FakeClock } from '../../support/fake-clock.js';

let fake: FakeApigee;
let clock: FakeClock;
afterEach(() => fake.stop());

async function start(flavour: ApigeeFlavour, options: Partial<FakeApigeeOptions> = {}): Promise<void> {
  clock = new FakeClock();
  const products = [{ name: 'one' }, { name: 'two' }, { name: 'manual', approvalType: 'manual' as const }];
  fake = await FakeApigee.start({ flavour, clock, products, ...options });
}

interface Answer {
  status: number;
  type: string | null;
  // What the real API sends is read as it comes.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  body: any;
}

async function call(method: string, path: string, body?: unknown, token = 'stand-in-token'): Promise<Answer> {
  const isAction = path.includes('action=');
  const response = await fetch(`${fake.url}/v1/organizations/acme${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': isAction ? 'application/octet-stream' : 'application/json',
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  const type = response.headers.get('content-type');
  return { status: response.status, type, body: type?.includes('json') && text !== '' ? JSON.parse(text) : text };
}

const ada = { email: 'ada@example.com', firstName: 'Ada', lastName: 'L', userName: 'ada' };
const APPS = '/developers/ada@example.com/apps';
const APP = `${APPS}/till`;

async function withApp(extra: Record<string, unknown> = {}): Promise<string> {
  await call('POST', '/developers', ada);
  const { body } = await call('POST', APPS, { name: 'till', apiProducts: ['one'], ...extra });
  return body.credentials[0].consumerKey;
}

describe.each(FLAVOURS)('the stand-in for Apigee (%s)', (flavour) => {
  it('answers in the published shapes, with 64-bit numbers of its flavour', async () => {
    await start(flavour);
    const key = await withApp({ keyExpiresIn: 60_000, callbackUrl: 'https://shop.example' });
    const { body: app } = await call('GET', APP);
    const shapes: [string, string, string][] = [
      ['GET', '', 'Organization'],
      ['GET', '/developers/ada@example.com', 'Developer'],
      ['GET', '/developers?expand=true', 'ListOfDevelopersResponse'],
      ['GET', APP, 'DeveloperApp'],
      ['GET', `${APPS}?expand=true`, 'ListDeveloperAppsResponse'],
      ['GET', `${APP}/keys/${key}`, 'DeveloperAppKey'],
      ['GET', `/apps/${app.appId}`, 'App'],
      ['GET', '/apps?expand=true&includeCred=true', 'ListAppsResponse'],
      ['GET', '/apiproducts?expand=true', 'ListApiProductsResponse'],
      ['GET', '/apiproducts/one', 'ApiProduct'],
      ['GET', `${APP}/attributes`, 'Attributes'],
      ['PUT', APP, 'DeveloperApp'],
      ['DELETE', `${APP}/keys/${key}`, 'DeveloperAppKey'],
      ['DELETE', APP, 'DeveloperApp'],
      ['DELETE', '/developers/ada@example.com', 'Developer'],
    ];
    for (const [method, path, shape] of shapes) {
      const { status, body } = await call(method, path, method === 'PUT' ? {} : undefined);
      expect([method, path, status, misfits(body, shape, flavour)]).toEqual([method, path, 200, []]);
    }
  });

  it('replaces what a PUT does not send, and makes a key when it sends products', async () => {
    await start(flavour);
    await withApp({ callbackUrl: 'https://shop.example', attributes: [{ name: 'color', value: 'red' }] });
    expect((await call('PUT', APP, { attributes: [] })).body).not.toHaveProperty('callbackUrl');
    expect((await call('GET', APP)).body.attributes).toEqual([]);
    expect((await call('PUT', APP, { apiProducts: ['one'] })).body.credentials).toHaveLength(2);
    expect((await call('PUT', APP, { name: 'other' })).status).toBe(400);
  });

  it('adds products to a key and replaces its attributes; a manual one waits', async () => {
    await start(flavour);
    const key = await withApp();
    await call('POST', `${APP}/keys/${key}`, { apiProducts: ['two'], attributes: [{ name: 'a', value: 'b' }] });
    const { body } = await call('POST', `${APP}/keys/${key}`, { apiProducts: ['manual'] });
    expect(body.attributes).toEqual([]);
    expect(body.apiProducts).toEqual([
      { apiproduct: 'one', status: 'approved' },
      { apiproduct: 'two', status: 'approved' },
      { apiproduct: 'manual', status: 'pending' },
    ]);
    expect(fake.opens(key, 'manual')).toBe(false);
    expect((await call('POST', `${APP}/keys/${key}/apiproducts/manual?action=approve`)).status).toBe(204);
    expect(fake.opens(key, 'manual')).toBe(true);
    expect((await call('PUT', `${APP}/keys/${key}`, { scopes: ['s'] })).body.scopes).toEqual(['s']);
  });

  it('pages with a cursor that repeats the last item, and does not know others', async () => {
    await start(flavour);
    for (const name of ['a', 'b', 'c']) {
      await call('POST', '/developers', { ...ada, email: `${name}@example.com` });
    }
    const emails = async (query: string) =>
      (await call('GET', `/developers?expand=true&${query}`)).body.developer.map(({ email }: typeof ada) => email);
    expect(await emails('count=2')).toEqual(['a@example.com', 'b@example.com']);
    expect(await emails('count=2&startKey=b@example.com')).toEqual(['b@example.com', 'c@example.com']);
    expect((await call('GET', '/developers?startKey=z@example.com')).status).toBe(404);
  });

  it('keeps the status of a key while its developer or app is closed, and opens nothing', async () => {
    await start(flavour);
    const key = await withApp();
    expect(fake.opens(key, 'one')).toBe(true);
    await call('POST', '/developers/ada@example.com?action=inactive');
    expect(fake.opens(key, 'one')).toBe(false);
    await call('POST', '/developers/ada@example.com?action=active');
    await call('POST', `${APP}?action=revoke`);
    expect(fake.opens(key, 'one')).toBe(false);
    expect((await call('GET', `${APP}/keys/${key}`)).body.status).toBe('approved');
    expect((await call('GET', '/apps')).body).toEqual(flavour === 'x' ? {} : []);
    expect(JSON.stringify((await call('GET', '/apps?status=revoked')).body)).toContain('-');
  });

  it('takes keys made elsewhere once, without their products', async () => {
    await start(flavour);
    await withApp();
    const own = { consumerKey: 'own-key', consumerSecret: 'own-secret', apiProducts: ['one'], status: 'revoked' };
    const { status, body } = await call('POST', `${APP}/keys/create`, own);
    expect([status, body.apiProducts, body.status]).toEqual([201, [], 'approved']);
    expect(body).not.toHaveProperty('expiresAt');
    expect((await call('POST', `${APP}/keys/create`, own)).status).toBe(409);
  });

  it('opens its door for good keys only', async () => {
    await start(flavour);
    const key = await withApp();
    const knock = async (product: string, value: string) =>
      (await fetch(fake.door.replace('{product}', product), { headers: { 'x-api-key': value } })).status;
    expect([await knock('one', key), await knock('two', key), await knock('one', 'wrong')]).toEqual([200, 401, 401]);
  });

  it('wants an action to be sent as one', async () => {
    await start(flavour);
    await withApp();
    const response = await fetch(`${fake.url}/v1/organizations/acme${APP}?action=revoke`, {
      method: 'POST',
      headers: { authorization: 'Bearer stand-in-token', 'content-type': 'application/json' },
      body: '{}',
    });
    expect(response.status).toBe(400);
  });
});

describe('what differs between the flavours', () => {
  it('is the place of a code in an error', async () => {
    await start('edge');
    const missing = '/developers/nobody@example.com';
    expect((await call('GET', missing)).body).toMatchObject({ code: 'developer.service.DeveloperDoesNotExist' });
    expect((await call('GET', missing, undefined, 'stale')).body).toMatchObject({ fault: { detail: {} } });
    await fake.stop();
    await start('x');
    const { error } = (await call('GET', missing)).body;
    expect(error).toMatchObject({ code: 404, status: 'NOT_FOUND' });
    expect(error.details[0].violations[0].type).toBe('developer.service.DeveloperDoesNotExist');
    expect((await call('GET', '/nothing-there')).type).toContain('text/html');
    await withApp();
    const key = { consumerKey: 'k', consumerSecret: 's' };
    await call('POST', `${APP}/keys`, key);
    expect((await call('POST', `${APP}/keys`, key)).body.error).toMatchObject({ code: 409, status: 'ABORTED' });
  });

  it('is how a list names its items, and what an empty one looks like', async () => {
    await start('edge');
    expect((await call('GET', '/developers')).body).toEqual([]);
    await withApp();
    expect((await call('GET', APPS)).body).toEqual(['till']);
    await fake.stop();
    await start('x');
    expect((await call('GET', '/developers')).body).toEqual({});
    await withApp();
    expect((await call('GET', APPS)).body).toEqual({ app: [{ appId: expect.any(String) }] });
    expect((await call('GET', '/apps?pageSize=1')).body).not.toHaveProperty('nextPageToken');
  });

  it('is when the keys of something deleted die', async () => {
    await start('x', { deletionDelay: 60 });
    const key = await withApp();
    await call('DELETE', APP);
    expect((await call('GET', APP)).status).toBe(404);
    expect(fake.opens(key, 'one')).toBe(true);
    clock.advance(60);
    expect(fake.opens(key, 'one')).toBe(false);
  });

  it('is what an organization may ask for: products on every app, a quota, no paging', async () => {
    await start('edge', { productsRequired: true, cps: false, callsPerMinute: 5 });
    await call('POST', '/developers', ada);
    const refused = await call('POST', APPS, { name: 'till', apiProducts: [] });
    expect(refused.body.code).toBe('keymanagement.service.ApiProductsRequired');
    expect((await call('GET', '/apiproducts?expand=true&count=1')).body.apiProduct).toHaveLength(3);
    expect((await call('POST', APPS, { name: 'till', apiProducts: ['none'] })).status).toBe(404);
    expect((await call('POST', APPS, { name: 'till', apiProducts: ['one'], keyExpiresIn: 0 })).status).toBe(400);
    expect((await call('GET', '')).status).toBe(429);
  });
});

describe('a file', () => {
  it('keeps what is there from one run to the next', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'stand-in-'));
    try {
      const file = join(folder, 'apigee.json');
      await start('x', { file });
      const key = await withApp();
      await fake.stop();
      await start('x', { file });
      expect(fake.opens(key, 'one')).toBe(true);
      expect((await call('GET', APP)).body.credentials[0].consumerKey).toBe(key);
      expect((await call('POST', '/developers', ada)).status).toBe(409);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('failures on purpose', () => {
  it('can be asked for by another process', async () => {
    await start('x');
    const control = (method: string, part: string, body?: unknown) =>
      fetch(`${fake.url}/stand-in/${part}`, {
        method,
        headers: { 'content-type': 'application/json' },
        body: body === undefined ? undefined : JSON.stringify(body),
      });
    await control('POST', 'failures', { kind: 'status', status: 503, path: 'apiproducts', times: 1 });
    expect((await call('GET', '/developers')).status).toBe(200);
    expect((await call('GET', '/apiproducts')).status).toBe(503);
    expect((await call('GET', '/apiproducts')).status).toBe(200);
    await control('POST', 'products', { name: 'three' });
    expect((await call('GET', '/apiproducts/three')).status).toBe(200);
    await withApp();
    const requests = (await (await control('GET', 'requests')).json()) as { method: string }[];
    expect(requests.map(({ method }) => method)).toEqual(['GET', 'GET', 'GET', 'GET', 'POST', 'POST']);
    expect(await (await control('GET', 'state')).json()).toMatchObject([
      { email: 'ada@example.com', apps: [{ name: 'till' }] },
    ]);
  });

  it('can lose the answer to what was done', async () => {
    await start('edge');
    for (const kind of ['reset', 'truncated'] as const) {
      fake.fail({ kind, applied: true, method: 'POST' });
      await expect(call('POST', '/developers', { ...ada, email: `${kind}@example.com` })).rejects.toThrow();
    }
    expect(fake.organization.developers.size).toBe(2);
  });
});
