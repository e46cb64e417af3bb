import type { FakeApigee } from '../../../src/modules/apigee/index.js';
import { Developer } from '../../support/apps.js';
import { FLAVOURS, startFakeApigee } from './support.js';
import { createProduct } from '../../support/factories.js';
import { FakeClock } from '../../support/fake-clock.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

describe.each(FLAVOURS)('a portal in front of Apigee (%s)', (flavour) => {
  let fake: FakeApigee;
  let test: TestPortal;
  let ada: Developer;
  const configOf = (changes: { timeout?: number } = {}) => {
    const apigee = { ...fake.settings(flavour === 'x' ? 'service-account' : 'oauth'), ...changes };
    return { gateway: { driver: 'apigee', apigee } };
  };

  beforeAll(async () => {
    const clock = new FakeClock();
    fake = await startFakeApigee(flavour, clock);
    test = await startTestPortal({ clock, config: configOf() });
    for (const slug of ['one', 'two']) await createProduct(test, { slug, gatewayProductId: `gw-${slug}` });
    await createProduct(test, { slug: 'reviewed', gatewayProductId: 'gw-manual', approval: 'manual' });
    ada = await Developer.create(test);
  });
  // A failure opens the circuit for ten seconds.
  afterEach(() => {
    fake.mend();
    test.clock.advance(11);
  });
  afterAll(async () => {
    await test.stop();
    await fake.stop();
  });

  it('opens a key that it created, and closes the one that it revoked', async () => {
    const { id, key } = await ada.createApp('checkout', ['one']);
    expect([fake.opens(key, 'gw-one'), fake.opens(key, 'gw-two')]).toEqual([true, false]);
    const path = `/checkout/credentials/${id}`;
    await ada.post(`${path}/products`, { products: ['two', 'reviewed'] });
    expect([fake.opens(key, 'gw-two'), fake.opens(key, 'gw-manual')]).toEqual([true, false]);
    expect((await ada.post(`${path}/reveal`)).json.data.consumer_key).toBe(key);
    await ada.post(`${path}/revoke`);
    expect(fake.opens(key, 'gw-one')).toBe(false);
    await ada.post(`${path}/approve`);
    expect(fake.opens(key, 'gw-one')).toBe(true);
    await ada.post('/checkout/revoke');
    expect(fake.opens(key, 'gw-one')).toBe(false);
    await ada.delete('/checkout');
    expect(fake.organization.apps()).toEqual([]);
  });

  it('gives a key an end that Apigee keeps', async () => {
    const answer = await ada.post('', { name: 'short', products: ['one'], expires_in: 3_600 });
    const [{ consumer_key: key }] = answer.json.data.credentials;
    const second = await ada.post('/short/credentials', { products: ['one'], expires_in: 7_200 });
    const later = second.json.data.consumer_key;
    test.clock.advance(3_600);
    expect([fake.opens(key, 'gw-one'), fake.opens(later, 'gw-one')]).toEqual([false, true]);
    test.clock.advance(3_600);
    expect(fake.opens(later, 'gw-one')).toBe(false);
    await ada.signInAgain();
    await ada.delete('/short');
  });

  it('answers when Apigee does not, and everything else goes on (R11)', async () => {
    const { clock, databaseUrl } = test;
    const hasty = await startTestPortal({ clock, databaseUrl, config: configOf({ timeout: 250 }) });
    const { token } = ada;
    for (const kind of ['hang', 'status', 'html', 'huge', 'truncated', 'reset'] as const) {
      fake.fail({ kind, times: Infinity });
      const body = { name: `away-${kind}`, products: ['one'] };
      const { status, json } = await hasty.client.post('/api/v1/me/apps', body, { token });
      expect([502, 503, 504]).toContain(status);
      expect(['Gateway error.', 'Gateway timeout.', 'Service unavailable.']).toContain(json.message);
      expect((await hasty.client.get('/api/v1/api-products')).status).toBe(200);
      fake.mend();
      clock.advance(11);
    }
    await hasty.stop();
  });

  it('says that a product is not there as what it is: a fault between the two sides', async () => {
    await createProduct(test, { slug: 'ghost', gatewayProductId: 'gw-ghost' });
    const { status, json } = await ada.post('', { name: 'haunted', products: ['ghost'] });
    expect([status, json.message]).toEqual([502, 'Gateway error.']);
    expect((await ada.get('/haunted')).status).toBe(404);
  });
});
