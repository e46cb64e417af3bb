import { Developer, readKeyAccess } from '../../support/apps.js';
import { createProduct } from '../../support/factories.js';
import type { Answer } from '../../support/http-client.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

let test: TestPortal;
let ada: Developer;
let bob: Developer;

beforeAll(async () => {
  test = await startTestPortal();
  await createProduct(test, { slug: 'payments', name: 'Product payments' });
  await createProduct(test, { slug: 'rates', name: 'Product rates', approval: 'manual' });
  await createProduct(test, { slug: 'secret', visibility: 'private' });
  await createProduct(test, { slug: 'draft', visibility: 'draft' });
  ada = await Developer.create(test);
  bob = await Developer.create(test);
});
afterAll(() => test.stop());

describe('POST /me/apps', () => {
  it('creates an app and, with products, its first key in full', async () => {
    const answer = await ada.post('', {
      name: 'Checkout',
      display_name: 'Our shop',
      description: 'Line one\nline two',
      callback_url: 'https://shop.example.com/cb',
      products: ['payments', 'rates', 'payments'],
      expires_in: 3600,
    });
    expect(answer.status).toBe(201);
    const now = test.clock.now();
    const unplanned = {
      status_reason: null,
      revoked_by: null,
      plan: null,
      next_plan: null,
      override: null,
      trial: null,
    };
    expect(answer.json.data).toEqual({
      id: expect.any(Number),
      name: 'Checkout',
      display_name: 'Our shop',
      description: 'Line one\nline two',
      callback_url: 'https://shop.example.com/cb',
      status: 'approved',
      first_called_at: null,
      status_reason: null,
      revoked_by: null,
      credentials: [
        {
          id: expect.any(Number),
          consumer_key: expect.stringMatching(/^portal_test_[A-Za-z0-9]{38}$/),
          consumer_secret: expect.stringMatching(/^portal_test_secret_[A-Za-z0-9]{38}$/),
          status: 'approved',
          status_reason: null,
          revoked_by: null,
          issued_at: now.toISOString(),
          expires_at: new Date(now.getTime() + 3_600_000).toISOString(),
          last_used_at: null,
          last_used_as_of: now.toISOString(),
          replaced_by: null,
          products: [
            { slug: 'payments', name: 'Product payments', status: 'approved', ...unplanned },
            { slug: 'rates', name: 'Product rates', status: 'pending', ...unplanned },
          ],
        },
      ],
      products: [
        { slug: 'payments', name: 'Product payments', status: 'approved' },
        { slug: 'rates', name: 'Product rates', status: 'pending' },
      ],
      created_at: now.toISOString(),
      updated_at: now.toISOString(),
    });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(await readKeyAccess(test, answer.json.data.credentials[0].consumer_key)).toBe('open');
  });

  it('creates one without a key when no products are given, and takes ids for slugs', async () => {
    const bare = await ada.post('', { name: 'bare' });
    expect(bare.json.data).toMatchObject({ display_name: 'bare', credentials: [], products: [], callback_url: null });
    const { id } = await createProduct(test, { slug: 'by-id' });
    const created = await ada.post('/bare/credentials', { products: [id, String(id), 'by-id'] });
    expect(created.json.data.products.map(({ slug }: { slug: string }) => slug)).toEqual(['by-id']);
  });

  it.each([
    ['..', 'name'],
    ['.', 'name'],
    ['-x', 'name'],
    ['a/b', 'name'],
    ['a%2Fb', 'name'],
    ['with space', 'name'],
    ['create', 'name'],
    ['CREATE', 'name'],
    ['x'.repeat(101), 'name'],
    ['caf\u00e9', 'name'],
    ['a\u0000', 'name'],
    ['', 'name'],
    [7, 'name'],
  ])('refuses the name %p (S56)', async (name, field) => {
    const answer = await ada.post('', { name });
    expect([answer.status, Object.keys(answer.json.errors)]).toEqual([422, [field]]);
  });

  it.each([
    [{ callback_url: 'javascript:alert(1)' }, 'callback_url'],
    [{ callback_url: `https://x.example/${'a'.repeat(2048)}` }, 'callback_url'],
    [{ display_name: '\u0007' }, 'display_name'],
    [{ description: 'a\u0000b' }, 'description'],
    [{ expires_in: 59 }, 'expires_in'],
    [{ expires_in: 1e12 }, 'expires_in'],
    [{ expires_in: '3600' }, 'expires_in'],
    [{ products: 'payments' }, 'products'],
    [{ products: ['missing'] }, 'products'],
    [{ products: ['payments', 'draft'] }, 'products'],
    [{ products: ['secret'] }, 'products'],
  ])('refuses %p', async (body, field) => {
    const answer = await ada.post('', { name: 'refused', ...body });
    expect([answer.status, Object.keys(answer.json.errors)]).toEqual([422, [field]]);
    expect((await ada.get('/refused')).status).toBe(404);
  });

  it('keeps names unique for a developer whatever their case, and free for others', async () => {
    const taken = await ada.post('', { name: 'CHECKOUT' });
    expect([taken.status, taken.json.errors.name]).toEqual([422, ['There is an app of that name already.']]);
    expect((await bob.post('', { name: 'checkout' })).status).toBe(201);
    expect((await ada.get('/checkOUT')).json.data.name).toBe('Checkout');
  });

  it('takes one of 20 parallel requests for a name, and refuses the rest with 422', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => ada.post('', { name: 'race' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(19).fill(422)]);
  });

  it('refuses what a client may not set (S52)', async () => {
    const body = { name: 'mass', user_id: bob.user.id, status: 'revoked', id: 1, revoked_by: 'admin' };
    const answer = await ada.post('', body);
    expect([answer.status, Object.keys(answer.json.errors).sort()]).toEqual([
      422,
      ['id', 'revoked_by', 'status', 'user_id'],
    ]);
    expect((await bob.get('/mass')).status).toBe(404);
    expect((await ada.get('/mass')).status).toBe(404);
  });
});

describe('an app', () => {
  it('shows its keys masked from then on', async () => {
    const { key, secret } = await ada.createApp('masked', ['payments']);
    const text = [await ada.get('/masked'), await ada.get('/masked/credentials'), await ada.get('?with=credentials')]
      .map((answer) => answer.text)
      .join('');
    expect(text).not.toContain(key);
    expect(text).not.toContain(secret);
    expect(text).not.toContain('consumer_secret');
    expect(text).toContain(`${key.slice(0, 4)}\u2022\u2022\u2022\u2022${key.slice(-4)}`);
  });

  it('is changed in part, and never renamed', async () => {
    const { key } = await ada.createApp('edit', ['payments']);
    await ada.put('/edit', { description: 'old', callback_url: 'https://a.example' });
    test.clock.advance(5);
    const answer = await ada.put('/edit', { name: 'edit', display_name: 'New name', callback_url: null });
    expect(answer.json.data).toMatchObject({ display_name: 'New name', description: 'old', callback_url: null });
    expect(answer.json.data.updated_at).toBe(test.clock.now().toISOString());
    expect((await ada.put('/edit', { name: 'other' })).json.errors).toEqual({
      name: ['The name of an app cannot be changed.'],
    });
    expect(await readKeyAccess(test, key)).toBe('open');
  });

  it('gets and loses products on all of its keys, and a record sent back as it was read changes nothing', async () => {
    const { id, key } = await ada.createApp('set', ['payments']);
    const second = (await ada.post('/set/credentials', { products: ['rates'] })).json.data;
    const onKeys = ({ json }: Answer) =>
      json.data.credentials.map((one: { products: { slug: string }[] }) => one.products.map(({ slug }) => slug));
    const read = await ada.get('/set');
    expect(onKeys(await ada.put('/set', read.json.data))).toEqual([['payments'], ['rates']]);
    await createProduct(test, { slug: 'geo' });
    const changed = await ada.put('/set', { display_name: 'Set', products: ['rates', 'geo'] });
    expect(changed.json.data).toMatchObject({ display_name: 'Set', products: [{ slug: 'geo' }, { slug: 'rates' }] });
    expect(onKeys(changed)).toEqual([['geo'], ['geo', 'rates']]);
    expect(changed.text).not.toContain('consumer_secret');
    expect([await readKeyAccess(test, key, 'payments'), await readKeyAccess(test, key, 'geo')]).toEqual([
      'product_not_granted',
      'open',
    ]);
    for (const credential of [id, second.id]) await ada.post(`/set/credentials/${credential}/revoke`);
    const given = await ada.put('/set', { products: ['rates', 'geo', 'payments'], expires_in: 600 });
    expect(onKeys(given)).toEqual([['geo'], ['geo', 'rates'], ['payments']]);
    const [, , { consumer_key: fresh, expires_at: end }] = given.json.data.credentials;
    expect(new Date(end).getTime() - test.clock.now().getTime()).toBe(600_000);
    expect(await readKeyAccess(test, fresh, 'payments')).toBe('open');
  });

  it('keeps everything when one of the products is refused', async () => {
    await ada.createApp('kept', ['payments']);
    const refused = await ada.put('/kept', { display_name: 'Changed', products: ['secret'] });
    expect([refused.status, refused.json.errors]).toEqual([422, { products: ['There is no product "secret".'] }]);
    expect((await ada.put('/kept', { products: [{ id: 1 }] })).status).toBe(422);
    expect((await ada.get('/kept')).json.data).toMatchObject({
      display_name: 'kept',
      products: [{ slug: 'payments', status: 'approved' }],
    });
  });

  it('is made of a JSON object, and of nothing else', async () => {
    for (const body of [[], null, 'text', 7]) {
      const { status, json } = await ada.post('', body);
      expect([status, json.errors]).toEqual([422, { body: ['The body must be a JSON object.'] }]);
    }
  });

  it('is deleted with its keys, and its name is free again', async () => {
    const { key } = await ada.createApp('gone', ['payments']);
    const answer = await ada.delete('/gone');
    expect([answer.status, answer.json.data]).toEqual([200, {}]);
    expect((await ada.get('/gone')).status).toBe(404);
    expect(await readKeyAccess(test, key)).toBe('unknown_key');
    expect((await ada.post('', { name: 'gone' })).status).toBe(201);
  });

  it('is not found under names that walk (S56)', async () => {
    for (const name of ['..', '%2e%2e', '..%2f..%2fadmin', 'a%00b', 'x'.repeat(101), '%20', 'create', 'a%2Fb']) {
      for (const path of [`/${name}`, `/${name}/credentials`, `/${name}/credentials/1/products/payments`]) {
        // Past the client library, which would tidy up the path.
        const answer = await test.client.rawRequest(
          `GET /api/v1/me/apps${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n` +
            `Authorization: Bearer ${ada.token}\r\n\r\n`,
        );
        expect([path, answer.split('\r\n', 1)[0]]).toEqual([path, expect.stringMatching(/ (404|405) /)]);
      }
    }
  });
});

describe('the list of apps', () => {
  it('is the caller\u2019s own, sorted, filtered and searched', async () => {
    const carol = await Developer.create(test);
    for (const name of ['beta', 'alpha', 'gamma']) {
      await carol.post('', { name, products: name === 'alpha' ? [] : ['payments'] });
      test.clock.advance(1);
    }
    await carol.post('/gamma/revoke');
    const names = async (query: string) =>
      (await carol.get(query)).json.data.map(({ name }: { name: string }) => name) as string[];
    expect(await names('')).toEqual(['gamma', 'alpha', 'beta']);
    expect(await names('?order_by=name&direction=asc')).toEqual(['alpha', 'beta', 'gamma']);
    expect(await names(`?filters=${encodeURIComponent('{"status":"revoked"}')}`)).toEqual(['gamma']);
    expect(await names('?q=alp')).toEqual(['alpha']);
    const page = await carol.get('?per_page=2&with=credentials,products');
    expect(page.json.meta.pagination).toMatchObject({ total: 3, count: 2, per_page: 2 });
    expect(page.json.data[0]).toMatchObject({ credentials: [{}], products: [{ slug: 'payments' }] });
    expect(page.json.data[1]).toMatchObject({ credentials: [], products: [] });
    expect((await carol.get('')).json.data[0]).not.toHaveProperty('credentials');
  });

  it('refuses names outside its own with 422', async () => {
    for (const query of ['order_by=user_id', 'with=owner', 'filters={"user_id":1}', 'filters={"lease_token":"a"}']) {
      expect([query, (await ada.get(`?${query}`)).status]).toEqual([query, 422]);
    }
  });
});

describe('somebody else\u2019s app', () => {
  it('is missing on every route, byte for byte, even when both have an app of that name (S55)', async () => {
    const theirs = await ada.createApp('twin', ['payments']);
    await bob.createApp('mine-only', ['payments']);
    const own = await bob.createApp('twin', ['payments']);
    const routes = test.portal.routes.filter(({ path }) => path.startsWith('/me/apps/:appName'));
    expect(routes.length).toBeGreaterThanOrEqual(16);
    for (const { method, path } of routes) {
      const call = async (app: string, id: number) => {
        const target = path.replace(':appName', app).replace(':id', String(id)).replace(':product', 'payments');
        const options = { token: bob.token, ...(method === 'get' ? {} : { body: { products: ['payments'] } }) };
        return test.client.send(method.toUpperCase(), `/api/v1${target}`, options);
      };
      // An app of Ada's alone, one that nobody has, and Ada's credential below Bob's app of the same name.
      const foreign = path.includes(':id') ? await call('twin', theirs.id) : await call('Checkout-2', own.id);
      const missing = await call('nobody-has-this', 987654);
      expect([method, path, foreign.status]).toEqual([method, path, 404]);
      expect(foreign.text).toBe(missing.text);
      expect(foreign.json.message).toBe('Resource not found.');
    }
    expect(await readKeyAccess(test, theirs.key)).toBe('open');
    expect(await readKeyAccess(test, own.key)).toBe('open');
    expect((await bob.get('/masked')).status).toBe(404);
    expect((await bob.delete('/masked')).status).toBe(404);
    expect((await ada.get('/masked')).status).toBe(200);
  });
});
