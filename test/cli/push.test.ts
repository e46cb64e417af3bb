import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folderWith, SECRETS } from '../config/support.js';
import { createProduct } from '../support/factories.js';
import { portal } from '../support/portal-command.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const api = (...paths: string[]) => ({
  openapi: '3.1.0',
  info: { title: 'Ships', version: '1' },
  paths: Object.fromEntries(paths.map((path) => [path, { get: { responses: { 200: { description: 'fine' } } } }])),
});

let test: TestPortal;
let root: string;
beforeAll(async () => {
  test = await startTestPortal();
  root = await folderWith({ 'portal.config.ts': "export default { app: { env: 'development' } };" });
  const files = { 'old.json': api('/ships'), 'more.json': api('/ships', '/crews'), 'less.json': api('/crews') };
  for (const [name, document] of Object.entries(files)) writeFileSync(join(root, name), JSON.stringify(document));
  writeFileSync(join(root, 'broken.json'), '{"openapi":');
  await createProduct(test, { slug: 'ships' }, api('/ships'));
});
afterAll(() => test.stop());

const run = (...args: string[]) =>
  portal(['push', ...args], { cwd: root, env: { ...SECRETS, DATABASE_URL: test.databaseUrl } });
const pathsOf = async (reference: string) => {
  const { document } = await test.portal.services.catalog.products.spec(reference, { kind: 'admin' });
  return Object.keys((JSON.parse(String(document)) as ReturnType<typeof api>).paths);
};

describe('portal push', () => {
  it('gives a product its document, keeps where it came from, and stops at what breaks callers', async () => {
    const added = await run('ships', 'more.json', '--check-breaking', '--commit', '9fceb02');
    expect([added.exitCode, added.stdout]).toEqual([0, expect.stringContaining('GET /crews')]);
    const stopped = await run('ships', 'less.json', '--check-breaking', '--format', 'markdown');
    expect([stopped.exitCode, stopped.stdout]).toEqual([1, expect.stringContaining('### Breaking (1)')]);
    expect(await pathsOf('ships')).toEqual(['/ships', '/crews']);
    const tried = await run('ships', 'less.json', '--dry-run', '--json');
    expect(JSON.parse(tried.stdout)).toMatchObject({ outcome: 'dry-run', counts: { breaking: 1 } });
    const meant = await run('ships', 'less.json', '--check-breaking', '--reason', 'Agreed with all.');
    expect([meant.exitCode, await pathsOf('ships')]).toEqual([0, ['/crews']]);
    const sql =
      'SELECT source_commit AS source, reason, breaking, author_type AS author FROM portal_product_documents ORDER BY id';
    const [, second, third] = await test.portal.database.select(sql);
    expect(second).toMatchObject({ source: '9fceb02', reason: null, breaking: 0, author: 'operator' });
    expect(third).toMatchObject({ reason: 'Agreed with all.', breaking: 1 });
  });

  it('gives a version its document, and names what there is not', async () => {
    const { products, versions } = test.portal.services.catalog;
    const product = await products.findForAdmin('ships');
    await versions.create(product, { name: 'v1' });
    await versions.create(product, { name: 'v2' });
    expect((await run('ships', 'old.json', '--api-version', 'v2')).exitCode).toBe(0);
    expect([await pathsOf('ships@v2'), await pathsOf('ships')]).toEqual([['/ships'], ['/crews']]);
    for (const args of [
      ['nothing', 'old.json'],
      ['ships', 'none.json'],
      ['ships', 'old.json', '--api-version', 'v9'],
      ['ships', 'broken.json'],
    ])
      expect([args, (await run(...args)).exitCode]).not.toEqual([args, 0]);
  });
});
