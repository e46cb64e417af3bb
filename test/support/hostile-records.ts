import type { UserRecord } from '../../src/domain/accounts/index.js';
import { createProduct } from './factories.js';
import type { TestPortal } from './test-portal.js';

export const RUN = 'window.__xss=1';
/** Every one would run in a page that did not escape, or took links as they come (S66). */
export const PAYLOADS: readonly string[] = [
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

let count = 0;

/** Writes a payload into everything that pages show; past the rules, as an operator's SQL or an older release could. @returns slug and name of what was made */
export async function storeEverywhere(test: TestPortal, user: UserRecord, payload: string): Promise<string> {
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
