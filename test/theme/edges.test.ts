import { createAdmin, createProduct, createUser, PASSWORD } from '../support/factories.js';
import { Mailbox } from '../support/mailbox.js';
import { PageClient } from '../support/page-client.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const box = new Mailbox();
let test: TestPortal;
beforeAll(async () => {
  test = await startTestPortal({ extensions: { mailer: () => box } });
});
afterAll(() => test.stop());

async function signedIn(overrides: Parameters<typeof createUser>[1] = {}) {
  const user = await createUser(test, overrides);
  const page = new PageClient(test.client);
  await page.submit('/portal/login', { email: user.email, password: PASSWORD });
  return { user, page };
}

/** From somebody who follows a link to another name of the machine. */
const elsewhere = (path: string, headers: Record<string, string> = HTML) =>
  test.client.sendAsItIs('GET', path, { ...headers, host: 'evil.example' });

describe('a Host that is not ours (S47)', () => {
  it('is refused in a page for people, in their language, without a word of what was asked for', async () => {
    const { status, headers, text } = await elsewhere('/portal/products');
    expect([status, headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8']);
    expect(text).toContain('<h1>Not at this address</h1>');
    expect(text).not.toMatch(/evil\.example|127\.0\.0\.1/);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'");
    const arabic = await elsewhere('/portal', { ...HTML, 'accept-language': 'ar' });
    expect(arabic.text).toContain('<html lang="ar" dir="rtl">');
    expect(headers.get('set-cookie')).toBeNull();
  });

  it.each([
    ['/api/v1/api-products', HTML],
    ['/portal/products', { accept: 'application/json' }],
    ['/elsewhere', { accept: '*/*' }],
  ])('is refused as JSON at %s with %j', async (path, headers) => {
    const { status, json } = await elsewhere(path, headers);
    expect([status, json.message]).toEqual([400, 'Host not allowed.']);
  });

  it('gets none of our files either', async () => {
    expect((await elsewhere('/portal/assets/portal.css')).status).toBe(400);
  });
});

describe('a portal that is not ready', () => {
  it('says so in a page that is laid out, and to programs as JSON', async () => {
    const early = await startTestPortal();
    await early.portal.migrator.rollback({ steps: 1 });
    const fresh = await startTestPortal({ databaseUrl: early.databaseUrl });
    try {
      const page = await fresh.client.get('/portal', { headers: HTML });
      expect([page.status, page.headers.get('retry-after')]).toEqual([503, '2']);
      expect(page.text).toContain('<h1>Back soon</h1>');
      const sheets = [...page.text.matchAll(/href="(\/portal\/assets\/[^"]+\.css[^"]*)"/g)].map(([, url = '']) => url);
      expect(sheets).toHaveLength(2);
      for (const sheet of sheets) {
        const { status, headers } = await fresh.client.get(sheet.replaceAll('&#x3D;', '='));
        expect([status, headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8']);
      }
      const api = await fresh.client.get('/api/v1/api-products', { headers: HTML });
      expect([api.status, api.json.success]).toEqual([503, false]);
    } finally {
      await fresh.stop();
      await early.stop();
    }
  });
});

describe('addresses outside of the pages', () => {
  it('are missing in a page for people, and as JSON for programs', async () => {
    const person = await test.client.get('/nowhere', { headers: HTML });
    expect([person.status, person.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(person.text).toContain('<h1>Page not found</h1>');
    expect((await test.client.get('/nowhere', { headers: { accept: '*/*' } })).json.message).toBe('Route not found.');
    expect((await test.client.get('/api/v1/nowhere', { headers: HTML })).json.message).toBe('Route not found.');
  });

  it('tell search engines what is not for them', async () => {
    const { status, headers, text } = await test.client.get('/robots.txt');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    for (const path of ['dashboard', 'apps', 'profile', 'login', 'reset-password']) {
      expect(text).toContain(`Disallow: /portal/${path}\n`);
    }
    expect(text).not.toMatch(/Disallow: \/portal(?:\/products)?\n/);
  });

  it('have a picture for the tab of the browser', async () => {
    const { status, headers } = await test.client.get('/favicon.ico');
    expect([status, headers.get('location')]).toEqual([302, '/portal/assets/favicon.svg']);
    const picture = await test.client.get('/portal/assets/favicon.svg');
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
  });
});

describe('files of the pages', () => {
  it('are kept for ever only at the address of their content, and asked for again elsewhere', async () => {
    const portal = await test.client.get('/portal', { headers: HTML });
    const [, url = ''] = /href="(\/portal\/assets\/portal\.css[^"]*)"/.exec(portal.text) ?? [];
    const versioned = await test.client.get(url.replaceAll('&#x3D;', '='));
    expect(versioned.headers.get('cache-control')).toContain('immutable');
    const plain = await test.client.get('/portal/assets/portal.css?v=old');
    expect(plain.headers.get('cache-control')).toBe('no-cache');
    const tag = plain.headers.get('etag') ?? '';
    // Weak: as a proxy that compresses makes it.
    for (const known of [tag, `W/${tag}`, `"other", W/${tag}`]) {
      const again = await test.client.get('/portal/assets/portal.css', { headers: { 'if-none-match': known } });
      expect([again.status, again.text]).toEqual([304, '']);
    }
  });
});

describe('the language of a developer', () => {
  const rows = async (id: number) => (await test.portal.services.accounts.users.find(id)).locale;

  it('is the one that they signed up in', async () => {
    const page = new PageClient(test.client);
    await page.post('/portal/locale/ar', {});
    const names = { first_name: 'Ada', last_name: 'Lovelace', email: 'arabic@example.com' };
    await page.submit('/portal/register', { ...names, password: PASSWORD, password_confirmation: PASSWORD });
    const found = await test.portal.services.accounts.users.findByEmail('arabic@example.com');
    expect(found?.user.locale).toBe('ar');
  });

  it('follows the switch and the profile, and is known in another browser', async () => {
    const { user, page } = await signedIn();
    await page.post('/portal/locale/ar', {});
    expect(await rows(user.id)).toBe('ar');
    const other = new PageClient(test.client);
    await other.submit('/portal/login', { email: user.email, password: PASSWORD });
    expect((await other.get('/portal/dashboard')).html).toContain('<html lang="ar"');
    const saved = await other.submit('/portal/profile', { locale: 'en' });
    expect(saved.html).toContain('Your profile is saved.');
    expect(await rows(user.id)).toBe('en');
    const wrong = await other.submit('/portal/profile', { locale: 'xx' });
    expect(wrong.status).toBe(422);
    expect(wrong.html).toContain('Choose one of these languages: en, ar.');
  });

  it('is the language of mails that nobody asked for', async () => {
    const { slug } = await createProduct(test);
    const { user, page } = await signedIn();
    await page.post('/portal/locale/ar', {});
    const by = { type: 'admin', id: (await createAdmin(test)).id } as const;
    const { apps } = test.portal.services.apps;
    const { app } = await apps.create(user, { name: 'shop', products: [slug] }, { type: 'developer', id: user.id });
    await apps.revoke(await apps.find(user, app.name), by, 'x');
    const [mail] = await box.take(test, user.email);
    expect([mail?.locale, mail?.html]).toEqual(['ar', expect.stringContaining('<html lang="ar" dir="rtl">')]);
  });
});

describe('the dashboard', () => {
  it('tells the latest of the developer alone, in their language, without naming an admin', async () => {
    const { slug } = await createProduct(test, { approval: 'manual' });
    const { user, page } = await signedIn();
    const stranger = await signedIn();
    const admin = await createAdmin(test, { name: 'Grace Secret' });
    const { apps } = test.portal.services.apps;
    const input = { name: 'mine', displayName: 'Mine', products: [slug] };
    await apps.create(user, input, { type: 'developer', id: user.id });
    await apps.revoke(await apps.find(user, 'mine'), { type: 'admin', id: admin.id }, 'x');
    await apps.create(stranger.user, { name: 'theirs' }, { type: 'developer', id: stranger.user.id });
    const { html } = await page.get('/portal/dashboard');
    expect(html).toMatch(/App created: <bdi[^>]*>mine<\/bdi>/);
    expect(html).toMatch(/App revoked: <bdi[^>]*>mine<\/bdi>/);
    expect(html).toContain(`<time datetime="${test.clock.now().toISOString()}">`);
    expect(html).not.toMatch(/theirs|Grace Secret/);
    const arabic = await page.get('/portal/dashboard?locale=ar');
    expect(arabic.html).toContain('أُنشئ التطبيق:');
    expect(arabic.html).toContain(
      new Intl.DateTimeFormat('ar', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }).format(
        test.clock.now(),
      ),
    );
  });

  it('names what waits for approval, and what to do next', async () => {
    const { name, slug } = await createProduct(test, { name: 'Cautious', approval: 'manual' });
    const { user, page } = await signedIn();
    expect((await page.get('/portal/dashboard')).html).toContain(
      '<a href="/portal/apps/create">Create your first app</a>',
    );
    const by = { type: 'developer', id: user.id } as const;
    await test.portal.services.apps.apps.create(user, { name: 'waiting', products: [slug] }, by);
    const { html } = await page.get('/portal/dashboard');
    expect(html).toContain('Our team looks at these.');
    expect(html).toMatch(new RegExp(`<bdi>waiting</bdi></a> <span class="soft small"><bdi>${name}</bdi>`));
    expect(html).toContain('<a href="/portal/apps/waiting">Make the first call with it</a>');
  });
});

describe('pages in another language', () => {
  it('name products and faults in it', async () => {
    const translations = { ar: { name: 'الدفع', short_description: '', description: '' } };
    const { slug } = await createProduct(test, { name: 'Paying', translations });
    const { user, page } = await signedIn();
    await page.post('/portal/locale/ar', {});
    const by = { type: 'developer', id: user.id } as const;
    await test.portal.services.apps.apps.create(user, { name: 'local', products: [slug] }, by);
    for (const path of ['/portal/dashboard', '/portal/apps', '/portal/apps/local']) {
      const { html } = await page.get(path);
      expect([path, html.includes('الدفع'), html.includes('Paying')]).toEqual([path, true, false]);
    }
    const fields = { name: 'other', products: 'no-such' };
    const { html } = await page.submit('/portal/apps/create', fields, { action: '/portal/apps' });
    expect(html).toContain('لا توجد واجهة باسم «\u2068no-such\u2069».');
  });

  it('unfold menus of several levels', async () => {
    const { menus } = test.portal.services.site;
    const children = [{ label: 'Guides', url: 'https://guides.example', visibility: 'everyone' }] as const;
    const items = [{ label: 'Learn', route: '/products', visibility: 'everyone', children: [...children] }] as const;
    const menu = await menus.create({ slug: 'header', name: 'Header', items: [...items] });
    test.clock.advance(2);
    const { html } = await new PageClient(test.client).get('/portal');
    expect(html).toMatch(/<summary>Learn<\/summary>[^]*?<a href="https:\/\/guides\.example">Guides<\/a>/);
    await menus.delete(menu.id);
    test.clock.advance(2);
  });
});

describe('the page of a product', () => {
  it('leads from its plan to a key, and shows where the key of the reader goes', async () => {
    const spec = { openapi: '3.0.3', info: { title: 'x', version: '1' }, servers: [{ url: 'https://api.example.com/v1' }],
      components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-API-Key' } } }, security: [{ key: [] }],
      paths: { '/things/{id}': { get: { responses: {} } }, '/things': { get: { responses: {} } } } }; // prettier-ignore
    const { slug } = await createProduct(test, { slug: 'things' }, spec);
    const path = `/portal/products/${slug}`;
    const visitor = await new PageClient(test.client).get(path);
    expect(visitor.html).toContain('curl https://api.example.com/v1/things \\');
    expect(visitor.html).toContain('export API_KEY&#x3D;&quot;YOUR_KEY&quot;');
    expect(visitor.html).toContain('Your key works at once.');
    expect(visitor.html).not.toContain('Your access');
    const { user, page } = await signedIn();
    const by = { type: 'developer', id: user.id } as const;
    const { credentials } = await test.portal.services.apps.apps.create(user, { name: 'shop', products: [slug] }, by);
    const key = credentials?.[0]?.key?.consumerKey ?? '';
    const { html } = await page.get(path);
    const masked = `${key.slice(0, 4)}••••${key.slice(-4)}`;
    expect(html).toContain(`export API_KEY&#x3D;&quot;${masked}&quot;`);
    expect(html).not.toContain(key);
    expect(html).toMatch(/Your access[^]*href="\/portal\/apps\/shop"/);
  });
});

describe('pages of visitors that were written before', () => {
  const html = async (path: string, visitor = new PageClient(test.client)) => (await visitor.get(path)).html;

  it('show every change at once', async () => {
    const product = await createProduct(test, { slug: 'kept', name: 'Kept' });
    const { products } = test.portal.services.catalog;
    const paths = ['/portal', '/portal/products?q=kept', '/portal/products/kept'];
    for (const path of [...paths, ...paths]) expect(await html(path)).toContain('Kept');
    await products.update(product.id, { name: 'Other <name>' });
    for (const path of paths) expect([path, (await html(path)).includes('Other &lt;name&gt;')]).toEqual([path, true]);
    expect(await html('/portal/products/kept?locale=ar')).toContain('<html lang="ar"');
  });

  it('are nobody else’s: neither the token of a form nor a name, a notice or a look', async () => {
    const visitors = [new PageClient(test.client), new PageClient(test.client)];
    const tokens = await Promise.all(visitors.map((visitor) => visitor.csrf('/portal/login')));
    expect(new Set(tokens).size).toBe(2);
    const { page } = await signedIn({ firstName: 'Hypatia' });
    for (let turn = 0; turn < 2; turn += 1) {
      expect(await html('/portal/products', page)).toContain('Account of Hypatia');
      expect(await html('/portal/products')).not.toMatch(/Hypatia|_csrf/);
    }
    const dark = new PageClient(test.client);
    dark.cookies.set('portal-scheme', 'dark');
    dark.cookies.set('portal-flash', 'signed-out');
    expect(await html('/portal/products', dark)).toMatch(/data-scheme="dark"[^]*You are signed out/);
    expect(await html('/portal/products')).not.toMatch(/data-scheme|You are signed out/);
  });
});

describe('every page', () => {
  it('has a title of its own, a description, and says where it stands', async () => {
    const { slug } = await createProduct(test, { name: 'Titled' });
    const { user, page } = await signedIn();
    await test.portal.services.apps.apps.create(user, { name: 'titled' }, { type: 'developer', id: user.id });
    const paths = [
      ...['', '/products', `/products/${slug}`, `/products/${slug}/spec`, '/dashboard', '/apps', '/apps/create'],
      ...['/apps/titled', '/profile', '/forgot-password', '/verify-email', '/reset-password/x', '/verify-email/x'],
    ];
    const titles: string[] = [];
    for (const path of paths) {
      const { html } = await page.get(`/portal${path}`);
      titles.push(/<title>([^<]+)<\/title>/.exec(html)?.[1] ?? '');
      expect([path, html]).toEqual([path, expect.stringMatching(/<meta name="description" content="[^"]{20,}">/)]);
      const hasCrumbs = html.includes('class="crumbs"');
      expect([path, hasCrumbs]).toEqual([path, /^\/(products\/|apps|profile)/.test(path)]);
    }
    expect(titles.filter((title) => !/^.+ · Developer Portal$/.test(title))).toEqual([]);
    // The two that ask for the same confirmation are called the same.
    expect(new Set(titles).size).toBeGreaterThanOrEqual(titles.length - 2);
  });
});

describe('critical pages', () => {
  it('are under 60 kB compressed with all their files', async () => {
    const { gzipSync } = await import('node:zlib');
    const { slug } = await createProduct(test, { description: 'word '.repeat(400) });
    const { user, page } = await signedIn();
    await test.portal.services.apps.apps.create(
      user,
      { name: 'sized', products: [slug] },
      { type: 'developer', id: user.id },
    );
    const guest = new PageClient(test.client);
    for (const [reader, path] of [
      ...['', '/products', `/products/${slug}`, '/login', '/register'].map((path) => [guest, path] as const),
      ...['/dashboard', '/apps', '/apps/sized', '/apps/create', '/profile'].map((path) => [page, path] as const),
    ]) {
      const { html } = await reader.get(`/portal${path}`);
      const files = [...html.matchAll(/(?:href|src)="(\/portal\/assets\/[^"]+)"/g)].map(([, file = '']) => file);
      expect(files.length).toBeGreaterThanOrEqual(4);
      const parts = await Promise.all(
        files.map(async (file) => (await reader.get(file.replaceAll('&#x3D;', '='))).html),
      );
      const size = [html, ...parts].reduce((sum, part) => sum + gzipSync(part).length, 0);
      expect([path, size < 60_000]).toEqual([path, true]);
    }
  });
});
