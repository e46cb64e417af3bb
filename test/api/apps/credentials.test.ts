import { CredentialRevealedEvent } from '../../../src/domain/apps/index.js';
import { Developer, readKeyAccess } from '../../support/apps.js';
import { createProduct } from '../../support/factories.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

const DAY_S = 86_400;

let test: TestPortal;
let ada: Developer;
let name: string;
let first: { id: number; key: string; secret: string };
let count = 0;

beforeAll(async () => {
  test = await startTestPortal({ config: { portalApi: { accessTtl: '2h' } } });
  await createProduct(test, { slug: 'payments' });
  await createProduct(test, { slug: 'geo' });
  await createProduct(test, { slug: 'rates', approval: 'manual' });
  await createProduct(test, { slug: 'secret', visibility: 'private' });
  ada = await Developer.create(test);
});
beforeEach(async () => {
  count += 1;
  name = `app-${count}`;
  await ada.signInAgain();
  first = await ada.createApp(name, ['payments']);
});
afterAll(() => test.stop());

const credential = (id = first.id): string => `/${name}/credentials/${id}`;
const after = (seconds: number): string => new Date(test.clock.now().getTime() + seconds * 1000).toISOString();

describe('a credential', () => {
  it('is created beside the others, in full once', async () => {
    const answer = await ada.post(`/${name}/credentials`, { products: ['geo'], expires_in: 3600 });
    expect(answer.status).toBe(201);
    const { id, consumer_key: key } = answer.json.data;
    expect(answer.json.data).toMatchObject({
      status: 'approved',
      expires_at: after(3600),
      products: [{ slug: 'geo' }],
    });
    expect([await readKeyAccess(test, key, 'geo'), await readKeyAccess(test, first.key, 'geo')]).toEqual([
      'open',
      'product_not_granted',
    ]);
    const shown = (await ada.get(credential(id))).json.data;
    expect(shown.consumer_key).toBe(`${key.slice(0, 4)}\u2022\u2022\u2022\u2022${key.slice(-4)}`);
    expect(shown).not.toHaveProperty('consumer_secret');
    const list = await ada.get(`/${name}/credentials?order_by=issued_at`);
    expect(list.json.data.map((item: { id: number }) => item.id)).toEqual([first.id, id]);
    expect(list.json.meta.pagination.total).toBe(2);
  });

  it('needs products that the developer may see (S57)', async () => {
    for (const body of [{}, { products: [] }, { products: ['secret'] }, { products: ['payments', 'none'] }]) {
      const answer = await ada.post(`/${name}/credentials`, body);
      expect([body, answer.status, Object.keys(answer.json.errors)]).toEqual([body, 422, ['products']]);
    }
  });

  it('is expired when its time is over, unless somebody revoked it', async () => {
    const { id, consumer_key: key } = (
      await ada.post(`/${name}/credentials`, { products: ['payments'], expires_in: 60 })
    ).json.data;
    const status = async () => (await ada.get(credential(id))).json.data.status as string;
    test.clock.advance(59);
    expect([await status(), await readKeyAccess(test, key)]).toEqual(['approved', 'open']);
    test.clock.advance(1);
    expect([await status(), await readKeyAccess(test, key)]).toEqual(['expired', 'expired_key']);
    expect((await ada.post(`${credential(id)}/rotate`)).status).toBe(409);
    await ada.post(`${credential(id)}/revoke`);
    expect([await status(), await readKeyAccess(test, key)]).toEqual(['revoked', 'revoked_key']);
  });

  it('is deleted at once', async () => {
    const answer = await ada.delete(credential());
    expect([answer.status, answer.json.data]).toEqual([200, {}]);
    expect((await ada.get(credential())).status).toBe(404);
    expect(await readKeyAccess(test, first.key)).toBe('unknown_key');
    expect((await ada.get(`/${name}`)).json.data).toMatchObject({ credentials: [], products: [] });
  });

  it('is not found by anything but its number', async () => {
    for (const id of ['0', '-1', '1.5', 'abc', '99999999999999999999', first.key]) {
      expect([id, (await ada.get(`/${name}/credentials/${id}`)).status]).toEqual([id, 404]);
    }
  });
});

describe('reveal', () => {
  it('shows the key again to who signed in lately, tells no cache, and is recorded', async () => {
    const revealed: CredentialRevealedEvent[] = [];
    test.portal.events.on(CredentialRevealedEvent, (event) => void revealed.push(event));
    const answer = await ada.post(`${credential()}/reveal`);
    expect(answer.status).toBe(200);
    expect(answer.json.data).toMatchObject({ consumer_key: first.key, consumer_secret: first.secret });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(revealed).toHaveLength(1);
    expect(revealed[0]).toMatchObject({ by: { type: 'developer', id: ada.user.id }, credential: { id: first.id } });
    expect(JSON.stringify(revealed)).not.toContain(first.key);
    expect(JSON.stringify(revealed)).not.toContain('gatewayKeyRef');
  });

  it('asks for a fresh sign-in after 15 minutes', async () => {
    test.clock.advance(14 * 60 + 59);
    expect((await ada.post(`${credential()}/reveal`)).status).toBe(200);
    test.clock.advance(2);
    const refused = await ada.post(`${credential()}/reveal`);
    expect([refused.status, refused.json.message]).toEqual([403, 'Re-authentication required.']);
    expect(refused.text).not.toContain(first.key);
    await ada.signInAgain();
    expect((await ada.post(`${credential()}/reveal`)).status).toBe(200);
  });
});

describe('rotate', () => {
  it('lets the old key work beside the new one for the overlap, then ends it', async () => {
    const answer = await ada.post(`${credential()}/rotate`, { overlap: 600 });
    expect(answer.status).toBe(201);
    const { id, consumer_key: key, consumer_secret: secret } = answer.json.data;
    expect([key, secret]).not.toEqual([first.key, first.secret]);
    expect(answer.json.data).toMatchObject({
      status: 'approved',
      products: [{ slug: 'payments', status: 'approved' }],
    });
    expect((await ada.get(credential())).json.data).toMatchObject({
      status: 'approved',
      replaced_by: id,
      expires_at: after(600),
    });
    test.clock.advance(599);
    expect([await readKeyAccess(test, first.key), await readKeyAccess(test, key)]).toEqual(['open', 'open']);
    test.clock.advance(1);
    expect([await readKeyAccess(test, first.key), await readKeyAccess(test, key)]).toEqual(['expired_key', 'open']);
    await ada.signInAgain();
    expect((await ada.get(credential())).json.data.status).toBe('expired');
  });

  it('takes a day when nothing is said, never lengthens a life, and 0 ends the old key at once', async () => {
    await ada.post(`${credential()}/rotate`);
    expect((await ada.get(credential())).json.data.expires_at).toBe(after(DAY_S));
    const short = (await ada.post(`/${name}/credentials`, { products: ['geo'], expires_in: 300 })).json.data;
    await ada.post(`${credential(short.id)}/rotate`, { overlap: 3600 });
    expect((await ada.get(credential(short.id))).json.data.expires_at).toBe(after(300));
    const other = (await ada.post(`/${name}/credentials`, { products: ['geo'] })).json.data;
    const { consumer_key: successor } = (await ada.post(`${credential(other.id)}/rotate`, { overlap: 0 })).json.data;
    expect((await ada.get(credential(other.id))).json.data).toMatchObject({
      status: 'revoked',
      revoked_by: 'developer',
    });
    expect([await readKeyAccess(test, other.consumer_key), await readKeyAccess(test, successor)]).toEqual([
      'revoked_key',
      'open',
    ]);
    expect((await ada.post(`${credential(other.id)}/approve`)).status).toBe(409);
  });

  it('happens once for a key, also of 10 parallel requests', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => ada.post(`${credential()}/rotate`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(9).fill(409)]);
    expect((await ada.get(`/${name}/credentials`)).json.meta.pagination.total).toBe(2);
  });

  it('carries states of products along, and refuses a key that does not work', async () => {
    await ada.post(`${credential()}/products`, { products: ['rates', 'geo'] });
    await ada.post(`${credential()}/products/geo/revoke`);
    const { id, products } = (await ada.post(`${credential()}/rotate`)).json.data;
    expect(products.map(({ slug, status }: { slug: string; status: string }) => [slug, status])).toEqual([
      ['geo', 'revoked'],
      ['payments', 'approved'],
      ['rates', 'pending'],
    ]);
    await ada.post(`${credential(id)}/revoke`);
    const refused = await ada.post(`${credential(id)}/rotate`);
    expect([refused.status, refused.json.message]).toEqual([409, 'Conflict.']);
    expect(refused.json.errors).toEqual({ status: ['A key that is revoked cannot be rotated.'] });
    const replaced = await ada.post(`${credential()}/rotate`);
    expect([replaced.status, replaced.json.message]).toEqual([409, 'Conflict.']);
    expect(replaced.json.errors).toEqual({ replaced_by: ['The key was replaced already.'] });
  });

  it.each([[{ overlap: -1 }], [{ overlap: 7_776_001 }], [{ overlap: 1.5 }], [{ overlap: '60' }], [{ expires_in: 1 }]])(
    'refuses %p',
    async (body) => {
      expect((await ada.post(`${credential()}/rotate`, body)).status).toBe(422);
    },
  );
});

describe('products on a key', () => {
  it('are added, waiting where the product asks for approval, and left as they are when there already', async () => {
    await ada.post(`${credential()}/products/payments/revoke`);
    const answer = await ada.post(`${credential()}/products`, { products: ['rates', 'payments', 'geo'] });
    expect(answer.status).toBe(200);
    expect(answer.json.data.products).toEqual([
      expect.objectContaining({ slug: 'geo', status: 'approved' }),
      expect.objectContaining({ slug: 'payments', status: 'revoked' }),
      expect.objectContaining({ slug: 'rates', status: 'pending' }),
    ]);
    expect(await readKeyAccess(test, first.key, 'geo')).toBe('open');
    expect(await readKeyAccess(test, first.key, 'rates')).toBe('product_pending');
    expect((await ada.post(`${credential()}/products`, { products: ['secret'] })).json.errors).toEqual({
      products: ['There is no product "secret".'],
    });
  });

  it('are taken off, by slug or id', async () => {
    const { products } = test.portal.services.catalog;
    const { id } = await products.find('geo', { kind: 'admin' }, 'en');
    await ada.post(`${credential()}/products`, { products: ['geo'] });
    const answer = await ada.delete(`${credential()}/products/${id}`);
    expect([answer.status, answer.json.data]).toEqual([200, {}]);
    expect(await readKeyAccess(test, first.key, 'geo')).toBe('product_not_granted');
    await ada.delete(`${credential()}/products/payments`);
    expect(await readKeyAccess(test, first.key)).toBe('no_product');
    expect((await ada.delete(`${credential()}/products/payments`)).status).toBe(404);
    for (const product of ['missing', '..%2f', 'Payments', 'x'.repeat(101)]) {
      expect((await ada.post(`${credential()}/products/${product}/approve`)).status).toBe(404);
    }
  });
});
