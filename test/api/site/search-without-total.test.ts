import { viewerOf } from '../../../src/domain/catalog/index.js';
import { createProduct } from '../../support/factories.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

describe('a search without a total', () => {
  const OPERATIONS = 320;
  let test: TestPortal;
  const look = async (q: string, page: number, counts: boolean) => {
    const request = { q, type: null, page, perPage: 40, isDone: false, counts } as const;
    const { items, total } = await test.portal.services.search.finder.search(request, viewerOf(null), 'en');
    return { names: items.map(({ name }) => name), total };
  };
  beforeAll(async () => {
    test = await startTestPortal();
    // Those that are named by the word come last, and there are more than are put in order by it.
    const paths = Object.fromEntries(
      Array.from({ length: OPERATIONS }, (_, at) => {
        const summary = at < OPERATIONS - 20 ? `Dig ${at}` : `Open a quarry pit ${at}`;
        const description = 'Of the quarry and the pit.';
        return [
          `/pits/${at}`,
          { post: { operationId: `dig${at}`, summary, description, responses: { 200: { description: 'Fine' } } } },
        ];
      }),
    );
    const document = { openapi: '3.1.0', info: { title: 'Pits', version: '1' }, paths };
    await createProduct(test, { slug: 'pits', name: 'Pits' }, document);
    await createProduct(test, { slug: 'closed-pits', name: 'Closed quarry pits', visibility: 'private' }, document);
    await test.portal.services.search.index.run();
  });
  afterAll(() => test.stop());

  it.each(['quarry pit', 'quary pit'])('finds the same in the same order: %s', async (q) => {
    const counted = await look(q, 1, true);
    const uncounted = await look(q, 1, false);
    expect(counted.names.slice(0, 20).every((name) => name.startsWith('Open a quarry pit'))).toBe(true);
    expect(uncounted.names).toEqual(counted.names);
    expect(counted.total).toBe(OPERATIONS);
    expect(uncounted.total).toBeGreaterThan(40);
  });

  it('tells of another page until there is none, on pages that leave nothing out and repeat nothing', async () => {
    const seen: string[] = [];
    for (let page = 1, isLast = false; !isLast; page += 1) {
      const { names, total } = await look('quarry pit', page, false);
      seen.push(...names);
      isLast = total <= page * 40;
    }
    expect(seen).toHaveLength(OPERATIONS);
    expect(new Set(seen).size).toBe(OPERATIONS);
    expect(await look('quarry pit', 20, false)).toEqual({ names: [], total: 0 });
  });
});
