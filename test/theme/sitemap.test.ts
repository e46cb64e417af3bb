import { createProduct } from '../support/factories.js';
import { insertProducts } from '../support/insert-product.js';
import { PageClient } from '../support/page-client.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

/** Products of one part, as sitemap.ts has it. */
const PER_PART = 1_000;
const PRODUCTS = 2 * PER_PART + 1;
const BASE = 'http://127.0.0.1:3000/portal';

let test: TestPortal;
beforeAll(async () => {
  test = await startTestPortal();
  await createProduct(test, { slug: 'first-of-all', name: 'First' });
  await createProduct(test, { slug: 'hidden', name: 'Hidden', visibility: 'private' });
  const slugs = Array.from({ length: PRODUCTS - 1 }, (_, index) => `api-${index}`);
  await insertProducts(test.portal.database, slugs);
});
afterAll(() => test.stop());

async function addressesIn(path: string): Promise<{ kind: string; addresses: string[] }> {
  const { status, html } = await new PageClient(test.client).get(path);
  expect(status).toBe(200);
  const kind = /<(urlset|sitemapindex) /.exec(html)?.[1] ?? '';
  return { kind, addresses: [...html.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, address]) => address ?? '') };
}

describe('the map of a large catalog', () => {
  it('is an index of parts, which hold every public product once', async () => {
    const index = await addressesIn('/portal/sitemap.xml');
    expect(index).toEqual({
      kind: 'sitemapindex',
      addresses: [1, 2, 3].map((part) => `${BASE}/sitemap.xml?part=${part}`),
    });
    const parts = [];
    for (const address of index.addresses)
      parts.push(await addressesIn(new URL(address).pathname + new URL(address).search));
    expect(parts.map(({ kind }) => kind)).toEqual(['urlset', 'urlset', 'urlset']);
    expect(parts.map(({ addresses }) => addresses.length)).toEqual([PER_PART + 2, PER_PART, 1]);
    const all = parts.flatMap(({ addresses }) => addresses);
    expect(new Set(all).size).toBe(PRODUCTS + 2);
    expect(all.slice(0, 3)).toEqual([BASE, `${BASE}/products`, `${BASE}/products/first-of-all`]);
    expect(all).toContain(`${BASE}/products/api-${PRODUCTS - 2}`);
    expect(all).not.toContain(`${BASE}/products/hidden`);
  });

  it('has no part after the last', async () => {
    expect((await new PageClient(test.client).get('/portal/sitemap.xml?part=4')).status).toBe(404);
    expect((await new PageClient(test.client).get('/portal/sitemap.xml?part=0')).status).toBe(404);
  });
});
