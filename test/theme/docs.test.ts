import { accessibilityFaults, openVisitor, startBrowser } from '../support/browser.js';
import { describeWith } from '../support/describe-with.js';
import { createAdmin, createUser, PASSWORD } from '../support/factories.js';
import { decoded } from '../support/page-client.js';
import { pictureOf } from '../support/pictures.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const READY = '.reference[data-ready]';

let test: TestPortal;
let shut: TestPortal;
beforeAll(async () => {
  test = await startTestPortal({ config: { limits: { ip: { requests: { max: 10_000 } } } } });
  await test.portal.services.rbac.seed();
  shut = await startTestPortal({
    config: { docs: { path: '/reference', contexts: ['consumer'], postman: false }, theme: { enabled: false } },
  });
  await shut.portal.services.rbac.seed();
});
afterAll(async () => {
  await test?.stop();
  await shut?.stop();
});

interface Part {
  name: string;
  data: string;
}

async function partsOf({ client }: TestPortal, path = '/docs'): Promise<Part[]> {
  const { text } = await client.get(path);
  return (JSON.parse(decoded(/data-settings="([^"]+)"/.exec(text)?.[1] ?? '{}')) as { documents: Part[] }).documents;
}

async function tokenOf({ client }: TestPortal, email: string, path: string): Promise<string> {
  const { json } = await client.post(`/api/v1${path}/auth/login`, { email, password: PASSWORD });
  return json.data.access_token as string;
}

describe("the reference of the portal's own API", () => {
  it('is a page with a list of operations, and needs no session', async () => {
    const { status, text, headers } = await test.client.get('/docs');
    expect(status).toBe(200);
    for (const sentence of ['API reference', '/auth/login', '/me/apps', 'openapi.yaml', 'postman.json']) {
      expect(text).toContain(sentence);
    }
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'",
    );
    expect(headers.get('set-cookie')).toBeNull();
    expect(text).not.toMatch(/<script(?![^>]*\bsrc=)|\sstyle=|\son\w+=|https?:\/\/(?!127)/i);
    expect((await test.client.get('/docs?locale=ar')).text).toContain('dir="rtl"');
  });

  it('has both parts of the API, in pieces', async () => {
    const parts = await partsOf(test);
    expect(parts.map(({ name }) => name)).toEqual(['consumer', 'admin']);
    for (const { name, data } of parts) {
      const { status, text } = await test.client.get(`${data}index`);
      const index = JSON.parse(text) as { operations: [string, string][] };
      expect(status).toBe(200);
      const all = index.operations.map(([, path]) => path);
      const paths = all.filter((path) => path.startsWith('/'));
      // What endpoints are told of stands beside: types of events.
      expect([name, all.includes('app.created')]).toEqual([name, true]);
      expect([name, paths.every((path) => path.startsWith('/admin') === (name === 'admin'))]).toEqual([name, true]);
      expect((await test.client.get(`${data}0`)).status).toBe(200);
    }
    for (const path of ['/docs/data/consumer/x/index', '/docs/data/other/x/index', '/docs/x', '/docs/assets/x.js']) {
      expect([path, (await test.client.get(path)).status]).toEqual([path, 404]);
    }
    expect((await test.client.post('/docs')).status).toBe(405);
  });

  it('gives files for tools, and not again to who has them', async () => {
    const json = await test.client.get('/docs/openapi.json');
    expect(JSON.parse(json.text)).toMatchObject({ openapi: '3.1.0' });
    expect((await test.client.get('/docs/openapi.yaml')).text).toMatch(/^openapi: 3\.1\.0/);
    expect(JSON.parse((await test.client.get('/docs/postman.json')).text)).toHaveProperty('info._postman_id');
    const tag = json.headers.get('etag') ?? '';
    for (const known of [tag, `W/${tag}`]) {
      expect((await test.client.get('/docs/openapi.json', { headers: { 'if-none-match': known } })).status).toBe(304);
    }
    const admin = JSON.parse((await test.client.get('/docs/openapi.json?context=admin')).text) as { paths: object };
    expect(Object.keys(admin.paths).every((path) => path.startsWith('/admin'))).toBe(true);
    expect((await test.client.get('/docs/openapi.json?context=other')).status).toBe(404);
  });

  it('keeps a part that is not for everybody to whoever has a token of it', async () => {
    const user = await createUser(shut);
    const admin = await createAdmin(shut, { roles: ['auditor'] });
    const developer = await tokenOf(shut, user.email, '');
    const auditor = await tokenOf(shut, admin.email, '/admin');
    const [, hidden] = await partsOf(shut, '/reference');
    const address = `${hidden?.data}index`;
    const statuses = [];
    for (const token of [undefined, 'bad', developer, auditor]) {
      statuses.push((await shut.client.get(address, token === undefined ? {} : { token })).status);
    }
    expect(statuses).toEqual([401, 401, 401, 200]);
    const pathsIn = async (token?: string) => {
      const { text } = await shut.client.get('/reference/openapi.json', token === undefined ? {} : { token });
      return Object.keys((JSON.parse(text) as { paths: object }).paths).filter((path) => path.startsWith('/admin'))
        .length;
    };
    expect([await pathsIn(), await pathsIn(developer)]).toEqual([0, 0]);
    expect(await pathsIn(auditor)).toBeGreaterThan(20);
    expect((await shut.client.get('/reference/postman.json')).status).toBe(404);
    expect((await shut.client.get('/reference')).text).not.toContain('postman.json');
  });

  it('is served without the theme, and not at all when it is off', async () => {
    expect((await shut.client.get('/reference')).text).toContain('reference.js');
    const off = await startTestPortal({ config: { docs: { enabled: false } } });
    expect((await off.client.get('/docs')).status).toBe(404);
    expect((await off.client.get('/api/v1/config')).json.data.links.docs).toBeNull();
    await off.stop();
  });
});

describeWith('chromium', "the reference of the portal's own API in a real browser", () => {
  it('signs in, sends a request and shows the envelope, for both parts of the API', async () => {
    const browser = await startBrowser();
    const user = await createUser(test);
    const admin = await createAdmin(test, { roles: ['super_admin'] });
    try {
      const visitor = await openVisitor(browser, test.client.url, { locale: 'en-GB', reducedMotion: 'reduce' });
      const { page } = visitor;
      const signIn = async (email: string, password: string) => {
        await page.click('summary:has-text("Sign in to try")');
        await page.fill('.reference-account input[type="email"]', email);
        await page.fill('.reference-account input[autocomplete="current-password"]', password);
        await page.click('.reference-account button:text-is("Sign in")');
      };
      const send = async () => {
        await page.click('.reference-open');
        await page.click('button:text-is("Send")');
        await page.waitForSelector('.reference-answer .badge');
        return JSON.parse((await page.textContent('.reference-body')) ?? '') as {
          success: boolean;
          data: { email: string };
        };
      };
      await page.goto('/docs#op-getProfile');
      await page.waitForSelector(READY);
      await page.waitForSelector('.reference-operation');
      await pictureOf(page, 'docs', 'profile');
      expect(await accessibilityFaults(page)).toEqual([]);
      expect(await send()).toMatchObject({ success: false, status: 401 });
      await page.keyboard.press('Escape');
      await signIn(user.email, 'wrong');
      await page.waitForSelector('.reference-account [role="alert"]:not(:empty)');
      await page.fill('.reference-account input[autocomplete="current-password"]', PASSWORD);
      await page.click('.reference-account button:text-is("Sign in")');
      await page.waitForSelector(`text=Signed in: ${user.email}`);
      await page.waitForSelector('.reference-operation');
      expect(await send()).toMatchObject({ success: true, data: { email: user.email } });
      await pictureOf(page, 'docs', 'answer');
      expect(await accessibilityFaults(page)).toEqual([]);

      // The access token ends; the page gets itself another one.
      test.clock.advance(16 * 60);
      await page.click('button:text-is("Send")');
      await page.waitForSelector('.reference-status:has-text("200")');

      await page.keyboard.press('Escape');
      await page.click('.reference-choice:text-is("Admins")');
      await page.waitForSelector('summary:has-text("Sign in to try")');
      await signIn(admin.email, PASSWORD);
      await page.waitForSelector(`text=Signed in: ${admin.email}`);
      await page.goto('/docs#op-getAdminProfile');
      await page.click('.reference-nav a[href="#op-getAdminProfile"]');
      await page.waitForSelector('.reference-operation');
      expect(await send()).toMatchObject({ success: true, data: { email: admin.email } });
      await page.keyboard.press('Escape');
      await page.click('button:text-is("Sign out")');
      await page.waitForSelector('summary:has-text("Sign in to try")');
      expect(await page.evaluate('JSON.stringify([localStorage, sessionStorage, document.cookie])')).toBe('[{},{},""]');
      expect([visitor.faults, visitor.dialogs]).toEqual([[], []]);
    } finally {
      await browser.close();
    }
  });

  it.each(['light', 'dark', 'Arabic', 'a phone'])('has nothing that axe-core finds fault with: %s', async (look) => {
    const browser = await startBrowser();
    try {
      const visitor = await openVisitor(browser, test.client.url, {
        colorScheme: look === 'dark' ? 'dark' : 'light',
        locale: look === 'Arabic' ? 'ar' : 'en-GB',
        ...(look === 'a phone' ? { viewport: { width: 390, height: 844 } } : {}),
      });
      const { page } = visitor;
      for (const hash of ['', '#op-createApp', '#op-listApps']) {
        await page.goto('about:blank');
        await page.goto(`/docs${hash}`);
        await page.waitForSelector(hash === '' ? '.reference-intro' : '.reference-operation');
        await page.evaluate("document.querySelectorAll('.reference details').forEach((one) => (one.open = true))");
        await pictureOf(page, `docs-${look}`, hash);
        expect([look, hash, await accessibilityFaults(page)]).toEqual([look, hash, []]);
        expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
      }
      expect(visitor.faults).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});
