import { menuReply } from '../../src/api/site/menu-schema.js';
import { ValidationError } from '../../src/core/index.js';
import { createUser } from '../support/factories.js';
import { signIn } from '../support/sign-in.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

let test: TestPortal;
beforeAll(async () => {
  test = await startTestPortal({ config: { app: { name: 'Larkmere' }, accounts: { registration: false } } });
});
afterAll(() => test.stop());

describe('the public configuration', () => {
  it('tells names, languages, features and links, and needs no token', async () => {
    const { status, json } = await test.client.get('/api/v1/config', { token: 'bad' });
    expect([status, json.data]).toEqual([
      200,
      {
        name: 'Larkmere',
        default_locale: 'en',
        locales: ['en', 'ar'],
        features: { registration: false, mfa: false, oidc: false },
        links: { theme: '/portal', docs: '/docs' },
        settings: {},
      },
    ]);
  });

  it('holds the settings that are public, typed, and no other', async () => {
    const rows: [string, string | null, string, boolean][] = [
      ['a.text', 'Hello', 'string', true],
      ['b.number', '3', 'integer', true],
      ['c.flag', 'true', 'boolean', true],
      ['d.json', '{"x":[1]}', 'json', true],
      ['e.broken', '{', 'json', true],
      ['f.empty', null, 'string', true],
      ['g.secret', 'SECRET', 'secret', true],
      ['h.private', 'SECRET', 'string', false],
    ];
    for (const row of rows) {
      await test.portal.database.execute(
        `INSERT INTO portal_settings (setting_key, value, type, is_public, label, setting_group, created_at, updated_at)
         VALUES (?, ?, ?, ?, '', '', ?, ?)`,
        [...row, test.clock.now(), test.clock.now()],
      );
    }
    const { json, text } = await test.client.get('/api/v1/config');
    expect(text).not.toContain('SECRET');
    expect(json.data.settings).toEqual({
      'a.text': 'Hello',
      'b.number': 3,
      'c.flag': true,
      'd.json': { x: [1] },
      'e.broken': null,
      'f.empty': null,
    });
  });
});

describe('a menu', () => {
  beforeAll(async () => {
    await test.portal.services.site.menus.create({
      slug: 'header',
      name: 'Header',
      items: [
        {
          label: 'Products',
          route: '/products',
          visibility: 'everyone',
          translations: { ar: { label: 'المنتجات' } },
          children: [{ label: 'Mine', route: '/products?mine', visibility: 'developers' }],
        },
        {
          label: 'Apps',
          route: '/apps',
          visibility: 'developers',
          children: [{ label: 'Below', url: '/below', visibility: 'everyone' }],
        },
        { label: 'Sign in', route: '/login', visibility: 'guests' },
        { label: 'Status', url: 'https://status.example', visibility: 'everyone' },
      ],
    });
  });

  const labels = (items: { label: string; children: never[] }[]): unknown[] =>
    items.map(({ label, children }) => (children.length === 0 ? label : [label, labels(children)]));

  it('shows guests what is theirs', async () => {
    const { json } = await test.client.get('/api/v1/menus/header');
    expect(menuReply.validate(json.data).error).toBeUndefined();
    expect(labels(json.data.items)).toEqual(['Products', 'Sign in', 'Status']);
  });

  it('shows developers what is theirs, in their language', async () => {
    const token = await signIn(test, await createUser(test));
    const { json } = await test.client.get('/api/v1/menus/header?locale=ar', { token });
    expect(labels(json.data.items)).toEqual([['المنتجات', ['Mine']], ['Apps', ['Below']], 'Status']);
  });

  it('that is not there is not found', async () => {
    expect((await test.client.get('/api/v1/menus/nope')).status).toBe(404);
  });

  it.each(['javascript:alert(1)', '//evil.example', 'data:text/html,x', 'https://x"onclick=', ''])(
    'never leads to %j',
    async (url) => {
      const items = [{ label: 'Bad', url, visibility: 'everyone' as const }];
      const created = test.portal.services.site.menus.create({ slug: 'bad', name: 'Bad', items });
      await expect(created).rejects.toThrow(ValidationError);
    },
  );

  it('has a name of its own', async () => {
    const again = test.portal.services.site.menus.create({ slug: 'header', name: 'x', items: [] });
    await expect(again).rejects.toThrow(ValidationError);
  });
});
