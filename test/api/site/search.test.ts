import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { viewerOf } from '../../../src/domain/catalog/index.js';
import { AdminClient } from '../../support/admin-client.js';
import { createProduct, createUser } from '../../support/factories.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';
import { issueTokens } from '../../support/tokens.js';

let test: TestPortal;
let admin: AdminClient;

/** Signed in, or nobody. */
const readers: Record<string, { token?: string; id: number | null }> = {};

const ok = { 200: { description: 'Fine' } };
const PAYMENTS = {
  openapi: '3.1.0',
  info: { title: 'Payments', version: '1' },
  paths: {
    '/payments': {
      post: {
        operationId: 'createPayment',
        summary: 'Create a payment',
        description: 'Settles at once; a chargeback is possible.',
        responses: ok,
      },
    },
    '/payments/{id}/refunds': { post: { operationId: 'refundPayment', summary: 'Refund a payment', responses: ok } },
  },
  components: {
    schemas: { Beneficiary: { type: 'object', properties: { iban: { type: 'string', description: 'Of the bank.' } } } },
  },
};
/** A document whose every word is the product's own. */
const secretDocument = (word: string) => ({
  openapi: '3.1.0',
  info: { title: word, version: '1' },
  paths: {
    [`/${word}`]: { get: { operationId: `get${word}`, summary: `Read ${word} treasure`, responses: ok } },
  },
  components: { schemas: { [`Schema${word}`]: { type: 'object', description: `About ${word}.` } } },
});

beforeAll(async () => {
  test = await startTestPortal();
  admin = await AdminClient.create(test, ['catalog_manager']);
  const { audiences } = test.portal.services.catalog;
  for (const name of ['a', 'b']) await audiences.create({ name });
  for (const name of ['nobody', 'outsider', 'member of a', 'member of b']) {
    const user = name === 'nobody' ? null : await createUser(test);
    readers[name] = user ? { token: (await issueTokens(test, user.id)).accessToken, id: user.id } : { id: null };
  }
  await audiences.addMembers('a', [readers['member of a']?.id ?? 0]);
  await audiences.addMembers('b', [readers['member of b']?.id ?? 0]);
  const texts = {
    shortDescription: 'Account-to-account payments.',
    description: 'With **refunds** and [reports](/r).',
  };
  await createProduct(test, { slug: 'payments', name: 'Payments', ...texts, tags: ['sepa'] }, PAYMENTS);
  await createProduct(test, {
    ...{ slug: 'reports', name: 'Reports', shortDescription: 'What payments brought.' },
    translations: { ar: { name: 'التقارير المالية', description: 'كُلُّ ما يَخُصّ الأرصِدة' } },
  });
  const hidden = { visibility: 'private' } as const;
  await createProduct(
    test,
    { slug: 'alpha', name: 'Zebralpha', ...hidden, audiences: ['a'] },
    secretDocument('zebralpha'),
  );
  await createProduct(
    test,
    { slug: 'beta', name: 'Zebrabeta', ...hidden, audiences: ['b'] },
    secretDocument('zebrabeta'),
  );
  await createProduct(test, { slug: 'both', name: 'Zebraboth', ...hidden, audiences: ['a', 'b'] });
  await createProduct(test, { slug: 'none', name: 'Zebranone', ...hidden }, secretDocument('zebranone'));
  await createProduct(test, { slug: 'sketch', name: 'Zebradraft', visibility: 'draft' }, secretDocument('zebradraft'));
  await createProduct(test, { slug: 'open', name: 'Zebraopen' }, secretDocument('zebraopen'));
  for (const slug of ['open', 'alpha']) {
    for (const [name, isPublished] of [
      ['Zebrachange', true],
      ['Zebrapending', false],
    ] as const) {
      const { json } = await admin.post(`/products/${slug}/changes`, { kind: 'fix', name: `${name} ${slug}` });
      if (isPublished) await admin.post(`/products/${slug}/changes/${json.data.id as number}/publish`);
    }
  }
  const { guides } = test.portal.services.content;
  const guide = (
    slug: string,
    visibility: 'public' | 'private' | 'draft',
    audiences: string[] = [],
    productId: number | null = null,
  ) => guides.create({ kind: 'guide', productId }, { slug, name: `Zebraguide ${slug}`, visibility, audiences });
  const { id: alpha } = await test.portal.services.catalog.products.findForAdmin('alpha');
  await guide('for-all', 'public');
  await guide('for-a', 'private', ['a']);
  await guide('for-none', 'private');
  await guide('unfinished', 'draft');
  await guide('of-alpha', 'public', [], alpha);
  await index();
});
afterAll(() => test.stop());

const index = () => test.portal.services.search.index.run();
const ask = (query: Record<string, string>, reader = 'nobody') => {
  const { token } = readers[reader] ?? {};
  const headers = token === undefined ? {} : { token };
  return test.client.get(`/api/v1/search?${new URLSearchParams(query).toString()}`, headers);
};
interface Hit {
  type: string;
  name: string;
  place: string;
  product: { slug: string; name: string } | null;
  snippet: { text: string; is_marked: boolean }[];
  title: { text: string; is_marked: boolean }[];
}
const find = async (q: string, more: Record<string, string> = {}, reader = 'nobody') => {
  const answer = await ask({ q, per_page: '50', ...more }, reader);
  expect(answer.status).toBe(200);
  return answer.json.data as { items: Hit[]; total: number; is_guessed: boolean };
};
const namesOf = ({ items }: { items: Hit[] }) => items.map(({ type, name }) => `${type} ${name}`);

describe('the search', () => {
  it('puts names before summaries before texts, and whole words before beginnings', async () => {
    expect(namesOf(await find('payments'))).toEqual([
      'product Payments',
      'product Reports',
      'operation Create a payment',
      'operation Refund a payment',
    ]);
    expect(namesOf(await find('refund'))[0]).toBe('operation Refund a payment');
    expect(namesOf(await find('chargeback'))).toEqual(['operation Create a payment']);
  });

  it('finds while somebody types, by parts of names, by paths, tags, fields and schemas', async () => {
    for (const q of ['p', 'pa', 'pay', 'paym']) expect(namesOf(await find(q))[0]).toBe('product Payments');
    expect(namesOf(await find('createPayment'))).toEqual(['operation Create a payment']);
    expect(namesOf(await find('/payments/{id}/refunds'))).toEqual(['operation Refund a payment']);
    expect(namesOf(await find('sepa'))).toEqual(['product Payments']);
    expect(namesOf(await find('iban'))).toEqual(['schema Beneficiary']);
    const [schema] = (await find('benef')).items;
    expect([schema?.place, schema?.product?.slug]).toEqual(['Beneficiary', 'payments']);
  });

  it('forgives typos when nothing is found otherwise, and says so', async () => {
    expect((await find('refund')).is_guessed).toBe(false);
    for (const q of ['refudn', 'refnud payment', 'benefciary', 'chreate payment', 'beneficairy']) {
      const found = await find(q);
      expect([q, found.is_guessed, found.total > 0]).toEqual([q, true, true]);
    }
    expect((await find('xqzvw')).total).toBe(0);
  });

  it('knows the languages: texts of the reader’s, Arabic in each spelling', async () => {
    expect(namesOf(await find('reports', { locale: 'en' }))).toContain('product Reports');
    for (const q of ['التقارير', 'تقارير', 'الماليه', 'المالية', 'الارصدة', 'أرصده', 'الأرصِدة']) {
      expect([q, (await find(q, { locale: 'ar' })).items.map(({ name }) => name)]).toEqual([q, ['التقارير المالية']]);
      expect([q, (await find(q, { locale: 'en' })).total]).toEqual([q, 0]);
    }
    expect(namesOf(await find('refund', { locale: 'ar' }))[0]).toBe('operation Refund a payment');
  });

  it('takes one kind, pages, and tells how many there are', async () => {
    const all = await find('zebra');
    expect(all.total).toBe(all.items.length);
    const schemas = await find('zebra', { type: 'schema' });
    expect(namesOf(schemas)).toEqual(['schema Schemazebraopen']);
    expect(schemas.total).toBe(1);
    const pages = await Promise.all(['1', '2'].map((page) => ask({ q: 'zebra', per_page: '2', page })));
    const names = pages.flatMap(({ json }) => namesOf(json.data as { items: Hit[] }));
    expect(names).toEqual(namesOf(all).slice(0, 4));
  });

  it('marks what was found in pieces of text, which are never markup', async () => {
    const description = 'Before <script>alert(1)</script> comes the & quokka, "as it is".\n\n:::tip\nIt bites.\n:::';
    await createProduct(test, { slug: 'marks', name: 'Quokka <b>one</b>', description });
    await index();
    const [hit] = (await find('quokka')).items;
    expect(hit?.title).toEqual([
      { text: 'Quokka', is_marked: true },
      { text: ' <b>one</b>', is_marked: false },
    ]);
    expect(hit?.snippet.filter(({ is_marked: isMarked }) => isMarked)).toEqual([{ text: 'quokka', is_marked: true }]);
    const said = (one: Hit | undefined) => one?.snippet.map(({ text }) => text).join('');
    expect(said(hit)).toMatch(/"as it is"\. It bites\.$/);
    // Without its summary, which is its name.
    expect(said((await find('chargeback')).items[0])).toMatch(/^Settles at once; a chargeback/);
  });

  it('answers any text', async () => {
    const hostile = [
      ...[
        '"',
        "'",
        '*',
        '(',
        ')',
        'a OR',
        'NEAR(a b)',
        'title:pay',
        '-pay',
        '+pay -pay',
        'pay"*',
        '%',
        '_',
        '\\',
        '@@',
        '~<>',
      ],
      ...[
        "'; DROP TABLE portal_products; --",
        '{title} : pay',
        'AND',
        'NOT',
        '\u0000pay',
        'pay\u0000',
        '\ud800',
        '🦓',
        '٪',
      ],
      ...['x'.repeat(200), 'a '.repeat(100), 'ﷺ'.repeat(100), '人'.repeat(200)],
    ];
    for (const q of hostile) {
      const { status, json } = await ask({ q });
      expect([q, status === 200 ? typeof json.data.total : status]).toEqual([q, 'number']);
    }
    for (const query of [
      { q: 'x'.repeat(10_000) },
      { q: 'a', type: 'user' },
      { q: 'a', page: '0' },
      { q: 'a', per_page: '51' },
    ])
      expect((await ask(query as unknown as Record<string, string>)).status).toBe(422);
    expect((await find('')).total).toBe(0);
    expect((await find('\u0000payments')).total).toBe(4);
  });
});

describe('what a reader may not see', () => {
  const SEEN: Record<string, readonly string[]> = {
    nobody: ['open'],
    outsider: ['open'],
    'member of a': ['alpha', 'both', 'open'],
    'member of b': ['beta', 'both', 'open'],
  };
  const HIDDEN_WORDS = [
    'zebralpha',
    'zebrabeta',
    'zebraboth',
    'zebranone',
    'zebradraft',
    'zebrachange',
    'zebrapending',
  ];

  it.each(Object.keys(SEEN))(
    'is not found, counted, shown or guessed for %s: the found are those of the catalog',
    async (reader) => {
      const { token } = readers[reader] ?? {};
      const listed = await test.client.get('/api/v1/api-products?per_page=100', token === undefined ? {} : { token });
      const catalog = (listed.json.data as { slug: string }[]).map(({ slug }) => slug);
      const found = await find('zebra', {}, reader);
      const products = found.items.flatMap(({ product }) => product?.slug ?? []);
      expect([...new Set(products)].sort()).toEqual(SEEN[reader]);
      const read = await test.client.get('/api/v1/guides?per_page=100', token === undefined ? {} : { token });
      const guides = (read.json.data as { slug: string }[]).map(({ slug }) => slug).sort();
      const foundGuides = found.items.filter(({ type }) => type === 'guide').map(({ place }) => place);
      expect(foundGuides.sort()).toEqual(guides);
      expect(guides).toEqual(reader === 'member of a' ? ['for-a', 'for-all', 'of-alpha'] : ['for-all']);
      expect(
        catalog.filter((slug) => ['alpha', 'beta', 'both', 'none', 'sketch', 'open'].includes(slug)).sort(),
      ).toEqual(SEEN[reader]);
      expect(found.total).toBe(found.items.length);
      for (const type of ['product', 'operation', 'schema', 'change', 'guide']) {
        const some = await find('zebra', { type }, reader);
        expect(some.total).toBe(found.items.filter((hit) => hit.type === type).length);
      }
      for (const word of HIDDEN_WORDS) {
        for (const q of [word, word.slice(0, 7), `${word.slice(0, 6)}x${word.slice(7)}`, `${word} treasure`]) {
          const { items, total } = await find(q, {}, reader);
          expect(total).toBe(items.length);
          for (const { product, place } of items) {
            if (product) expect(SEEN[reader]).toContain(product.slug);
            else expect(guides).toContain(place);
          }
        }
      }
    },
  );

  it('changes no byte of any answer by its existence', async () => {
    const words = ['zebranever', 'zebra', 'zebranver', 'treasure', 'never', 'nevre', 'ze'];
    const asked = words.flatMap((q) => Object.keys(SEEN).map((reader) => [q, reader] as const));
    const answers = () => Promise.all(asked.map(async ([q, reader]) => (await ask({ q }, reader)).text));
    const before = await answers();
    const hidden = { slug: 'never', name: 'Zebranever Nevering', visibility: 'private' } as const;
    const { id } = await createProduct(test, hidden, secretDocument('zebranever'));
    await index();
    expect(await answers()).toEqual(before);
    await test.portal.services.catalog.products.update(id, { visibility: 'draft' });
    await index();
    expect(await answers()).toEqual(before);
    await test.portal.services.catalog.products.delete(id);
  });

  it('is found by an admin, drafts of products too, but no draft of a change', async () => {
    const { finder } = test.portal.services.search;
    const request = { q: 'zebra', type: null, page: 1, perPage: 50, isDone: false };
    const { items, total } = await finder.search(request, { kind: 'admin' }, 'en');
    expect([...new Set(items.flatMap(({ product }) => product?.slug ?? []))].sort()).toEqual([
      ...['alpha', 'beta', 'both', 'none', 'open', 'sketch'],
    ]);
    expect(total).toBe(items.length);
    expect(items.filter(({ name }) => name.startsWith('Zebrapending'))).toEqual([]);
  });

  it('changes with visibility and membership at once, without indexing', async () => {
    const { products, audiences } = test.portal.services.catalog;
    const reader = viewerOf({ id: readers['outsider']?.id ?? 0 });
    const request = { q: 'zebrabeta', type: null, page: 1, perPage: 50, isDone: false };
    const count = async () =>
      (await test.portal.services.search.finder.search(request, reader, 'en')).items.filter(
        ({ product }) => product?.slug === 'beta',
      ).length;
    expect(await count()).toBe(0);
    await audiences.addMembers('b', [readers['outsider']?.id ?? 0]);
    expect(await count()).toBe(3);
    const { id } = await products.findForAdmin('beta');
    await products.update(id, { visibility: 'draft' });
    expect(await count()).toBe(0);
    await products.update(id, { visibility: 'public' });
    expect(await count()).toBe(3);
    await products.update(id, { visibility: 'private' });
    const members = [readers['member of b']?.id ?? 0];
    await audiences.update((await audiences.findByName('b')).id, { users: members });
    expect(await count()).toBe(0);
  });
});

describe('the page of the search', () => {
  const page = (q: string, mode = 'navigate') =>
    // Not by `fetch`, which says of itself that it is a script.
    new Promise<string>((resolve, reject) => {
      const address = `${test.client.url}/portal/search?q=${encodeURIComponent(q)}`;
      const asked = request(address, { headers: { 'sec-fetch-mode': mode } }, (answer) => {
        text(answer).then(resolve, reject);
      });
      asked.on('error', reject).end();
    });

  it('works without JavaScript, links what was found, and marks it as text', async () => {
    const html = await page('refund');
    expect(html).toContain('href="/portal/products/payments/spec#op-refundPayment"');
    expect(html).toMatch(/<mark>Refund<\/mark> a payment/);
    expect(await page('benef')).toContain('href="/portal/products/payments/spec#schema-Beneficiary"');
    expect(await page('<script>alert(1)</script>')).not.toContain('<script>alert');
    expect(await page('zebra')).not.toMatch(/zebra(?:lpha|beta|both|none|draft)|for-none/i);
  });

  it('tells nobody of what a palette asks while somebody types', async () => {
    const { misses } = test.portal.services.search;
    await page('halfwor', 'cors');
    const shown = await page('wholeword');
    expect(shown).toContain('Nothing found');
    await misses.flush();
    const kept = (await admin.get('/search-misses?q=wor')).json.data as { query: string }[];
    expect(kept.map(({ query }) => query)).toEqual(['wholeword']);
  });
});

describe('the index', () => {
  it('follows products, documents and changes', async () => {
    const { products } = test.portal.services.catalog;
    const { id } = await createProduct(test, { slug: 'moving', name: 'Okapi' }, secretDocument('okapi'));
    expect((await find('okapi')).total).toBe(0);
    await index();
    expect((await find('okapi')).total).toBe(3);
    await products.update(id, { name: 'Tapir' });
    await products.setSpec(id, secretDocument('tapir'));
    await index();
    expect([(await find('okapi')).total, (await find('tapir')).total]).toEqual([0, 3]);
    await products.setSpec(id, null);
    await index();
    expect((await find('tapir')).total).toBe(1);
    const { json } = await admin.post('/products/moving/changes', { kind: 'fix', name: 'Gnu' });
    const path = `/products/moving/changes/${json.data.id as number}`;
    await index();
    expect((await find('gnu')).total).toBe(0);
    await admin.post(`${path}/publish`);
    await index();
    expect((await find('gnu')).total).toBe(1);
    await products.delete(id);
    expect((await find('tapir')).total + (await find('gnu')).total).toBe(0);
    await index();
    const rows = 'SELECT COUNT(*) AS n FROM portal_search_entries WHERE product_id = ?';
    expect(Number((await test.portal.database.select<{ n: number }>(rows, [id]))[0]?.n)).toBe(0);
  });

  it('keeps a note of each change in its own transaction, until it is indexed', async () => {
    const { products } = test.portal.services.catalog;
    const { search } = test.portal.services;
    await index();
    expect((await search.backlog()).records).toBe(0);
    const { id } = await createProduct(test, { slug: 'noted', name: 'Noted' });
    await expect(products.update(id, { name: 'Lost', categories: ['nowhere'] })).rejects.toThrow();
    expect((await search.backlog()).records).toBe(1);
    expect(await index()).toBe(1);
    expect((await search.backlog()).records).toBe(0);
    expect(await search.index.findStale()).toEqual([]);
  });

  it('is written by several at once without loss or doubles, and anew by a rebuild', async () => {
    const { search } = test.portal.services;
    for (const slug of ['first', 'second', 'third']) await createProduct(test, { slug, name: `Wombat ${slug}` });
    await Promise.all([index(), index(), index()]);
    expect((await find('wombat')).total).toBe(3);
    await test.portal.database.execute('DELETE FROM portal_search_index');
    expect((await find('wombat')).total).toBe(0);
    const before = (await find('zebra')).total;
    expect(before).toBe(0);
    await search.index.rebuild();
    expect([(await find('wombat')).total, (await find('payments')).total]).toEqual([3, 4]);
  });

  it('is mended by a sweep when something changed past the events', async () => {
    const { search } = test.portal.services;
    const { id } = await createProduct(test, { slug: 'past', name: 'Numbat' });
    await index();
    test.clock.advance(10);
    const sql = 'UPDATE portal_products SET name = ?, updated_at = ? WHERE id = ?';
    await test.portal.database.execute(sql, ['Quoll', test.clock.now(), id]);
    expect(await search.index.sweep()).toBe(1);
    test.clock.advance(10);
    await index();
    expect([(await find('numbat')).total, (await find('quoll')).total]).toEqual([0, 1]);
    await test.portal.database.execute('DELETE FROM portal_products WHERE id = ?', [id]);
    expect(await search.index.sweep()).toBe(1);
    await index();
    expect(await search.index.findStale()).toEqual([]);
  });
});

describe('searches without result', () => {
  it('are counted by day without who searched, listed for admins with the permission, and pruned', async () => {
    const { misses } = test.portal.services.search;
    for (const q of ['Fax  machine', 'fax machine', 'ada@example.com', '4929123456789012', `pk_${'x'.repeat(40)}`])
      await find(q);
    await find('fax machine', { type: 'product' });
    await find('payments');
    await misses.flush();
    await find('fax machine');
    await misses.flush();
    const other = await AdminClient.create(test, ['support']);
    expect((await other.get('/search-misses')).status).toBe(403);
    const { json } = await admin.get('/search-misses?q=fax');
    const day = test.clock.now().toISOString().slice(0, 10);
    const rows = (json.data as { query: string; day: string; count: number; locale: string }[]).map(
      ({ query, count, day: on }) => [query, count, on],
    );
    expect(rows).toContainEqual(['fax machine', 3, day]);
    expect(JSON.stringify(json)).not.toMatch(/ada@|4929|pk_x/);
    test.clock.advance(91 * 86_400);
    await misses.prune();
    expect(
      Number(
        (await test.portal.database.select<{ n: number }>('SELECT COUNT(*) AS n FROM portal_search_misses'))[0]?.n,
      ),
    ).toBe(0);
  });
});
