import type { PortalEvent } from '../../../src/core/index.js';
import { viewerOf } from '../../../src/domain/catalog/index.js';
import {
  GuideCreatedEvent,
  GuideDeletedEvent,
  GuidePublishedEvent,
  GuideUpdatedEvent,
} from '../../../src/domain/content/index.js';
import { AdminClient } from '../../support/admin-client.js';
import { createProduct, createUser } from '../../support/factories.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';
import { issueTokens } from '../../support/tokens.js';

let test: TestPortal;
let admin: AdminClient;
let announced: PortalEvent[] = [];
beforeAll(async () => {
  test = await startTestPortal();
  admin = await AdminClient.create(test, ['catalog_manager']);
  for (const type of [GuideCreatedEvent, GuideUpdatedEvent, GuidePublishedEvent, GuideDeletedEvent])
    test.portal.events.on<PortalEvent>(type, (event) => void announced.push(event));
});
beforeEach(() => {
  announced = [];
  test.clock.advance(1);
});
afterAll(() => test.stop());

const write = async (slug: string, body: object = {}) => {
  const answer = await admin.post('/guides', { slug, name: slug, visibility: 'public', ...body });
  expect([answer.status, answer.json.errors]).toEqual([201, undefined]);
  return answer.json.data.id as number;
};
const read = (id: number, token?: string, query = '') =>
  test.client.get(`/api/v1/guides/${id}${query}`, token === undefined ? {} : { token });
const slugsOf = async (token?: string, query = '?per_page=100') => {
  const answer = await test.client.get(`/api/v1/guides${query}`, token === undefined ? {} : { token });
  return (answer.json.data as { slug: string }[]).map(({ slug }) => slug);
};

describe('guides over REST', () => {
  it('are written, changed, published and deleted by admins, each as an event', async () => {
    const texts = { short_description: 'In five minutes.', description: '## Keys', group: 'Start', position: 3 };
    const translations = { ar: { name: 'البداية', group: 'ابدأ' } };
    const { json, headers } = await admin.post('/guides', { slug: 'start', name: 'Start', ...texts, translations });
    const path = `/guides/${json.data.id as number}`;
    expect(json.data).toMatchObject({ ...texts, kind: 'guide', visibility: 'draft', published_at: null, file: null });
    expect(json.data.translations.ar).toMatchObject({ name: 'البداية', description: null, group: 'ابدأ' });
    expect((await read(json.data.id as number)).status).toBe(404);
    const version = { 'if-match': headers.get('etag') ?? '' };
    expect((await admin.put(path, { visibility: 'public' }, version)).json.data.published_at).not.toBeNull();
    expect((await admin.put(path, { name: 'Again' }, version)).status).toBe(412);
    const arabic = (await read(json.data.id as number, undefined, '?locale=ar')).json.data;
    expect(arabic).toMatchObject({ name: 'البداية', group: 'ابدأ', description: '## Keys' });
    expect((await admin.delete(path)).status).toBe(200);
    expect(announced.map(({ constructor }) => constructor)).toEqual([
      ...[GuideCreatedEvent, GuideUpdatedEvent, GuidePublishedEvent, GuideDeletedEvent],
    ]);
  });

  it('are refused with the field that is wrong', async () => {
    await write('taken');
    const refused = async (body: object) => {
      const { status, json } = await admin.post('/guides', { slug: 'other', name: 'Other', ...body });
      return [status, Object.keys(json.errors)];
    };
    expect(await refused({ slug: 'taken' })).toEqual([422, ['slug']]);
    expect(await refused({ product: 'nothing' })).toEqual([422, ['product']]);
    expect(await refused({ audiences: ['nobody'] })).toEqual([422, ['audiences']]);
    expect(await refused({ translations: { tlh: { name: 'x' } } })).toEqual([422, ['translations']]);
    await createProduct(test, { slug: 'newsless' });
    expect(await refused({ kind: 'news', product: 'newsless' })).toEqual([422, ['product']]);
  });

  it('may share a slug across products and news', async () => {
    await createProduct(test, { slug: 'cards' });
    await write('intro');
    await write('intro', { product: 'cards' });
    await write('intro', { kind: 'news' });
    const { guides } = test.portal.services.content;
    const place = { kind: 'news', productId: null } as const;
    expect(await guides.findBySlug(place, 'intro', viewerOf(null), 'en')).toMatchObject({
      kind: 'news',
      product: null,
    });
    expect(await slugsOf(undefined, `?filters=${encodeURIComponent('{"product":"cards"}')}`)).toEqual(['intro']);
  });

  it('need permissions of their own', async () => {
    const support = await AdminClient.create(test, ['support']);
    expect((await support.post('/guides', { slug: 'mine', name: 'Mine' })).status).toBe(403);
  });
});

describe('who sees a guide', () => {
  it('is decided in the query by its own audiences and by its product, for lists, single guides and navigation', async () => {
    const { audiences } = test.portal.services.catalog;
    const [member, stranger] = [await createUser(test), await createUser(test)];
    await audiences.create({ name: 'insiders', users: [member.email] });
    await createProduct(test, { slug: 'secret', visibility: 'private', audiences: ['insiders'] });
    await createProduct(test, { slug: 'hidden', visibility: 'draft' });
    const ids = {
      open: await write('seen-open'),
      insiders: await write('seen-insiders', { visibility: 'private', audiences: ['insiders'] }),
      nobody: await write('seen-nobody', { visibility: 'private' }),
      draft: await write('seen-draft', { visibility: 'draft' }),
      secret: await write('seen-secret', { product: 'secret' }),
      hidden: await write('seen-hidden', { product: 'hidden' }),
    };
    const tokens = await Promise.all(
      [member, stranger].map(async ({ id }) => (await issueTokens(test, id)).accessToken),
    );
    const seen = async (token?: string) => {
      const answers = await Promise.all(
        Object.entries(ids).map(async ([name, id]) => [name, await read(id, token)] as const),
      );
      const listed = (await slugsOf(token)).filter((slug) => slug.startsWith('seen-')).map((slug) => slug.slice(5));
      const found = answers.filter(([, { status }]) => status === 200).map(([name]) => name);
      expect(listed.sort()).toEqual([...found].sort());
      return found;
    };
    expect(await seen()).toEqual(['open']);
    expect(await seen(tokens[1])).toEqual(['open']);
    expect(await seen(tokens[0])).toEqual(['open', 'insiders', 'secret']);
    const { text } = await read(ids.secret);
    expect((await read(987_654)).text.replace(/"request_id":"[^"]*"/, '')).toBe(
      text.replace(/"request_id":"[^"]*"/, ''),
    );
    const { guides } = test.portal.services.content;
    const entries = await guides.listEntries({ kind: 'guide', productId: null }, viewerOf(stranger), 'en');
    expect(entries.map(({ slug }) => slug).filter((slug) => slug.startsWith('seen-'))).toEqual(['seen-open']);
  });

  it('leaves out operations of products that the reader does not see, in the text itself', async () => {
    await createProduct(test, { slug: 'visible' });
    await createProduct(test, { slug: 'invisible', visibility: 'draft' });
    const description = [
      'Before.',
      '::operation visible createPayment',
      '```text',
      '::operation invisible inCode',
      '```',
      '::operation invisible deleteAll',
      ':::note',
      '::operation nothing atAll',
      ':::',
      'After.',
    ].join('\n');
    const id = await write('embedding', { description });
    const { description: text } = (await read(id)).json.data as { description: string };
    expect(text).toContain('::operation visible createPayment');
    expect(text).toContain('After.');
    expect(text).not.toMatch(/deleteAll|atAll/);
  });
});

describe('what a guide said before', () => {
  const versionsOf = async (id: number) =>
    (await admin.get(`/guides/${id}/versions`)).json.data as { id: number; name: string; author: { type: string } }[];

  it('is kept with who wrote it, shown, and comes back as a change of its own', async () => {
    const id = await write('kept', { description: 'One.', translations: { ar: { name: 'واحد' } } });
    test.clock.advance(1);
    await admin.put(`/guides/${id}`, { name: 'Two', description: 'Two.', translations: {} });
    // Who sees it is no text.
    await admin.put(`/guides/${id}`, { visibility: 'draft' });
    const [second, first] = await versionsOf(id);
    expect([second?.name, first?.name, second?.author.type]).toEqual(['Two', 'kept', 'admin']);
    const path = `/guides/${id}/versions/${first?.id ?? 0}`;
    const shown = (await admin.get(path)).json.data;
    expect([shown.description, shown.translations.ar.name, shown.guide.name]).toEqual(['One.', 'واحد', 'Two']);
    test.clock.advance(1);
    announced = [];
    const restored = (await admin.post(`${path}/restore`)).json.data;
    expect(restored).toMatchObject({ name: 'kept', description: 'One.', visibility: 'draft' });
    expect(restored.translations.ar.name).toBe('واحد');
    expect(announced.map(({ constructor }) => constructor)).toEqual([GuideUpdatedEvent]);
    expect((await versionsOf(id)).map(({ name }) => name)).toEqual(['kept', 'Two', 'kept']);
  });

  it('is of its own guide alone, needs the permissions of guides, and ends with it', async () => {
    const [own, other] = [await write('of-its-own'), await write('of-another')];
    const [version] = await versionsOf(own);
    const path = `/guides/${own}/versions/${version?.id ?? 0}`;
    expect((await admin.get(path.replace(`/${own}/`, `/${other}/`))).status).toBe(404);
    const support = await AdminClient.create(test, ['support']);
    expect([(await support.get(`/guides/${own}/versions`)).status, (await support.get(path)).status]).toEqual([
      403, 403,
    ]);
    expect((await support.post(`${path}/restore`)).status).toBe(403);
    await admin.delete(`/guides/${own}`);
    expect((await admin.get(path)).status).toBe(404);
  });

  it('begins with what an older guide says, and has the latest hundred alone', async () => {
    const id = await write('old', { description: 'Before.' });
    await test.portal.database.execute('DELETE FROM portal_guide_versions WHERE guide_id = ?', [id]);
    await admin.put(`/guides/${id}`, { description: 'After.' });
    const kept = await versionsOf(id);
    expect(kept.map(({ author }) => author.type).sort()).toEqual(['admin', 'system']);
    const { guides } = test.portal.services.content;
    for (let number = 0; number < 101; number += 1) await guides.update(id, { description: `Text ${number}.` });
    const count = 'SELECT COUNT(*) AS n FROM portal_guide_versions WHERE guide_id = ?';
    const [row] = await test.portal.database.select<{ n: number }>(count, [id]);
    expect(Number(row?.n)).toBe(100);
    expect((await admin.get(`/guides/${id}/versions/${kept[0]?.id ?? 0}`)).status).toBe(404);
  });

  it('is not kept of files, which a version cannot change either', async () => {
    const { guides } = test.portal.services.content;
    const input = { slug: 'in-a-file', name: 'File', visibility: 'public' } as const;
    const id = await write('in-a-file');
    const [version] = await versionsOf(id);
    await guides.takeOver(id, { ...input, description: 'Of a file.' }, { file: 'guides/in-a-file.md', fileHash: 'x' });
    expect(await versionsOf(id)).toHaveLength(1);
    expect((await admin.post(`/guides/${id}/versions/${version?.id ?? 0}/restore`)).status).toBe(409);
  });
});
