import { Developer } from '../support/apps.js';
import { openConsole } from '../support/console.js';
import { addressOf, fillConsole, type Places } from '../support/console-records.js';
import { createProduct, createUser } from '../support/factories.js';
import { formsOf, type PageClient } from '../support/page-client.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

let test: TestPortal;
let admin: PageClient;
let places: Places;
beforeAll(async () => {
  test = await startTestPortal({ config: { apps: { approval: 'manual' } }, replicas: 1 });
  ({ admin, places } = await fillConsole(test));
});
afterAll(() => test.stop());

const place = (path: string) => addressOf({ path }, places) ?? '';

describe('a list as a file', () => {
  it('has the rows of its filters, and no cell that a spreadsheet takes for a formula', async () => {
    for (const name of ['=1+1', '+1', '-1', '@SUM(A1)'])
      await createUser(test, { firstName: name, lastName: 'Formula' });
    await createUser(test, { firstName: 'Left', lastName: 'Out' });
    const { html, headers } = await admin.get('/admin/users/export?last_name=Formula&sort=id&cols=email');
    expect(headers.get('content-type')).toMatch(/^text\/csv/);
    const rows = html.trim().split('\r\n');
    expect(rows.map((row) => row.split(',')[0])).toEqual([
      '"full_name"',
      `"'=1+1 Formula"`,
      `"'+1 Formula"`,
      `"'-1 Formula"`,
      `"'@SUM(A1) Formula"`,
    ]);
  });

  it('is refused with a page where a filter is wrong', async () => {
    const { status, headers } = await admin.get('/admin/users/export?nothing=1');
    expect([status, headers.get('content-type')]).toEqual([422, expect.stringMatching(/^text\/html/)]);
  });
});

describe('a menu', () => {
  it('is put in order by buttons alone', async () => {
    const page = place('/menus/:menu');
    const labels = async () =>
      [...(await admin.get(page)).html.matchAll(/class="row-link"[^>]*><bdi>([^<]+)/g)].map(([, label]) => label);
    expect(await labels()).toEqual(['Products', 'Second']);
    const moves = formsOf((await admin.get(page)).html).filter(({ action }) => /\/move$/.test(action));
    const second = moves.at(-1);
    await admin.post(second?.action ?? '', { ...second?.fields, to: 'up' });
    expect(await labels()).toEqual(['Second', 'Products']);
  });

  it('offers to add an item once, and moves that can be made', async () => {
    const { html } = await admin.get(place('/menus/:menu'));
    expect(html.match(/\/add-item"/g)).toHaveLength(1);
    const [first = ''] = html.split('id="item-').slice(1);
    const moves = [...first.matchAll(/value="(up|down|in|out)"( disabled)?/g)].map(([, move, off]) => [move, !off]);
    expect(Object.fromEntries(moves)).toEqual({ up: false, down: true, in: false, out: false });
  });
});

describe('apps', () => {
  it('stand with their developer in the list of all, and without on the page of the developer', async () => {
    expect((await admin.get('/admin/apps')).html).toMatch(
      /data-label="Developer"><div><a href="[^"]*"><bdi>ada@example/,
    );
    const own = await admin.get(place('/users/:id'));
    expect(own.html).toMatch(/data-label="Technical name"/);
    expect(own.html).not.toMatch(/data-label="Developer"/);
  });

  it('have no column in a list that does not tell it, here when keys were last used', async () => {
    expect((await admin.get('/admin/keys')).html).not.toContain('data-label="Last used"');
    expect((await admin.get(place('/apps/:user/:appName'))).html).toContain('data-label="Last used"');
  });
});

describe('the settings', () => {
  it('say how readable the brand colour is, mark what was changed, and give back what ships', async () => {
    const before = await admin.get('/admin/settings?q=brand');
    expect(before.html).toMatch(/data-own>\d+\.\d : 1/);
    expect(before.html).not.toContain('Name of the portal');
    const id = /name="value\.(\d+)" type="color"/.exec(before.html)?.[1] ?? '';
    const pale = await admin.submit('/admin/settings', { _setting: id, [`value.${id}`]: '#ffe100' });
    expect(pale.html).toContain('shown a little different');
    expect(pale.html).toContain('>Changed</span>');
    await admin.submit('/admin/settings', {}, { action: `/admin/settings/${id}/reset` });
    expect((await admin.get('/admin/settings')).html).not.toContain('>Changed</span>');
  });

  it('keep what could not be saved beside the reason', async () => {
    const { html } = await admin.get('/admin/settings');
    const id = /name="value\.(\d+)" type="color"/.exec(html)?.[1] ?? '';
    const wrong = await admin.submit('/admin/settings', { _setting: id, [`value.${id}`]: 'no colour' });
    expect([wrong.status, wrong.html.includes('class="error"')]).toEqual([422, true]);
  });
});

describe('a product', () => {
  it('is seen as others will see it', async () => {
    const { id } = await createProduct(test, { name: 'Secret plans', visibility: 'private' });
    const page = `/admin/products/${id}/preview`;
    expect((await admin.get(page)).html).toContain('Is not listed');
    expect((await admin.get(`${page}?as=draft`)).html).toContain('once it is published');
  });

  it('takes a pasted document, and shows faults where it was pasted', async () => {
    const page = place('/products/:id/document');
    const wrong = await admin.submit(page, { spec: 'no document' });
    expect([wrong.status, wrong.html.includes('no document</textarea>')]).toEqual([422, true]);
    const documentOf = (...paths: string[]) => {
      const items = paths.map((one) => [one, { get: { responses: { 200: { description: 'fine' } } } }] as const);
      return JSON.stringify({
        openapi: '3.0.3',
        info: { title: 'Pay', version: '1' },
        paths: Object.fromEntries(items),
      });
    };
    await admin.submit(page, { spec: documentOf('/pay') });
    const taken = await admin.submit(page, { spec: documentOf('/refund') });
    // To what it changes, and from there to the draft of the changelog; back to the product where nothing changes.
    expect(taken.path).toMatch(/^\/admin\/product-documents\/\d+\/\d+\/compare$/);
    const draft = /href="(\/admin\/changes\/\d+\/\d+)"/.exec(taken.html)?.[1] ?? '';
    const { html } = await admin.get(draft);
    expect(html).toContain('GET /refund');
    expect(html).toContain(taken.path.replace('/compare', ''));
    expect((await admin.submit(page, { spec: documentOf('/refund') })).path).toBe(place('/products/:id'));
    expect((await admin.get(place('/products/:id/document/download'))).html).toContain('3.0.3');
    const workflows = {
      ...{
        arazzo: '1.0.1',
        info: { title: 'Pay', version: '1' },
        sourceDescriptions: [{ name: 'pay', url: 'pay.json' }],
      },
      workflows: [
        {
          workflowId: 'refund',
          steps: [{ stepId: 'do', operationPath: '{$sourceDescriptions.pay.url}#/paths/~1refund/get' }],
        },
      ],
    };
    const { products } = test.portal.services.catalog;
    const [, id = ''] = /(\d+)$/.exec(place('/products/:id')) ?? [];
    await products.setWorkflows(await products.findForAdmin(Number(id)), Buffer.from(JSON.stringify(workflows)));
    expect((await admin.get(place('/products/:id'))).html).toContain('/workflows/download"');
    expect((await admin.get(place('/products/:id/workflows/download'))).html).toContain('"refund"');
  });
});

describe('a guide', () => {
  it('is read with its callouts and tabs, as are the texts that it had', async () => {
    const text = ':::note Mind\nThe tide.\n:::\n\n## Keys\n\n[next](other.md)\n\n::operation payments createPayment';
    const { guides } = test.portal.services.content;
    const texts = {
      name: 'Tides',
      visibility: 'public',
      description: text,
      translations: { ar: { description: text } },
    } as const;
    const { id } = await guides.create({ kind: 'guide', productId: null }, { slug: 'tides', ...texts });
    const callout = '<div class="callout callout-note" role="note"><p class="callout-title"><bdi>Mind</bdi>';
    const { html } = await admin.get(`/admin/guides/${id}`);
    expect(html.split(callout)).toHaveLength(3);
    expect(html).toContain('guides.css');
    expect(html).toContain('<h2 id="own-keys"><a class="guide-anchor" href="#own-keys">');
    expect(html).toContain('id="ar-keys"');
    expect(html).toContain('href="/portal/guides/other"');
    expect(html).toContain('<code dir="ltr">payments createPayment</code>');
    expect(html).not.toContain(':::');
    const version = new RegExp(`href="(/admin/guide-versions/${id}/\\d+)"`).exec(html)?.[1] ?? '';
    const before = await admin.get(version);
    expect([before.status, before.html.includes(callout)]).toEqual([200, true]);
  });
});

describe('roles beside permissions', () => {
  it('are saved one by one, and nobody gives what they do not hold', async () => {
    const { html } = await admin.get('/admin/roles/matrix');
    const form = formsOf(html).find(({ action }) => /\/roles\/\d+\/matrix$/.test(action));
    expect(form).toBeDefined();
    const weak = await openConsole(test, [
      'portal.roles.view',
      'portal.roles.update',
      'portal.rbac.manage',
      'portal.permissions.view',
    ]);
    const _csrf = await weak.csrf('/admin/account');
    const refused = await weak.post(form?.action ?? '', {
      _csrf,
      permissions: ['portal.admin.access', 'portal.users.delete'],
    });
    expect(refused.status).toBe(403);
  });
});

describe('the activities', () => {
  it('are told in words of the language, with the names that the filter takes', async () => {
    const { html } = await admin.get('/admin/activities?action=app.created');
    expect(html).toMatch(/<bdi>App created<\/bdi><br><code[^>]*>app\.created<\/code>/);
    const page = await admin.get(place('/activities/:id'));
    const [, title = ''] = /<h1[^>]*>([^<]+)<\/h1>/.exec(page.html) ?? [];
    expect(title).not.toContain('.');
    expect(page.html).toContain(`<title>${title}`);
    const arabic = await admin.get('/admin/activities?action=app.created&locale=ar');
    expect(arabic.html).toMatch(/<bdi>أُنشئ تطبيق<\/bdi><br><code[^>]*>app\.created/);
    await admin.get('/admin/activities?locale=en');
  });
});

describe('an activity', () => {
  it('shows before and after, and leads to everything that this person did and that happened to this record', async () => {
    const user = await createUser(test, { firstName: 'Before' });
    await admin.submit(`/admin/users/${user.id}/edit`, { first_name: 'Afterwards' });
    const list = await admin.get(`/admin/activities?subject=user:${user.id}`);
    const found = /href="(\/admin\/activities\/\d+)"/.exec(list.html)?.[1] ?? '';
    const { html } = await admin.get(found);
    expect(html).toMatch(/diff-before"><bdi>Before/);
    expect(html).toMatch(/diff-after"><bdi>Afterwards/);
    expect(html).toMatch(/\/admin\/activities\?actor=admin(:|%3A)\d+/);
    expect(html).toMatch(new RegExp(`/admin/activities\\?subject=user(:|%3A)${user.id}`));
    const file = await admin.get(`/admin/activities/export?subject=user:${user.id}`);
    expect(file.html).toContain('user.updated');
  });
});

describe('a key', () => {
  it('has its products approved and revoked one by one', async () => {
    await createProduct(test, { slug: 'cards', name: 'Cards', approval: 'manual' });
    const mary = await Developer.create(test);
    const { id } = await mary.createApp('shop', ['cards']);
    const page = `/admin/keys/${mary.user.id}/shop/${id}`;
    const approved = await admin.submit(`${page}/products/cards/approve`, {});
    expect(approved.html).toContain(`${page}/products/cards/revoke`);
    await admin.submit(`${page}/products/cards/revoke`, {});
    expect((await admin.get(page)).html).toContain(`${page}/products/cards/approve`);
  });
});
