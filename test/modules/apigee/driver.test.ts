import {
  GatewayConflictError,
  GatewayNotFoundError,
  GatewayRefusedError,
  GatewayTimeoutError,
  GatewayUnavailableError,
  type GatewayApp,
  type GatewayDeveloper,
  type NewKey,
} from '../../../src/gateway/index.js';
import type { FakeApigeeFailure } from '../../../src/modules/apigee/index.js';
import { FLAVOURS, INSTALLATION, startApigee, type ApigeeUnderTest } from './support.js';

let test: ApigeeUnderTest;
afterEach(() => test.stop());

const ada: GatewayDeveloper = { id: '1', email: 'ada@example.com', firstName: 'Ada', lastName: 'L', status: 'active' };
const app: GatewayApp = {
  developer: ada,
  portalId: '10',
  name: 'checkout',
  displayName: 'Checkout',
  description: 'Pays',
  callbackUrl: 'https://shop.example/back',
  status: 'approved',
};
const key = (portalId = '100', ...products: string[]): NewKey => ({
  portalId,
  products: products.map((product) => ({ product, status: 'approved' as const })),
  expiresAt: null,
});

const sent = (method: string, path = '') =>
  test.fake.requests.filter((request) => request.method === method && request.path.includes(path));
const person = () => test.fake.organization.developer('ada@example.com');
const stored = () => test.fake.organization.app(person(), 'checkout');

async function withApp() {
  await test.driver.developers.ensure(ada);
  const created = await test.driver.apps.create(app, key('100', 'gw-one'));
  if (!created.key) throw new Error('no key');
  test.fake.requests.length = 0;
  return { issued: created.key, address: { app, keyRef: created.key.keyRef } };
}

/** Where a call that hangs is waited for; half of it is enough for the next one, which looks for what became of it. */
const HASTY = { settings: { timeout: 2_000 } };

describe.each(FLAVOURS)('what Apigee (%s) answers instead', (flavour) => {
  const always = Infinity;
  const cases: [string, FakeApigeeFailure, new (...values: never[]) => Error, number][] = [
    ['403', { kind: 'status', status: 403 }, GatewayRefusedError, 1],
    ['a page of HTML with 404', { kind: 'html', status: 404 }, GatewayRefusedError, 1],
    ['400', { kind: 'status', status: 400 }, GatewayRefusedError, 1],
    ['a redirect', { kind: 'status', status: 302 }, GatewayRefusedError, 1],
    ['409', { kind: 'status', status: 409 }, GatewayConflictError, 1],
    ['429', { kind: 'status', status: 429, times: always }, GatewayUnavailableError, 3],
    ['500', { kind: 'status', status: 500, times: always }, GatewayRefusedError, 3],
    ['a page of HTML with 502', { kind: 'html', status: 502, times: always }, GatewayUnavailableError, 3],
    ['503', { kind: 'status', status: 503, times: always }, GatewayUnavailableError, 3],
    ['504, after which it may still be done', { kind: 'status', status: 504, times: always }, GatewayTimeoutError, 3],
    ['JSON that breaks off', { kind: 'truncated', times: always }, GatewayRefusedError, 3],
    ['ten megabytes', { kind: 'huge', times: always }, GatewayRefusedError, 3],
    ['a dropped connection', { kind: 'reset', times: always }, GatewayTimeoutError, 3],
    ['nothing', { kind: 'hang', times: always }, GatewayTimeoutError, 1],
  ];

  it.each(cases)('%s is an error of the contract', async (_, failure, type, calls) => {
    test = await startApigee(flavour, failure.kind === 'hang' ? HASTY : {});
    test.fake.fail(failure);
    await expect(test.driver.check()).rejects.toBeInstanceOf(type);
    expect(test.fake.requests).toHaveLength(calls);
    // Before each repetition; after a 429 the rate limiter waits for the rest.
    const paused = test.pauses.reduce((sum, pause) => sum + pause, 0);
    expect(paused).toBeGreaterThanOrEqual(100 * (calls - 1));
  });

  it('once, a call that changes nothing is repeated', async () => {
    test = await startApigee(flavour);
    for (const kind of ['reset', 'truncated', 'status'] as const) {
      test.fake.fail({ kind });
      await expect(test.driver.check()).resolves.toBeUndefined();
    }
  });

  it('an unknown organization, product and developer are told apart', async () => {
    test = await startApigee(flavour, { settings: { organization: 'nowhere' } });
    await expect(test.driver.check()).rejects.toBeInstanceOf(GatewayRefusedError);
    await test.stop();
    for (const unknownProductStatus of [400, 404] as const) {
      test = await startApigee(flavour, { unknownProductStatus });
      await test.driver.developers.ensure(ada);
      const refused = expect(test.driver.apps.create(app, key('1', 'gw-none'))).rejects;
      await refused.toMatchObject({ code: 'gateway_refused', detail: expect.stringContaining('gateway_product_id') });
      await expect(test.driver.developers.setStatus({ ...ada, id: '2' }, 'active')).rejects.toBeInstanceOf(
        GatewayNotFoundError,
      );
      if (unknownProductStatus === 400) await test.stop();
    }
  });

  it('a gateway that is not there is unavailable', async () => {
    test = await startApigee(flavour);
    await test.fake.stop();
    await expect(test.driver.check()).rejects.toBeInstanceOf(GatewayUnavailableError);
    test = await startApigee(flavour);
  });

  it('a refusal names the call and no key', async () => {
    test = await startApigee(flavour);
    const { issued } = await withApp();
    const crossed = { app: { ...app, name: 'other' }, keyRef: issued.keyRef };
    const error = await test.driver.keys.reveal(crossed).catch((reason: unknown) => reason as GatewayNotFoundError);
    expect((error as GatewayNotFoundError).detail).toMatch(/^GET \/developers\/.*\/apps\/other\/keys\/\{key\}: 404 /);
    expect(JSON.stringify(error)).not.toContain(issued.keyRef);
  });
});

describe.each(FLAVOURS)('a lost answer of Apigee (%s)', (flavour) => {
  const losses: [string, FakeApigeeFailure][] = [
    ['that never came', { kind: 'hang', applied: true, method: 'POST' }],
    ['that broke off', { kind: 'truncated', method: 'POST' }],
    ['with the connection', { kind: 'reset', applied: true, method: 'POST' }],
    ['behind an error', { kind: 'status', applied: true, method: 'POST' }],
  ];

  it.each(losses)('%s makes no second app: it is found by its portal id', async (_, loss) => {
    test = await startApigee(flavour, HASTY);
    await test.driver.developers.ensure(ada);
    test.fake.requests.length = 0;
    test.fake.fail({ ...loss, path: '/apps$' });
    const { key: issued, appId } = await test.driver.apps.create(app, key('100', 'gw-one'));
    expect(sent('POST', '/apps').filter(({ path }) => path.endsWith('/apps'))).toHaveLength(1);
    expect(appId).toBe(stored().appId);
    expect(stored().keys.map(({ consumerKey }) => consumerKey)).toEqual([issued?.consumerKey]);
  });

  it.each(losses)('%s makes no second developer', async (_, loss) => {
    test = await startApigee(flavour, HASTY);
    test.fake.fail({ ...loss, path: '/developers$' });
    const id = await test.driver.developers.ensure(ada);
    expect(id).toBe(person().developerId);
    expect(sent('POST')).toHaveLength(1);
  });

  it.each(losses)('%s makes no second key, with or without an end', async (_, loss) => {
    test = await startApigee(flavour, HASTY);
    await withApp();
    for (const expiresAt of [null, new Date(test.clock.now().getTime() + 60_000)]) {
      const before = stored().keys.length;
      test.fake.fail({ ...loss, path: expiresAt !== null && flavour === 'edge' ? '/checkout$' : '/keys/create$' });
      const issued = await test.driver.keys.issue(app, { ...key('101', 'gw-one'), expiresAt });
      expect(stored().keys).toHaveLength(before + 1);
      const made = stored().keys.at(-1);
      expect(made?.consumerKey).toBe(issued.consumerKey);
      expect(made?.consumerSecret).toBe(issued.consumerSecret);
      expect(made?.expiresAt).toBe(expiresAt?.getTime() ?? -1);
    }
  });

  it('to what was never done is an error, and nothing is left', async () => {
    test = await startApigee(flavour, HASTY);
    await test.driver.developers.ensure(ada);
    for (const kind of ['hang', 'reset', 'status'] as const) {
      test.fake.requests.length = 0;
      test.fake.fail({ kind, method: 'POST', path: '/apps$' });
      await expect(test.driver.apps.create(app, null)).rejects.toThrow();
      expect(sent('POST')).toHaveLength(1);
      expect(person().apps.size).toBe(0);
    }
  });

  it('to a later step takes the app back: all or nothing', async () => {
    test = await startApigee(flavour);
    await test.driver.developers.ensure(ada);
    test.fake.fail({ kind: 'status', status: 400, method: 'POST', path: '/keys/' });
    await expect(test.driver.apps.create(app, key('100', 'gw-one'))).rejects.toBeInstanceOf(GatewayRefusedError);
    expect(person().apps.size).toBe(0);
  });
});

describe.each(FLAVOURS)('records of Apigee (%s)', (flavour) => {
  it('keep what others wrote there', async () => {
    test = await startApigee(flavour);
    const { issued, address } = await withApp();
    const [made] = stored().keys;
    stored().attributes = [...stored().attributes, { name: 'cost-centre', value: '4711' }];
    made!.attributes = [...made!.attributes, { name: 'color', value: 'red' }];
    await test.driver.apps.update({ ...app, displayName: 'Till', description: '' });
    await test.driver.keyProducts.add(address, { product: 'gw-two', status: 'approved' });
    await test.driver.developers.ensure({ ...ada, lastName: 'Lovelace' });
    expect(Object.fromEntries(stored().attributes.map(({ name, value }) => [name, value]))).toEqual({
      DisplayName: 'Till',
      'cost-centre': '4711',
      'portalkit-id': '10',
      'portalkit-id-installation': INSTALLATION,
    });
    expect(stored().callbackUrl).toBe(app.callbackUrl);
    expect(made?.attributes).toContainEqual({ name: 'color', value: 'red' });
    expect(made?.attributes).toContainEqual({ name: 'portalkit-id', value: '100' });
    expect(person().attributes).toEqual([
      { name: 'portalkit-id', value: '1' },
      { name: 'portalkit-id-installation', value: INSTALLATION },
    ]);
    expect(person().lastName).toBe('Lovelace');
    expect(stored().keys.map(({ consumerKey }) => consumerKey)).toEqual([issued.consumerKey]);
    expect(sent('PUT').some(({ body }) => 'apiProducts' in body || 'credentials' in body)).toBe(false);
  });

  it('get products that wait at Apigee approved, since the portal has decided', async () => {
    test = await startApigee(flavour, { addingResetsApproval: true });
    await test.driver.developers.ensure(ada);
    const { key: issued } = await test.driver.apps.create(app, key('100', 'gw-manual', 'gw-one'));
    expect(test.fake.opens(issued!.consumerKey, 'gw-manual')).toBe(true);
    const second = await test.driver.keys.issue(app, key('101'));
    await test.driver.keyProducts.add({ app, keyRef: second.keyRef }, { product: 'gw-manual', status: 'approved' });
    expect(test.fake.opens(second.consumerKey, 'gw-manual')).toBe(true);
  });

  it('never open a product for a moment that is not approved', async () => {
    test = await startApigee(flavour);
    const { issued, address } = await withApp();
    await test.driver.keyProducts.add(address, { product: 'gw-two', status: 'revoked' });
    expect(sent('POST')).toEqual([]);
    const waiting = { ...key('102'), products: [{ product: 'gw-two', status: 'revoked' as const }] };
    await test.driver.keys.issue(app, waiting);
    expect(JSON.stringify(sent('POST').map(({ body }) => body))).not.toContain('gw-two');
    expect(test.fake.opens(issued.consumerKey, 'gw-two')).toBe(false);
  });

  it('die with their app at once, although Apigee deletes keys later', async () => {
    test = await startApigee(flavour, { deletionDelay: 300 });
    const { issued } = await withApp();
    await test.driver.apps.remove(app);
    expect(test.fake.opens(issued.consumerKey, 'gw-one')).toBe(false);
    await withApp();
    const again = stored().keys[0]!.consumerKey;
    await test.driver.developers.remove(ada);
    expect(test.fake.opens(again, 'gw-one')).toBe(false);
  });

  it('are read to their end, page by page', async () => {
    const products = Array.from({ length: 451 }, (_, index) => ({ name: `gw-${index}` }));
    for (const cps of [true, false]) {
      test = await startApigee(flavour, { products, cps });
      expect(new Set((await test.driver.products.list()).map(({ name }) => name)).size).toBe(451);
      const { organization } = test.fake;
      const gatewayId = await test.driver.developers.ensure(ada);
      for (let index = 0; index < 201; index += 1) {
        organization.addApp(person(), { name: `a${index}`, callbackUrl: undefined, attributes: [], scopes: [] });
      }
      const found = await test.driver.inventory.apps(gatewayId);
      expect(new Set(found.map(({ name }) => name)).size).toBe(201);
      expect(found).toHaveLength(201);
      if (cps) await test.stop();
    }
  });

  it('in an organization that wants products: an app without any is refused with the reason', async () => {
    test = await startApigee(flavour, { productsRequired: true });
    await test.driver.developers.ensure(ada);
    const refused = expect(test.driver.apps.create(app, null)).rejects;
    await refused.toMatchObject({ detail: expect.stringContaining('no apps without a product') });
    await expect(test.driver.apps.create(app, key('100', 'gw-one'))).resolves.toBeDefined();
  });
});

describe.each(FLAVOURS)('whose records they are (%s)', (flavour) => {
  const foreign = { firstName: 'Ada', lastName: 'Real', userName: 'ada', attributes: [] };

  it('a developer whom the portal did not make is never taken over, closed or removed', async () => {
    test = await startApigee(flavour);
    const real = test.fake.organization.addDeveloper({ ...foreign, email: ada.email });
    const theirs = test.fake.organization.addApp(real, {
      name: 'checkout',
      callbackUrl: undefined,
      attributes: [],
      scopes: [],
    });
    await expect(test.driver.developers.ensure(ada)).rejects.toBeInstanceOf(GatewayConflictError);
    await expect(test.driver.developers.setStatus(ada, 'inactive')).rejects.toBeInstanceOf(GatewayNotFoundError);
    await expect(test.driver.apps.create(app, null)).rejects.toBeInstanceOf(GatewayNotFoundError);
    await expect(test.driver.apps.setStatus(app, 'revoked')).rejects.toBeInstanceOf(GatewayNotFoundError);
    await test.driver.apps.remove(app);
    await test.driver.developers.remove(ada);
    expect(test.fake.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
    expect([real.status, theirs.status, real.apps.size]).toEqual(['active', 'approved', 1]);
  });

  it('moving to the e-mail of such a developer changes nothing of theirs', async () => {
    test = await startApigee(flavour);
    const { issued } = await withApp();
    const victim = test.fake.organization.addDeveloper({ ...foreign, email: 'victim@example.com' });
    const gatewayId = person().developerId;
    await test.driver.developers.ensure({ ...ada, email: 'victim@example.com', gatewayId });
    expect([victim.email, victim.lastName, person().developerId]).toEqual(['victim@example.com', 'Real', gatewayId]);
    await test.driver.developers.setStatus({ id: '1', email: 'victim@example.com', gatewayId }, 'inactive');
    expect([victim.status, test.fake.opens(issued.consumerKey, 'gw-one')]).toEqual(['active', false]);
  });

  it('names that walk reach nobody: every path stays below the developer who asked', async () => {
    test = await startApigee(flavour);
    await withApp();
    const bob = { ...ada, id: '2', email: 'bob@example.com' };
    const gatewayId = await test.driver.developers.ensure(bob);
    test.fake.requests.length = 0;
    const walks = [
      '..',
      '../ada@example.com',
      '..%2F..',
      '%2e%2e',
      'a/../../apps',
      'x?action=revoke',
      'x#',
      'a\\..\\b',
      '',
    ];
    const calls = walks.flatMap((name) => {
      const walking = { ...app, developer: { ...bob, gatewayId }, name };
      const address = { app: walking, keyRef: 'k'.repeat(20) };
      const { apps, keys, keyProducts } = test.driver;
      const inside = { ...address, app: { ...walking, name: 'own' } };
      return [
        apps.setStatus(walking, 'revoked'),
        apps.update(walking),
        apps.create(walking, null),
        apps.remove(walking),
        keys.setStatus(address, 'revoked'),
        keys.setStatus({ ...inside, keyRef: name }, 'revoked'),
        keys.remove({ ...inside, keyRef: name }),
        keyProducts.remove(inside, name),
        test.driver.developers.setStatus({ ...bob, gatewayId: name === '' ? '..' : name }, 'inactive'),
        test.driver.developers.setStatus({ id: '2', email: `${name}@example.com/../ada@example.com` }, 'inactive'),
      ].map((call) => call.catch(() => undefined));
    });
    await Promise.all(calls);
    const own = `/v1/organizations/acme/developers/${gatewayId}`;
    const outside = test.fake.requests.filter(({ path }) => path !== own && !path.startsWith(`${own}/apps`));
    expect(outside.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
    expect([person().status, stored().status]).toEqual(['active', 'approved']);
  });

  it('what was there before is found and can be claimed, once', async () => {
    test = await startApigee(flavour);
    const { organization } = test.fake;
    const real = organization.addDeveloper({ ...foreign, email: ada.email });
    const theirs = organization.addApp(real, {
      name: 'checkout',
      callbackUrl: 'https://old.example',
      attributes: [{ name: 'DisplayName', value: 'Old' }],
      scopes: [],
    });
    const made = organization.generateKey(theirs, ['gw-one', 'gw-manual'], 60_000);
    const found = await test.driver.inventory.developerByEmail('ADA@example.com');
    expect(found).toMatchObject({ gatewayId: real.developerId, portalId: null, lastName: 'Real', status: 'active' });
    const [only] = await test.driver.inventory.apps(real.developerId);
    expect(only).toMatchObject({ portalId: null, displayName: 'Old', callbackUrl: 'https://old.example' });
    expect(only?.keys[0]).toMatchObject({
      keyRef: made.consumerKey,
      status: 'approved',
      expiresAt: new Date(made.expiresAt),
      products: [
        { product: 'gw-one', status: 'approved' },
        { product: 'gw-manual', status: 'pending' },
      ],
    });
    await test.driver.inventory.claimDeveloper(real.developerId, '1');
    await test.driver.inventory.claimApp(real.developerId, 'checkout', '10');
    await test.driver.inventory.claimKey(real.developerId, 'checkout', made.consumerKey, '100');
    expect(await test.driver.developers.ensure(ada)).toBe(real.developerId);
    await test.driver.apps.setStatus(app, 'revoked');
    expect([theirs.status, theirs.callbackUrl]).toEqual(['revoked', 'https://old.example']);
    expect((await test.driver.inventory.apps(real.developerId))[0]).toMatchObject({
      portalId: '10',
      keys: [{ portalId: '100' }],
    });
  });
});
