import { startChild } from '../support/child-process.js';
import type { UploadDeath } from '../support/crash/children/upload-worker.js';
import { createProduct } from '../support/factories.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const api = (...paths: string[]) => ({
  openapi: '3.1.0',
  info: { title: 'Ships', version: '1' },
  paths: Object.fromEntries(paths.map((path) => [path, { get: { responses: { 200: { description: 'fine' } } } }])),
});

let test: TestPortal;
beforeAll(async () => {
  test = await startTestPortal({ replicas: 1 });
});
afterAll(() => test.stop());

async function dieAt(slug: string, at: UploadDeath['at']): Promise<void> {
  const task: UploadDeath = {
    ...{ databaseUrl: test.databaseUrl, now: test.clock.now().toISOString() },
    ...{ slug, at, document: JSON.stringify(api('/crews')) },
  };
  const child = startChild(import.meta.url, '../support/crash/children/upload-worker.js', [JSON.stringify(task)]);
  await expect(child.result).rejects.toThrow('SIGKILL');
}

/** What is there of a document: what is shown, the hash that is said, the history, and the drafts. */
async function stateOf(slug: string) {
  const { database } = test.portal;
  const { products } = test.portal.services.catalog;
  const { id } = await products.findForAdmin(slug);
  const { document } = await products.spec(slug, { kind: 'admin' });
  const count = async (table: string) => {
    const [row] = await database.select<{ total: number }>(
      `SELECT COUNT(*) AS total FROM portal_${table} WHERE product_id = ?`,
      [id],
    );
    return Number(row?.total);
  };
  const [latest] = await database.select<{ breaking: number | null; hash: string }>(
    'SELECT breaking, hash FROM portal_product_documents WHERE product_id = ? ORDER BY id DESC',
    [id],
  );
  const [product] = await database.select<{ hash: string }>(
    'SELECT spec_hash AS hash FROM portal_products WHERE id = ?',
    [id],
  );
  return {
    paths: Object.keys((JSON.parse(String(document)) as ReturnType<typeof api>).paths),
    ...{ breaking: latest?.breaking ?? null, isLatest: latest?.hash === product?.hash },
    ...{ documents: await count('product_documents'), texts: await count('product_texts') },
    drafts: await count('changelog_entries'),
  };
}

describe('an upload that is killed', () => {
  const before = { paths: ['/ships'], breaking: null, isLatest: true, documents: 1, texts: 1, drafts: 0 };
  const after = { paths: ['/crews'], breaking: 1, isLatest: true, documents: 2, texts: 2, drafts: 1 };

  it.each([
    ['drafted', before],
    ['written', before],
    ['committed', after],
  ] as const)(
    'once it is %s leaves the old or the new document, with its findings, history and draft',
    async (at, left) => {
      const slug = `killed-${at}`;
      await createProduct(test, { slug }, api('/ships'));
      await dieAt(slug, at);
      expect(await stateOf(slug)).toEqual(left);
      // Whoever tries again has the new one, and one draft.
      const { products, uploads } = test.portal.services.catalog;
      const product = await products.findForAdmin(slug);
      const bytes = Buffer.from(JSON.stringify(api('/crews')));
      const planned = await uploads.plan(product, null, { kind: 'file', bytes });
      await uploads.giveProduct(product, planned, {}, { locale: 'en' });
      expect(await stateOf(slug)).toEqual(after);
    },
  );
});
