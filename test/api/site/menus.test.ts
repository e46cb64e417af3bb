import {
  MenuCreatedEvent,
  MenuDeletedEvent,
  MenuItemCreatedEvent,
  MenuItemDeletedEvent,
  MenuItemUpdatedEvent,
  MenuUpdatedEvent,
} from '../../../src/domain/site/index.js';
import { Admin } from '../../support/admin.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

interface Item {
  id: number;
  label: string;
  position: number;
  children: Item[];
}

let test: TestPortal;
let admin: Admin;
let count = 0;
beforeAll(async () => {
  test = await startTestPortal();
  admin = await Admin.create(
    test,
    ['view', 'create', 'update', 'delete'].map((ability) => `portal.menus.${ability}`),
  );
});
afterAll(() => test.stop());

async function newMenu(): Promise<{ id: number; path: string; slug: string }> {
  count += 1;
  const slug = `menu-${count}`;
  const { json } = await admin.post('/menus', { slug, name: `Menu ${count}` });
  return { id: json.data.id, path: `/menus/${json.data.id}`, slug };
}

async function add(path: string, label: string, more: object = {}): Promise<number> {
  const answer = await admin.post(`${path}/items`, { label, route: `/${label}`, ...more });
  expect([label, answer.status, answer.json.errors]).toEqual([label, 201, undefined]);
  return answer.json.data.id;
}

/** `a(b c) d`; throws when positions have gaps. */
function drawn(items: Item[]): string {
  return items
    .map(({ label, position, children }, index) => {
      if (position !== index) throw new Error(`${label} stands at ${position} instead of ${index}`);
      return children.length === 0 ? label : `${label}(${drawn(children)})`;
    })
    .join(' ');
}
const drawing = async (path: string) => drawn((await admin.get(`${path}/items`)).json.data);

describe('menus', () => {
  it('are created, listed, changed and deleted, each change with its event', async () => {
    const events: unknown[] = [];
    for (const type of [MenuCreatedEvent, MenuUpdatedEvent, MenuDeletedEvent]) {
      test.portal.events.on(type, (event) => void events.push([event.constructor.name, event.menu.slug]));
    }
    const created = await admin.post('/menus', { slug: 'footer', name: 'Footer' });
    expect([created.status, created.json.data.items]).toEqual([201, []]);
    const path = `/menus/${created.json.data.id}`;
    const etag = created.headers.get('etag') ?? '';
    const changed = await admin.put(path, { name: 'Foot' }, { headers: { 'if-match': etag } });
    expect([changed.status, changed.json.data.name]).toEqual([200, 'Foot']);
    expect((await admin.put(path, { name: 'Old' }, { headers: { 'if-match': etag } })).status).toBe(412);
    expect((await admin.delete(path, { headers: { 'if-match': etag } })).status).toBe(412);
    const listed = await admin.get('/menus?q=foo&with=items&filters={"slug":"footer"}');
    expect(listed.json.data).toEqual([expect.objectContaining({ name: 'Foot', items: [] })]);
    expect((await admin.put(path, { name: 'Foot' })).headers.get('etag')).toBe(changed.headers.get('etag'));
    expect((await admin.delete(path)).status).toBe(200);
    expect((await admin.get(path)).status).toBe(404);
    expect(events).toEqual([
      ['MenuCreatedEvent', 'footer'],
      ['MenuUpdatedEvent', 'footer'],
      ['MenuDeletedEvent', 'footer'],
    ]);
  });

  it('have slugs of their own', async () => {
    const { slug, path } = await newMenu();
    const other = await newMenu();
    const taken = { slug: ['This value is already taken by another menu.'] };
    expect((await admin.post('/menus', { slug, name: 'x' })).json.errors).toEqual(taken);
    expect((await admin.put(other.path, { slug })).json.errors).toEqual(taken);
    expect((await admin.put(path, { slug: 'Not a slug' })).status).toBe(422);
  });
});

describe('items of menus', () => {
  it('go where they are put, and positions stay dense', async () => {
    const { path } = await newMenu();
    const a = await add(path, 'a');
    const b = await add(path, 'b');
    await add(path, 'c', { position: 0 });
    await add(path, 'd', { parent_id: a });
    const e = await add(path, 'e', { parent_id: a, position: 0 });
    expect(await drawing(path)).toBe('c a(e d) b');
    await admin.put(`${path}/items/${b}`, { position: 1 });
    expect(await drawing(path)).toBe('c b a(e d)');
    await admin.put(`${path}/items/${a}`, { position: 0 });
    expect(await drawing(path)).toBe('a(e d) c b');
    await admin.put(`${path}/items/${e}`, { parent_id: null });
    expect(await drawing(path)).toBe('a(d) c b e');
    await admin.put(`${path}/items/${a}`, { parent_id: b, position: 99 });
    expect(await drawing(path)).toBe('c b(a(d)) e');
    await admin.put(`${path}/items/${a}`, { label: 'A' });
    expect(await drawing(path)).toBe('c b(A(d)) e');
  });

  it('take along what is below them, each with an event', async () => {
    const events: string[] = [];
    for (const type of [MenuItemCreatedEvent, MenuItemUpdatedEvent, MenuItemDeletedEvent]) {
      test.portal.events.on(type, ({ constructor, item }) => void events.push(`${constructor.name} ${item.label}`));
    }
    const { path } = await newMenu();
    const a = await add(path, 'a');
    await add(path, 'b', { parent_id: a });
    await add(path, 'c');
    const before = (await admin.get(path)).headers.get('etag');
    expect((await admin.delete(`${path}/items/${a}`)).status).toBe(200);
    expect(await drawing(path)).toBe('c');
    expect((await admin.get(path)).headers.get('etag')).not.toBe(before);
    expect((await admin.get(`${path}/items/${a}`)).status).toBe(404);
    expect(events.slice(-2)).toEqual(['MenuItemDeletedEvent b', 'MenuItemDeletedEvent a']);
    const rows = await test.portal.database.select("SELECT id FROM portal_menu_items WHERE label IN ('a', 'b')");
    expect(rows.length).toBe(await rowsOfOtherMenus());
  });

  const rowsOfOtherMenus = async () => {
    const sql =
      "SELECT id FROM portal_menu_items WHERE label IN ('a', 'b') AND menu_id <> (SELECT MAX(id) FROM portal_menus)";
    return (await test.portal.database.select(sql)).length;
  };

  it('are never below themselves, nor too deep, nor in another menu', async () => {
    const { path } = await newMenu();
    const ids: number[] = [];
    for (let level = 0; level < 5; level += 1) {
      ids.push(await add(path, `l${level}`, level === 0 ? {} : { parent_id: ids[level - 1] }));
    }
    const deep = await admin.post(`${path}/items`, { label: 'x', route: '/x', parent_id: ids[4] });
    expect([deep.status, deep.json.errors]).toEqual([422, { parent_id: ['A menu has at most 5 levels.'] }]);
    const circle = await admin.put(`${path}/items/${ids[0]}`, { parent_id: ids[3] });
    expect(circle.json.errors).toEqual({ parent_id: ['An item cannot be below itself.'] });
    expect((await admin.put(`${path}/items/${ids[0]}`, { parent_id: ids[0] })).status).toBe(422);
    const two = await add(path, 'two');
    await add(path, 'three', { parent_id: two });
    expect((await admin.put(`${path}/items/${two}`, { parent_id: ids[3] })).status).toBe(422);
    expect((await admin.put(`${path}/items/${two}`, { parent_id: ids[2] })).status).toBe(200);
    const other = await newMenu();
    const foreign = await admin.post(`${other.path}/items`, { label: 'x', route: '/x', parent_id: ids[0] });
    expect(foreign.json.errors).toEqual({ parent_id: ['The menu has no such item.'] });
    expect((await admin.put(`${other.path}/items/${ids[0]}`, { label: 'x' })).status).toBe(404);
    expect(await drawing(other.path)).toBe('');
  });

  it('keep their order when many are moved at once', async () => {
    const { path } = await newMenu();
    const ids: number[] = [];
    for (const label of ['a', 'b', 'c', 'd', 'e']) ids.push(await add(path, label));
    const moves = ids.map((id, index) =>
      admin.put(`${path}/items/${id}`, index < 2 ? { position: 4 - index } : { parent_id: ids[(index + 1) % 5] }),
    );
    const statuses = (await Promise.all(moves)).map(({ status }) => status);
    expect(statuses.every((status) => status === 200 || status === 422)).toBe(true);
    const letters = [...(await drawing(path)).replace(/[ ()]/g, '')].sort().join('');
    expect(letters).toBe('abcde');
  });

  it('have translations in the configured languages', async () => {
    const { path, slug } = await newMenu();
    const id = await add(path, 'Products', { translations: { ar: { label: 'المنتجات' } } });
    const arabic = await test.client.get(`/api/v1/menus/${slug}?locale=ar`);
    expect(arabic.json.data.items[0].label).toBe('المنتجات');
    const wrong = await admin.put(`${path}/items/${id}`, { translations: { fr: { label: 'Produits' } } });
    expect(wrong.json.errors).toEqual({
      translations: ['fr is not one of the configured languages. Translations may be in: ar.'],
    });
    expect((await admin.put(`${path}/items/${id}`, { translations: { en: { label: 'x' } } })).status).toBe(422);
    const kept = await admin.put(`${path}/items/${id}`, { label: 'All products' });
    expect(kept.json.data.translations).toEqual({ ar: { label: 'المنتجات' } });
    const none = await admin.put(`${path}/items/${id}`, { translations: {} });
    expect(none.json.data.translations).toEqual({});
    expect(none.headers.get('etag')).not.toBe(kept.headers.get('etag'));
  });

  it.each([
    'javascript:alert(1)',
    'JAVASCRIPT:alert(1)',
    'java\nscript:alert(1)',
    '\u0001javascript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    '\\\\evil.example',
    'https:///evil',
    'https://x" onclick="y',
    'https://x/<script>',
    ' https://x.example',
    '',
  ])('never lead to %j (S66)', async (url) => {
    const { path } = await newMenu();
    const id = await add(path, 'good');
    expect((await admin.post(`${path}/items`, { label: 'x', url })).status).toBe(422);
    expect((await admin.put(`${path}/items/${id}`, { url })).status).toBe(422);
    if (!url.startsWith('https:/')) {
      expect((await admin.post(`${path}/items`, { label: 'x', route: url })).status).toBe(422);
    }
  });

  it('lead to an address or a page, and to give one takes the other away', async () => {
    const { path } = await newMenu();
    for (const url of ['https://status.example/a?b=c#d', 'http://x.example', 'mailto:help@x.example', '/docs', '/']) {
      expect([url, (await admin.post(`${path}/items`, { label: 'x', url })).status]).toEqual([url, 201]);
    }
    const id = await add(path, 'page');
    const both = await admin.put(`${path}/items/${id}`, { url: '/a', route: '/b' });
    expect(both.json.errors).toEqual({ url: ['An item has either a url or a route.'] });
    const moved = await admin.put(`${path}/items/${id}`, { url: 'https://x.example' });
    expect(moved.json.data).toMatchObject({ url: 'https://x.example', route: null });
    expect((await admin.put(`${path}/items/${id}`, { url: null })).status).toBe(422);
    const back = await admin.put(`${path}/items/${id}`, { url: null, route: '/apps' });
    expect(back.json.data).toMatchObject({ url: null, route: '/apps' });
  });

  it('are at most 200', async () => {
    const { path, id } = await newMenu();
    const now = test.clock.now();
    for (let position = 0; position < 199; position += 1) {
      await test.portal.database.execute(
        `INSERT INTO portal_menu_items (menu_id, position, label, url, visibility, created_at, updated_at)
         VALUES (?, ?, 'x', '/x', 'everyone', ?, ?)`,
        [id, position, now, now],
      );
    }
    await add(path, 'last');
    const answer = await admin.post(`${path}/items`, { label: 'more', route: '/more' });
    expect([answer.status, answer.json.errors]).toEqual([409, { items: ['A menu has at most 200 items.'] }]);
  });
});
