import { GatewayTimeoutError, GatewayUnavailableError } from '../../src/gateway/index.js';
import type { UserRecord } from '../../src/domain/accounts/index.js';
import { themePages } from '../../src/theme/index.js';
import { readKeyAccess } from '../support/apps.js';
import { createProduct, createUser, PASSWORD } from '../support/factories.js';
import { FlakyGateway } from '../support/flaky-gateway.js';
import { decoded, formsOf, PageClient, type PageAnswer } from '../support/page-client.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const AWAY = new GatewayUnavailableError(7);
const SLOW = new GatewayTimeoutError();
const UNKNOWN_ID = 999_999;
const EVERY_CALL = [
  ...['developers.ensure', 'apps.create', 'apps.setStatus', 'apps.update', 'apps.remove'],
  ...['keys.issue', 'keys.reveal', 'keys.setStatus', 'keys.setExpiry', 'keys.lastUse', 'keys.remove'],
  ...['keyProducts.add', 'keyProducts.setStatus', 'keyProducts.remove'],
];

let test: TestPortal;
let gateway: FlakyGateway;
let count = 0;

beforeAll(async () => {
  test = await startTestPortal({
    config: {
      gateway: { driver: 'flaky' },
      verify: { enabled: true },
      apps: { keyLifetime: 90 },
      limits: { ip: { requests: { max: 10_000 } } },
    },
    extensions: { gatewayDrivers: { flaky: async (context: never) => (gateway = await FlakyGateway.open(context)) } },
  });
  await createProduct(test, { slug: 'payments', name: 'Payments' });
  await createProduct(test, { slug: 'geo', name: 'Geo' });
  await createProduct(test, { slug: 'loans', name: 'Loans', approval: 'manual' });
});
afterEach(() => gateway.mend());
afterAll(() => test.stop());

interface Owner {
  user: UserRecord;
  page: PageClient;
  userId: number;
  app: string;
  id: number;
  key: string;
  /** Of the pages of the app and of its key. */
  path: string;
  keyPath: string;
}

/** A signed-in developer whose app has one key for payments. */
async function owner(app = 'shop'): Promise<Owner> {
  const user = await createUser(test);
  const page = new PageClient(test.client);
  await page.submit('/portal/login', { email: user.email, password: PASSWORD });
  const answer = await page.submit(
    '/portal/apps/create',
    { name: app, products: 'payments' },
    { action: '/portal/apps' },
  );
  const id = Number(/\/credentials\/(\d+)\/rotate/.exec(answer.html)?.[1]);
  const path = `/portal/apps/${app}`;
  return { page, user, userId: user.id, app, id, key: keyIn(answer), path, keyPath: `${path}/credentials/${id}` };
}

const keyIn = ({ html }: PageAnswer) => /data-copy="([^"]+)"/.exec(html)?.[1] ?? '';
/** Presses the button of a form of the app's page. */
const press = ({ page, path }: Owner, action: string, fields: Record<string, string> = {}) =>
  page.submit(path, fields, { action });
/** As it, whether the page offers the form or not. */
const force = async ({ page }: Owner, action: string, fields: Record<string, string> = {}) =>
  page.post(action, { ...fields, _csrf: await page.csrf('/portal/apps/create') }, { follow: false });
const said = ({ html }: PageAnswer) => decoded(/<div class="flash[^>]*>(.*?)<\/div>/s.exec(html)?.[1] ?? '').trim();
const hintOf = ({ html }: PageAnswer, name: string) =>
  decoded(new RegExp(`id="${name}-hint">(.*?)</div>`, 's').exec(html)?.[1] ?? '');

describe('creating an app', () => {
  it('shows its first key at once, and no other page does', async () => {
    const ada = await owner();
    expect(await readKeyAccess(test, ada.key, 'payments')).toBe('open');
    expect((await ada.page.get(ada.path)).html).not.toContain(ada.key);
    expect((await ada.page.get('/portal/dashboard')).html).toContain(`href="${ada.path}"`);
  });

  it('shows every fault beside its field and keeps what was typed', async () => {
    const { page } = await owner();
    const fields = {
      name: '../x',
      display_name: 'é'.repeat(201),
      description: 'a\u0007b',
      callback_url: 'javascript:1',
    };
    const answer = await page.submit('/portal/apps/create', { ...fields, products: 'geo' }, { action: '/portal/apps' });
    expect(answer.status).toBe(422);
    expect(hintOf(answer, 'name')).toContain('Use 1 to 100 letters');
    expect(hintOf(answer, 'display_name')).toContain('Use at most 200 visible characters.');
    expect(hintOf(answer, 'description')).toContain('Use at most 4,000 visible characters.');
    expect(hintOf(answer, 'callback_url')).toContain('begins with https://');
    const [form] = formsOf(answer.html).filter(({ action }) => action === '/portal/apps');
    expect(form?.fields).toMatchObject({
      name: '../x',
      callback_url: 'javascript:1',
      display_name: fields.display_name,
    });
    expect(decoded(answer.html)).toContain('a\u0007b</textarea>');
    expect(answer.html).toMatch(/value="geo" checked/);
    expect(answer.html).not.toMatch(/value="payments" checked/);
  });

  it.each([
    ['Café Central – Kasse!', 'cafe-central-kasse'],
    ['\u0645\u062a\u062c\u0631', 'app'],
    ['create', 'app-create'],
    ['../../etc', 'etc'],
    ['x'.repeat(200), 'x'.repeat(90)],
  ])('makes the name of the title %s, where none is given', async (title, name) => {
    const { page } = await owner();
    const made = await page.submit('/portal/apps/create', { display_name: title }, { action: '/portal/apps' });
    expect([made.status, made.path.split('?', 1)[0]]).toEqual([200, `/portal/apps/${name}`]);
    expect(decoded(made.html)).toContain(title);
  });

  it('makes another name for a like title, one app of a form that is sent twice, and asks for a title', async () => {
    const { page } = await owner();
    const send = (title: string) =>
      page.submit('/portal/apps/create', { display_name: title, products: 'geo' }, { action: '/portal/apps' });
    expect((await send('My till')).path).toMatch(/^\/portal\/apps\/my-till\?/);
    expect((await send('My-Till')).path).toMatch(/^\/portal\/apps\/my-till-2\?/);
    const twice = await send('My till');
    expect([twice.status, hintOf(twice, 'display_name')]).toEqual([
      422,
      expect.stringContaining('of that title already'),
    ]);
    const none = await send(' ');
    expect([none.status, hintOf(none, 'display_name')]).toEqual([422, expect.stringContaining('fill in this field')]);
    expect(none.html).toMatch(/<details class="reveal field">/);
  });

  it('refuses a name that is taken, reserved, or a product that is not there', async () => {
    const { page } = await owner();
    const create = (fields: Record<string, string>) =>
      page.submit('/portal/apps/create', fields, { action: '/portal/apps' });
    expect(hintOf(await create({ name: 'SHOP' }), 'name')).toContain('There is an app of that name already.');
    expect(hintOf(await create({ name: 'create' }), 'name')).toContain('reserved');
    const unknown = await create({ name: 'other', products: 'nothing' });
    expect([unknown.status, decoded(unknown.html)]).toEqual([
      422,
      expect.stringContaining('There is no API “nothing”.'),
    ]);
  });

  it('speaks Arabic of faults', async () => {
    const { page } = await owner();
    await page.post('/portal/locale/ar', {});
    const answer = await page.submit('/portal/apps/create', { name: 'shop' }, { action: '/portal/apps' });
    expect(hintOf(answer, 'name')).toContain('يوجد تطبيق بهذا الاسم');
  });
});

describe('an app', () => {
  it('is changed, and its form keeps what was typed, also what was cleared', async () => {
    const ada = await owner();
    const texts = { display_name: 'My shop', description: 'Sells tea.', callback_url: 'https://shop.example/back' };
    expect(said(await press(ada, ada.path, texts))).toBe('The app was saved.');
    const shown = (await ada.page.get(ada.path)).html;
    for (const text of Object.values(texts)) expect(shown).toContain(text);
    const wrong = await press(ada, ada.path, { display_name: 'Renamed', description: '', callback_url: 'ftp://x' });
    expect([wrong.status, hintOf(wrong, 'callback_url')]).toEqual([422, expect.stringContaining('https://')]);
    const form = formsOf(wrong.html).find(({ action }) => action === ada.path);
    expect(form?.fields).toMatchObject({ display_name: 'Renamed', callback_url: 'ftp://x' });
    expect(wrong.html).toMatch(/<textarea[^>]*><\/textarea>/);
    expect((await ada.page.get(ada.path)).html).toContain('Sells tea.');
  });

  it('is revoked, approved again and deleted', async () => {
    const ada = await owner();
    expect(said(await press(ada, `${ada.path}/revoke`))).toBe('The app was revoked.');
    expect(await readKeyAccess(test, ada.key)).not.toBe('open');
    expect(said(await press(ada, `${ada.path}/approve`))).toBe('The app was restored.');
    expect(await readKeyAccess(test, ada.key)).toBe('open');
    const gone = await press(ada, `${ada.path}/delete`);
    expect([gone.path, said(gone)]).toEqual(['/portal/apps', 'The app was deleted.']);
    expect((await ada.page.get(ada.path)).status).toBe(404);
    expect(await readKeyAccess(test, ada.key)).not.toBe('open');
  });
});

describe('a key', () => {
  it('is made for chosen APIs and days, once', async () => {
    const ada = await owner();
    const make = (fields: Record<string, string>) => press(ada, `${ada.path}/credentials`, fields);
    const none = await make({ expires_in_days: '7', products: '' });
    expect([none.status, none.html]).toEqual([422, expect.stringContaining('Choose at least one API.')]);
    expect(formsOf(none.html).find(({ action }) => action.endsWith('/credentials'))?.fields.expires_in_days).toBe('7');
    const half = await make({ products: 'geo', expires_in_days: '1.5' });
    expect(hintOf(half, 'expires_in_days')).toContain('whole number of days');
    const long = await make({ products: 'geo', expires_in_days: '91' });
    expect([long.status, hintOf(long, 'expires_in_days')]).toEqual([422, expect.stringContaining('Keys live at most')]);
    expect(long.html).toMatch(/value="geo" checked/);
    const made = await make({ products: 'geo', expires_in_days: '7' });
    expect([made.status, await readKeyAccess(test, keyIn(made), 'geo')]).toEqual([200, 'open']);
    test.clock.advance(7 * 86_400 + 1);
    expect(await readKeyAccess(test, keyIn(made), 'geo')).not.toBe('open');
  });

  it('is revoked, approved again, rotated and deleted', async () => {
    const ada = await owner();
    expect(said(await press(ada, `${ada.keyPath}/revoke`))).toBe('The key was revoked.');
    expect(await readKeyAccess(test, ada.key)).not.toBe('open');
    expect(said(await press(ada, `${ada.keyPath}/approve`))).toBe('The key was restored.');
    expect(await readKeyAccess(test, ada.key)).toBe('open');
    const rotated = await press(ada, `${ada.keyPath}/rotate`);
    expect(said(rotated)).toBe('Here is the new key. The old one works a while longer.');
    expect(keyIn(rotated)).not.toBe(ada.key);
    expect(await readKeyAccess(test, keyIn(rotated), 'payments')).toBe('open');
    const again = await force(ada, `${ada.keyPath}/rotate`);
    expect([again.status, again.html]).toEqual([409, expect.stringContaining('does not fit the present state')]);
    expect(said(await press(ada, `${ada.keyPath}/delete`))).toBe('The key was deleted.');
    expect(await readKeyAccess(test, ada.key)).not.toBe('open');
  });

  it('says when it was revoked, also when the reason changes later, and no more once it is restored', async () => {
    const ada = await owner();
    const { credentials } = test.portal.services.apps;
    const revokedAt = async () => /Revoked <time datetime="([^"]*)"/.exec((await ada.page.get(ada.path)).html)?.[1];
    expect(await revokedAt()).toBeUndefined();
    await press(ada, `${ada.keyPath}/revoke`);
    const at = test.clock.now().toISOString();
    expect(await revokedAt()).toBe(at);
    test.clock.advance(60);
    const owned = await test.portal.services.apps.apps.find(ada.user, ada.app);
    const admin = { type: 'admin', id: 1 } as const;
    const present = await credentials.find(owned, ada.id);
    await credentials.revoke(present, admin, 'Seen in public code.');
    expect(await revokedAt()).toBe(at);
    await credentials.approve(present, admin);
    expect(await revokedAt()).toBeUndefined();
  });

  it('is called what it really is, with its app and its products, and what its developer revoked can be restored', async () => {
    const ada = await owner();
    const badges = async () =>
      [...(await ada.page.get(ada.path)).html.matchAll(/<article[^]*?<\/article>/g)].map(([card]) =>
        [...card.matchAll(/class="badge badge-(\w+)"/g)].map(([, state]) => state),
      );
    expect(await badges()).toEqual([['approved', 'approved']]);
    const revoked = await press(ada, `${ada.keyPath}/revoke`);
    expect(await badges()).toEqual([['revoked', 'revoked']]);
    expect([revoked.html.includes('>Restore<'), revoked.html.includes('>Approve<')]).toEqual([true, false]);
    await press(ada, `${ada.keyPath}/approve`);
    await press(ada, `${ada.path}/revoke`);
    expect(await badges()).toEqual([['revoked', 'revoked']]);
    await press(ada, `${ada.path}/approve`);
    await press(ada, `${ada.keyPath}/products/payments/revoke`);
    expect(await badges()).toEqual([['revoked', 'revoked']]);
    await press(ada, `${ada.keyPath}/products`, { products: 'loans' });
    expect(await badges()).toEqual([['pending', 'pending', 'revoked']]);
    await press(ada, `${ada.keyPath}/products/payments/approve`);
    expect(await badges()).toEqual([['approved', 'pending', 'approved']]);
  });

  it('is shown again after a proof of the password that is not older than 15 minutes', async () => {
    const ada = await owner();
    const fresh = await press(ada, `${ada.keyPath}/reveal`);
    expect([fresh.status, keyIn(fresh)]).toEqual([200, ada.key]);
    test.clock.advance(16 * 60);
    const asked = await press(ada, `${ada.keyPath}/reveal`);
    expect([asked.status, asked.html]).toEqual([403, expect.stringContaining('Confirm it is you')]);
    expect(asked.html).not.toContain(ada.key);
    const form = formsOf(asked.html).find(({ fields }) => '_current_password' in fields);
    expect(form?.action).toBe(`${ada.keyPath}/reveal`);
    const wrong = await ada.page.post(`${ada.keyPath}/reveal`, { ...form?.fields, _current_password: 'wrong' });
    expect([wrong.status, wrong.html.includes(ada.key)]).toEqual([422, false]);
    const shown = await ada.page.post(`${ada.keyPath}/reveal`, { ...form?.fields, _current_password: PASSWORD });
    expect([shown.status, keyIn(shown), shown.headers.get('cache-control')]).toEqual([200, ada.key, 'no-store']);
  });

  it('opens further APIs, one by one', async () => {
    const ada = await owner();
    const none = await force(ada, `${ada.keyPath}/products`);
    expect([none.status, none.html]).toEqual([422, expect.stringContaining('Choose at least one API.')]);
    expect(said(await press(ada, `${ada.keyPath}/products`, { products: 'geo' }))).toBe('The APIs were added.');
    expect(await readKeyAccess(test, ada.key, 'geo')).toBe('open');
    expect(said(await press(ada, `${ada.keyPath}/products/geo/revoke`))).toBe('Access was revoked.');
    expect(await readKeyAccess(test, ada.key, 'geo')).not.toBe('open');
    expect(said(await press(ada, `${ada.keyPath}/products/geo/approve`))).toBe('Access was restored.');
    expect(await readKeyAccess(test, ada.key, 'geo')).toBe('open');
    expect(said(await press(ada, `${ada.keyPath}/products/geo/delete`))).toBe('The API was removed.');
    expect(await readKeyAccess(test, ada.key, 'geo')).not.toBe('open');
    await press(ada, `${ada.keyPath}/products`, { products: 'loans' });
    expect(await readKeyAccess(test, ada.key, 'loans')).not.toBe('open');
    expect((await ada.page.get('/portal/dashboard')).html).toContain('Loans');
    // Waiting for an admin, it is not the developer's to open.
    const opened = await force(ada, `${ada.keyPath}/products/loans/approve`);
    expect([opened.status >= 400, await readKeyAccess(test, ada.key, 'loans')]).toEqual([
      true,
      expect.not.stringMatching('open'),
    ]);
  });
});

/** Every page below an app, as it is declared. */
const APP_PAGES = themePages.filter(({ path }) => path.startsWith('/apps/:appName'));

describe('what belongs to somebody else (S55)', () => {
  const plain = ({ html }: PageAnswer) => html.replace(/name="(_csrf|return_to)" value="[^"]*"/g, '');

  it.each(APP_PAGES.map(({ method, path }) => [method, path] as const))('is missing: %s %s', async (method, path) => {
    count += 1;
    const [ada, bob] = [await owner('shop'), await owner(`only-bob-${count}`)];
    const fields = { products: 'geo', display_name: 'Mine now', expires_in_days: '' };
    const at = (app: string, id: number) =>
      `/portal${path.replace(':appName', app).replace(':id', String(id)).replace(':product', 'payments')}`;
    const ask = (address: string) => (method === 'get' ? ada.page.get(address) : force(ada, address, fields));
    // The app of somebody else; their key under an app of one's own; and what nobody has.
    const foreign = await ask(at(bob.app, bob.id));
    const nobodys = await ask(at('nobody', UNKNOWN_ID));
    expect([foreign.status, plain(foreign)]).toEqual([404, plain(nobodys)]);
    if (path.includes(':id')) {
      const mixed = await ask(at(ada.app, bob.id));
      expect([mixed.status, plain(mixed)]).toEqual([404, plain(nobodys)]);
    }
    expect(await readKeyAccess(test, bob.key, 'payments')).toBe('open');
    expect(await readKeyAccess(test, bob.key, 'geo')).not.toBe('open');
    expect((await bob.page.get(bob.path)).html).not.toContain('Mine now');
  });

  it('stays as it is when an app of the same name is deleted', async () => {
    const [ada, bob] = [await owner(), await owner()];
    await press(ada, `${ada.path}/delete`);
    expect((await bob.page.get(bob.path)).status).toBe(200);
    expect(await readKeyAccess(test, bob.key)).toBe('open');
    const foreign = await ada.page.get(bob.path);
    expect(foreign.status).toBe(404);
  });
});

describe('when the gateway is in trouble', () => {
  it.each([
    ['away', AWAY, 503],
    ['slow', SLOW, 504],
  ])('creating an app says so and keeps what was typed: %s', async (_name, error, status) => {
    const { page } = await owner();
    gateway.cut(error, 'before', ...EVERY_CALL);
    const fields = { name: 'later', display_name: 'Later', description: 'Sells "tea".', products: 'geo' };
    const answer = await page.submit('/portal/apps/create', fields, { action: '/portal/apps' });
    expect(answer.status).toBe(status);
    expect(said(answer)).toContain('try again soon');
    const form = formsOf(answer.html).find(({ action }) => action === '/portal/apps');
    expect(form?.fields).toMatchObject({ name: 'later', display_name: 'Later' });
    expect(decoded(answer.html)).toContain('Sells "tea".</textarea>');
    expect(answer.html).toMatch(/value="geo" checked/);
    gateway.mend();
    test.clock.advance(10 * 60);
    const again = await page.post('/portal/apps', { ...form?.fields, products: 'geo' });
    expect([again.status, await readKeyAccess(test, keyIn(again), 'geo')]).toEqual([200, 'open']);
  });

  it('the page of an app still renders, and its forms say what is the matter', async () => {
    const ada = await owner();
    gateway.cut(AWAY, 'before', ...EVERY_CALL);
    expect((await ada.page.get(ada.path)).status).toBe(200);
    expect((await ada.page.get('/portal/dashboard')).status).toBe(200);
    for (const act of [
      '/credentials',
      `/credentials/${ada.id}/rotate`,
      `/credentials/${ada.id}/revoke`,
      '/revoke',
      '/delete',
    ]) {
      const answer = await press(ada, ada.path + act, { products: 'geo', expires_in_days: '7' });
      expect([act, answer.status, said(answer)]).toEqual([act, 503, expect.stringContaining('try again soon')]);
      if (act === '/credentials') expect(answer.html).toMatch(/name="expires_in_days"[^>]*value="7"/);
    }
    gateway.mend();
    expect(await readKeyAccess(test, ada.key, 'payments')).toBe('open');
  });
});
