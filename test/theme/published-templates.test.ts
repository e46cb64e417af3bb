import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { definePage, Redirect, View } from '../../src/index.js';
import type { PortalConfigInput } from '../../src/config/index.js';
import { folderWith } from '../config/support.js';
import { createProduct, createUser } from '../support/factories.js';
import { Mailbox } from '../support/mailbox.js';
import { decoded, PageClient } from '../support/page-client.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const box = new Mailbox();
/** Its fields are getters of a prototype. */
const SITE = new URL('https://site.example/');
const pages = () => [
  definePage({
    method: 'get',
    path: '/support/:topic',
    audience: 'everyone',
    handle: ({ params, locale }) =>
      Promise.resolve(new View('support', { topic: params.topic, spoken: locale, site: SITE })),
  }),
  definePage({
    method: 'get',
    path: '/mine',
    audience: 'developers',
    handle: ({ actor }) => Promise.resolve(new View('support', { topic: actor.user.email })),
  }),
  definePage({
    method: 'post',
    path: '/support/:topic',
    audience: 'everyone',
    handle: () => Promise.resolve(new Redirect('/support/thanks')),
  }),
  // In the place of one that ships.
  definePage({
    method: 'get',
    path: '/forgot-password',
    audience: 'everyone',
    handle: () => Promise.resolve(new View('support', { topic: 'passwords' })),
  }),
];

let folder: string;
const put = async (path: string, text: string) => {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
};
const start = (config: PortalConfigInput = {}, extensions = {}): Promise<TestPortal> =>
  startTestPortal({
    config: { ...config, theme: { viewsDir: folder } },
    extensions: { mailer: () => box, ...extensions },
  });

describe('in development', () => {
  let test: TestPortal;
  const html = async (path: string) => (await new PageClient(test.client).get(path)).html;
  beforeAll(async () => {
    folder = await folderWith({});
    test = await start({ app: { env: 'development', url: 'http://127.0.0.1:0' } }, { pages });
    await createProduct(test, { name: 'Payments', slug: 'payments', visibility: 'public' });
  });
  afterAll(() => test.stop());
  beforeEach(async () => {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder);
  });

  it('shows a published page with the next request, each change of it, and the package’s again without it', async () => {
    expect(await html('/portal')).toContain('Build on our APIs');
    await put('pages/landing.hbs', '<main id="content"><h1>One {{brand.name}}</h1></main>');
    expect(await html('/portal')).toContain('<h1>One Developer Portal</h1>');
    // Of the same length, and maybe of the same millisecond.
    await put('pages/landing.hbs', '<main id="content"><h1>Two {{brand.name}}</h1></main>');
    expect(await html('/portal')).toContain('<h1>Two Developer Portal</h1>');
    await rm(join(folder, 'pages'), { recursive: true });
    expect(await html('/portal')).toContain('Build on our APIs');
  });

  it('uses published partials, and new ones under the names of their files', async () => {
    await put('partials/product/card.hbs', '<b>{{product.name}}{{> theme::acme.very-own text="!"}}</b>');
    await put('partials/acme/very-own.hbs', '<i>{{text}}</i>');
    expect(await html('/portal/products')).toContain('<b>Payments<i>!</i></b>');
    await rm(join(folder, 'partials'), { recursive: true });
    expect(await html('/portal/products')).not.toContain('<i>!</i>');
  });

  it('reaches values of its own alone, and no prototype (S67)', async () => {
    const reach = ['constructor.name', '__proto__.constructor', 'brand.constructor.name', 'brand.toString', 'lookup'];
    const lookups = reach.map((name) => `[{{${name === 'lookup' ? 'lookup brand "constructor"' : name}}}]`).join('');
    await put('partials/landing/hero.hbs', `<i>${lookups}</i><b>{{brand.name}}</b>`);
    expect(await html('/portal')).toContain('<i>[][][][][]</i><b>Developer Portal</b>');
    await put('pages/support.hbs', '[{{site.host}}]');
    expect(await html('/portal/support/x')).toContain('[]');
  });

  it('says which helper there is not', async () => {
    await put('pages/landing.hbs', '{{nothing-like-it "x"}}');
    expect((await new PageClient(test.client).get('/portal')).status).toBe(500);
  });

  it('uses a published layout around every page, of failures too', async () => {
    await put('layouts/main.hbs', '<!doctype html><title>{{pageTitle}}</title><body class="acme">{{body}}');
    expect(await html('/portal/products')).toContain('class="acme"');
    expect(await html('/portal/nowhere')).toContain('class="acme"');
  });

  it('replaces single words, in each language', async () => {
    await put('lang/en.json', '{ "landing": { "headline": "Banking by request" } }');
    await put('lang/ar.json', '{ "landing.headline": "مرحبا" }');
    expect(await html('/portal')).toContain('<h1>Banking by request</h1>');
    expect(await html('/portal')).toContain('Browse APIs');
    expect(await html('/portal?locale=ar')).toContain('<h1>مرحبا</h1>');
  });

  it('serves published assets, new ones and custom.css under addresses that change with them', async () => {
    const assets = async () =>
      [...decoded(await html('/portal')).matchAll(/"(\/portal\/assets\/[^"]+)"/g)].map(([, url]) => url ?? '');
    const before = await assets();
    expect(before.join()).not.toContain('custom.css');
    await put('assets/portal.css', 'h1{color:red}');
    await put('assets/custom.css', 'h1{margin:0}');
    await put('assets/acme.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>');
    await put('partials/landing/hero.hbs', '<img alt="" src="{{asset "acme.svg"}}">');
    const after = await assets();
    expect(after.filter((url) => !before.includes(url)).map((url) => url.replace(/v=.*/, ''))).toEqual([
      '/portal/assets/portal.css?',
      '/portal/assets/custom.css?',
      '/portal/assets/acme.svg?',
    ]);
    expect(after.join()).not.toContain('v=new');
    const sheet = after.find((url) => url.includes('portal.css')) ?? '';
    expect((await test.client.get(sheet)).text).toBe('h1{color:red}');
  });

  it('writes published mails', async () => {
    const { email } = await createUser(test);
    await put('mail/password-reset.txt.hbs', 'Acme says: {{t (concat words ".action")}}');
    await put('lang/en.json', '{ "mail": { "password-reset": { "subject": "Acme: new password" } } }');
    await test.client.post('/api/v1/auth/forgot-password', { email });
    const [mail] = await box.take(test, email);
    expect([mail?.subject, mail?.text]).toEqual(['Acme: new password', 'Acme says: Choose a new password']);
  });

  it('serves the pages of the host, with their audience and the protection of forms', async () => {
    await put(
      'pages/support.hbs',
      '<h1>About {{topic}} {{spoken}}</h1><form method="post" action="{{path "/support/x"}}">{{csrf}}</form>',
    );
    await put('lang/en.json', '{ "support": { "title": "Help" } }');
    const browser = new PageClient(test.client);
    expect((await browser.get('/portal/support/keys')).html).toMatch(/<title>Help · .*<h1>About keys en<\/h1>/s);
    expect((await browser.get('/portal/mine', { follow: false })).headers.get('location')).toMatch(/^\/portal\/login/);
    expect((await browser.post('/portal/support/x', {})).status).toBe(403);
    expect((await browser.submit('/portal/support/x', {})).path).toBe('/portal/support/thanks');
    expect((await browser.get('/portal/forgot-password')).html).toContain('About passwords');
  });
});

describe('in production', () => {
  it('reads templates, words and partials once', async () => {
    folder = await folderWith({ 'partials/landing/hero.hbs': '<h1>First {{t "landing.browse"}}</h1>' });
    const test = await start({ app: { env: 'production', url: 'https://portal.example.com' } });
    const headers = { host: 'portal.example.com', accept: 'text/html' };
    const html = async () => (await test.client.sendAsItIs('GET', '/portal', headers)).text;
    try {
      expect(await html()).toContain('<h1>First Browse APIs</h1>');
      await put('partials/landing/hero.hbs', '<h1>Second</h1>');
      await put('lang/en.json', '{ "landing": { "browse": "Other" } }');
      expect(await html()).toContain('<h1>First Browse APIs</h1>');
    } finally {
      await test.stop();
    }
  });
});

describe('pages that are none', () => {
  it.each([[() => [{ path: '/x' }]], [() => 'pages'], [() => [null]]])('are refused at the start', async (wrong) => {
    folder = await folderWith({});
    await expect(start({}, { pages: wrong })).rejects.toThrow('must return an array of what definePage returns');
  });

  it('two of the host at one address too', async () => {
    folder = await folderWith({});
    const twice = () => [...pages(), ...pages()];
    await expect(start({}, { pages: twice })).rejects.toThrow('is declared twice');
  });
});
