import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  carryOut,
  kinds,
  OperatorPort,
  planChanges,
  planMarks,
  PresentRecords,
  readFolder,
  readManager,
  readManagedMarks,
} from '../../src/as-code/index.js';
import { apiRoutes } from '../../src/api/index.js';
import { AdminClient } from '../support/admin-client.js';
import { openConsole } from '../support/console.js';
import type { PageClient } from '../support/page-client.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

let test: TestPortal;
let folder: string;
let admin: AdminClient;
let browser: PageClient;
beforeAll(async () => {
  test = await startTestPortal({ config: { console: { managedRecords: 'forbid' } } });
  folder = mkdtempSync(join(tmpdir(), 'locked-'));
  for (const below of ['products', 'guides']) mkdirSync(join(folder, below));
  const files = {
    'portal.yaml': 'managed_by: catalog\nsource: https://git.example.com/catalog\n',
    'products/pay.yaml': 'slug: pay\nname: Pay\n',
    'guides/start.yaml': 'guide: start\nname: Start\n',
    'categories.yaml': 'money:\n  name: Money\n',
    'menus.yaml': 'extra:\n  name: Extra\n  items:\n    - label: One\n      url: https://example.com/\n',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  await apply();
  admin = await AdminClient.create(test);
  browser = await openConsole(test);
});
afterAll(async () => {
  await test.stop();
  rmSync(folder, { recursive: true });
});

/** As `portal apply` does. @returns how many records were changed or marked */
async function apply(): Promise<number> {
  const { services, operatorParts } = test.portal;
  const port = new OperatorPort(services, operatorParts);
  const reading = { root: folder, kinds, env: {} };
  const [wanted, manager] = [await readFolder(reading), await readManager(reading)];
  if (!manager) throw new Error('nobody manages them');
  const present = new PresentRecords(port);
  const steps = await planChanges(port, wanted, present, { manager });
  const marks = await planMarks({ wanted, present, marks: await readManagedMarks(port), manager }, false);
  await carryOut(port, [...steps, ...marks]);
  return steps.length + marks.length;
}

const idOf = async (path: string, name: string) => {
  const found = (await admin.get(path)).json.data as { id: number; slug: string }[];
  return found.find(({ slug }) => slug === name)?.id ?? 0;
};

describe('a record that files manage, where its edits are forbidden (S57)', () => {
  it('is refused to admins at every operation that changes what the files say, with the place of the files', async () => {
    const id = await idOf('/products', 'pay');
    const refused = await admin.put(`/products/${id}`, { name: 'Mine' });
    expect([refused.status, refused.json.errors]).toEqual([
      409,
      { managed_by: ['Files manage this record (catalog, https://git.example.com/catalog): change it there.'] },
    ]);
    const menu = await idOf('/menus', 'extra');
    const { json } = await admin.get(`/menus/${menu}`);
    const [item] = json.data.items as { id: number }[];
    const calls = [
      ['DELETE', `/products/${id}`],
      ['PUT', `/products/${id}/spec`, { spec: '{}' }],
      ['PUT', `/products/${id}/categories`, { categories: [] }],
      ['PUT', `/guides/${await idOf('/guides', 'start')}`, { name: 'Mine' }],
      ['DELETE', `/categories/${await idOf('/categories', 'money')}`],
      ['PUT', `/menus/${menu}`, { name: 'Mine' }],
      ['POST', `/menus/${menu}/items`, { label: 'Two', url: 'https://example.com/' }],
      ['DELETE', `/menus/${menu}/items/${item?.id}`],
    ] as const;
    for (const [method, path, body] of calls) {
      const { status } = await admin.send(method, path, body === undefined ? {} : { body });
      expect([method, path, status]).toEqual([method, path, 409]);
    }
    expect((await test.portal.services.catalog.products.findForAdmin('pay')).name).toBe('Pay');
    expect(await apply()).toBe(0);
  });

  it('keeps its audiences and categories from their side, too', async () => {
    const [id, money] = [await idOf('/products', 'pay'), await idOf('/categories', 'money')];
    const { products, categories } = test.portal.services.catalog;
    await products.update(id, { categories: [money] });
    const made = await admin.post('/audiences', { name: 'partners' });
    const path = `/audiences/${made.json.data.id}`;
    const calls = [
      ['POST', '/audiences', { name: 'others', products: ['pay'] }],
      ['PUT', path, { products: [id] }],
      ['PUT', `${path}/products`, { products: ['pay'] }],
    ] as const;
    for (const [method, at, body] of calls) {
      const { status, json } = await admin.send(method, at, { body });
      expect([at, status, json.errors?.managed_by?.[0]]).toEqual([at, 409, expect.stringContaining('a product of it')]);
    }
    expect((await products.findForAdmin('pay')).audiences).toEqual([]);
    await products.update(id, { audiences: ['partners'] });
    expect((await admin.send('PUT', `${path}/products`, { body: { products: ['pay'] } })).status).toBe(200);
    expect((await admin.send('PUT', `${path}/products`, { body: { products: [] } })).status).toBe(409);
    expect((await admin.delete(path)).status).toBe(409);
    await test.portal.services.console.managed.mark('categories', [
      { id: money, managedBy: null, source: null, isProtected: false },
    ]);
    expect((await admin.delete(`/categories/${money}`)).status).toBe(409);
    expect(await categories.findForAdmin(money)).toMatchObject({ id: money });
    await products.update(id, { categories: [], audiences: [] });
    expect((await admin.delete(path)).status).toBe(200);
    await apply();
  });

  it('is free in what files say nothing of, as is every other record', async () => {
    const id = await idOf('/products', 'pay');
    const change = { kind: 'feature', name: 'Faster', description: 'Much.' };
    expect((await admin.post(`/products/${id}/changes`, change)).status).toBe(201);
    const { json } = await admin.post('/categories', { slug: 'free', name: 'Free' });
    expect((await admin.put(`/categories/${json.data.id}`, { name: 'Freer' })).status).toBe(200);
  });

  it('has a page with a lock and the place of the files, and nothing to edit with', async () => {
    for (const [path, name] of [
      ['/products', 'pay'],
      ['/guides', 'start'],
      ['/categories', 'money'],
      ['/menus', 'extra'],
    ] as const) {
      const id = await idOf(path, name);
      const { html } = await browser.get(`/admin${path}/${id}`);
      expect(html).toContain('It is changed there alone.');
      expect(html).toContain('https://git.example.com/catalog');
      expect(html).not.toContain(`${path}/${id}/edit"`);
      expect(html).not.toContain(`${path}/${id}/delete"`);
    }
    const { json } = await admin.get('/managed-records', { kind: 'menus' });
    expect(json.data).toMatchObject([{ managed_by: 'catalog', locked: true }]);
  });

  it('is changed by its files, over the database and by a machine', async () => {
    writeFileSync(join(folder, 'categories.yaml'), 'money:\n  name: More money\n');
    expect(await apply()).toBe(1);
    const permissions = ['portal.categories.view', 'portal.categories.update'];
    const { secret } = await test.portal.services.administration.serviceTokens.create(
      { name: 'ci', permissions },
      'operator',
    );
    const id = await idOf('/categories', 'money');
    const answer = await admin.send('PUT', `/categories/${id}`, { token: secret, body: { name: 'By a machine' } });
    expect(answer.status).toBe(200);
  });

  it('has all operations that change and delete records of its kind among the refused', () => {
    const changing = kinds.flatMap(({ name, resource = name }) => resource);
    for (const { operation, policy, path, params, manages } of apiRoutes) {
      const isOwn =
        policy !== undefined && changing.includes(policy[1]) && params !== undefined && policy[0] !== 'view';
      // Of the record itself, and no part of it that files do not know.
      if (isOwn && /^\/[a-z]+\/:\w+$/.test(path)) expect([operation, manages]).toEqual([operation, policy[1]]);
    }
  });
});
