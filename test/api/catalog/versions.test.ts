import type { PortalEvent } from '../../../src/core/index.js';
import {
  ProductSpecChangedEvent,
  ProductVersionCreatedEvent,
  ProductVersionDeletedEvent,
  ProductVersionUpdatedEvent,
} from '../../../src/domain/catalog/index.js';
import { AdminClient } from '../../support/admin-client.js';
import { createProduct, createUser } from '../../support/factories.js';
import { deep } from '../../support/small-specs.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';
import { issueTokens } from '../../support/tokens.js';

/** An API with these operations. */
const api = (...paths: string[]) => ({
  openapi: '3.1.0',
  info: { title: 'Ships', version: '1' },
  paths: Object.fromEntries(paths.map((path) => [path, { get: { responses: { 200: { description: 'fine' } } } }])),
});

let test: TestPortal;
let admin: AdminClient;
let announced: PortalEvent[] = [];
beforeAll(async () => {
  test = await startTestPortal();
  admin = await AdminClient.create(test, ['catalog_manager']);
  const types = [ProductVersionCreatedEvent, ProductVersionUpdatedEvent, ProductVersionDeletedEvent];
  for (const type of [...types, ProductSpecChangedEvent])
    test.portal.events.on<PortalEvent>(type, (event) => void announced.push(event));
});
beforeEach(() => {
  announced = [];
  test.clock.advance(1);
});
afterAll(() => test.stop());

const made = async (slug: string, ...names: string[]) => {
  const product = await createProduct(test, { slug }, api('/ships'));
  for (const name of names) expect((await admin.post(`/products/${slug}/versions`, { name })).status).toBe(201);
  return product;
};
const put = (path: string, body: object) => admin.put(path, body);
const spec = (path: string, document: object) => put(`${path}/spec`, { spec: document });
const read = (path: string, token?: string) =>
  test.client.get(`/api/v1/api-products/${path}`, token === undefined ? {} : { token });
const pathsOf = async (path: string) => Object.keys(JSON.parse((await read(path)).text).paths as object);

describe('versions of a product', () => {
  it('begin with the document that it has, which readers go on to see without naming a version', async () => {
    await made('ships');
    const before = (await read('ships/spec')).text;
    expect((await read('ships/versions')).json.data).toEqual([]);
    const first = await admin.post('/products/ships/versions', { name: 'v1' });
    expect(first.json.data).toMatchObject({ name: 'v1', state: 'current', is_default: true, has_spec: true });
    for (const path of ['ships/spec', 'ships@v1/spec', 'ships/spec?version=v1'])
      expect((await read(path)).text).toBe(before);
    await admin.post('/products/ships/versions', { name: 'v2' });
    const [, second] = (await read('ships/versions?order_by=name')).json.data as { name: string }[];
    expect(second).toBeUndefined();
    expect(announced.map((event) => event.constructor)).toEqual([
      ProductVersionCreatedEvent,
      ProductVersionCreatedEvent,
    ]);
  });

  it('have documents of their own, and one of them stands at the address of the product', async () => {
    await made('boats', 'v1', 'v2');
    const draft = await spec('/products/boats/versions/v2', api('/boats'));
    expect(draft.json.data).toMatchObject({ has_spec: true, spec_changes: null });
    for (const path of ['boats@v2/spec', 'boats@v2', 'boats/spec?version=v2'])
      expect((await read(path)).status).toBe(404);
    expect((await put('/products/boats/versions/v2', { state: 'current' })).status).toBe(200);
    expect([await pathsOf('boats/spec'), await pathsOf('boats@v2/spec')]).toEqual([['/ships'], ['/boats']]);
    announced = [];
    const chosen = await put('/products/boats/versions/v2', { is_default: true });
    expect(chosen.json.data).toMatchObject({ is_default: true, state: 'current' });
    expect([await pathsOf('boats/spec'), await pathsOf('boats@v1/spec')]).toEqual([['/boats'], ['/ships']]);
    const defaults = (await read('boats/versions')).json.data as { is_default: boolean }[];
    expect(defaults.filter(({ is_default: is }) => is)).toHaveLength(1);
    const types = [ProductVersionUpdatedEvent, ProductVersionUpdatedEvent, ProductSpecChangedEvent];
    expect(announced.map((event) => event.constructor)).toEqual(types);
    // What the product is given is given to its default version.
    await spec('/products/boats', api('/boats', '/crews'));
    expect(await pathsOf('boats@v2/spec')).toEqual(['/boats', '/crews']);
    await spec('/products/boats/versions/v2', api('/boats'));
    expect(await pathsOf('boats/spec')).toEqual(['/boats']);
  });

  it.each([
    ['draft', ['current'], ['deprecated', 'retired']],
    ['current', ['deprecated'], ['draft', 'retired']],
    ['deprecated', ['current', 'retired'], ['draft']],
    ['retired', ['deprecated'], ['draft', 'current']],
  ] as const)('that are %s become %j next, and nothing else', async (state, next, refused) => {
    const slug = `from-${state}`;
    await made(slug, 'v1', 'v2');
    const steps = { draft: [], current: ['current'], deprecated: ['current', 'deprecated'] };
    const walk = { ...steps, retired: [...steps.deprecated, 'retired'] }[state];
    const path = `/products/${slug}/versions/v2`;
    const bring = async () => {
      const { state: present } = (await admin.get(path)).json.data as { state: string };
      if (present === state) return;
      await admin.delete(path);
      await admin.post(`/products/${slug}/versions`, { name: 'v2' });
      for (const step of walk) expect((await put(path, { state: step })).status).toBe(200);
    };
    await bring();
    for (const other of refused) expect([other, (await put(path, { state: other })).status]).toEqual([other, 409]);
    expect((await put(path, { state })).status).toBe(200);
    expect((await put(path, { state: next[0] })).json.data.state).toBe(next[0]);
  });

  it('keep a default that readers see, and the names that they know', async () => {
    await made('safe', 'v1', 'v2');
    const refused = async (path: string, body: object) => Object.keys((await put(path, body)).json.errors);
    expect(await refused('/products/safe/versions/v2', { is_default: true })).toEqual(['is_default']);
    expect(await refused('/products/safe/versions/v1', { is_default: false })).toEqual(['is_default']);
    expect(await refused('/products/safe/versions/v1', { name: 'v0' })).toEqual(['name']);
    await put('/products/safe/versions/v1', { state: 'deprecated' });
    expect(await refused('/products/safe/versions/v1', { state: 'retired' })).toEqual(['state']);
    expect((await admin.delete('/products/safe/versions/v1')).status).toBe(409);
    expect((await put('/products/safe/versions/v2', { name: '2024-10' })).json.data.name).toBe('2024-10');
    expect((await admin.post('/products/safe/versions', { name: 'v1' })).status).toBe(422);
    for (const name of ['V2', 'a b', '../x', 'v@2', '', 'x'.repeat(41)])
      expect((await admin.post('/products/safe/versions', { name })).status).toBe(422);
    expect((await admin.delete('/products/safe/versions/2024-10')).status).toBe(200);
    // The last one may go: the product is what it was before it had versions.
    expect((await admin.delete('/products/safe/versions/v1')).status).toBe(200);
    expect(await pathsOf('safe/spec')).toEqual(['/ships']);
  });

  it('are those of whoever sees the product, and unknown ones answer as what does not exist', async () => {
    const member = await createUser(test);
    const { audiences } = test.portal.services.catalog;
    await audiences.create({ name: 'crew', users: [member.email] });
    await createProduct(test, { slug: 'secret', visibility: 'private', audiences: ['crew'] }, api('/secret'));
    for (const name of ['v1', 'v2']) await admin.post('/products/secret/versions', { name });
    const [inside, outside] = [
      await issueTokens(test, member.id),
      await issueTokens(test, (await createUser(test)).id),
    ];
    for (const path of ['secret@v1', 'secret@v1/spec', 'secret/versions', 'secret/versions/v1/compare/v1']) {
      expect([path, (await read(path, inside.accessToken)).status]).toEqual([path, 200]);
      for (const token of [undefined, outside.accessToken])
        expect([path, (await read(path, token)).status]).toEqual([path, 404]);
    }
    for (const path of [
      'secret@v2',
      'secret@v2/spec',
      'secret@v9',
      'secret@',
      'secret@v1@v1',
      'secret@v1/spec?version=v1',
    ])
      expect([path, (await read(path, inside.accessToken)).status]).toEqual([path, 404]);
    const reader = await AdminClient.create(test, ['auditor']);
    expect((await reader.get('/products/secret/versions/v2')).status).toBe(200);
    for (const call of [
      reader.post('/products/secret/versions', { name: 'v3' }),
      reader.put('/products/secret/versions/v2', { state: 'current' }),
      reader.put('/products/secret/versions/v2/spec', { spec: api('/x') }),
      reader.delete('/products/secret/versions/v2'),
    ])
      expect((await call).status).toBe(403);
    expect((await admin.get('/products/boats/versions/2024-10')).status).toBe(404);
  });
});

describe('the documents of a product', () => {
  const documentsOf = async (slug: string) =>
    (await admin.get(`/products/${slug}/documents?order_by=created_at&direction=ASC`)).json.data as {
      id: number;
      hash: string;
      [name: string]: unknown;
    }[];

  it('are all kept, with who gave them and where they came from, and any two can be compared', async () => {
    await made('kept', 'v1');
    test.clock.advance(1);
    const given = await put('/products/kept/spec?commit=9fceb02&source=https%3A%2F%2Fgit.example.com%2Fkept', {
      spec: api('/ships', '/crews'),
    });
    expect(given.json.data.spec_changes).toMatchObject({ breaking: 0, info: 1 });
    test.clock.advance(1);
    await spec('/products/kept', api('/crews'));
    const documents = await documentsOf('kept');
    expect(documents).toHaveLength(3);
    expect(documents[1]).toMatchObject({
      ...{ version: 'v1', commit: '9fceb02', source: 'https://git.example.com/kept', breaking: 0, infos: 1 },
      ...{ author: { type: 'admin' }, previous_hash: documents[0]?.hash },
    });
    expect(documents[2]).toMatchObject({ breaking: 1, commit: null });
    const [first, second, third] = documents.map(({ id }) => id);
    const compared = await admin.get(`/products/kept/documents/${first}/compare/${third}`);
    expect(compared.json.data).toMatchObject({ breaking: 1, info: 1, is_complete: true });
    const changes = compared.json.data.changes as { text: string; rule: string; level: string; operation: string }[];
    expect(changes[0]).toMatchObject({
      level: 'breaking',
      operation: 'GET /ships',
      rule: 'api-path-removed-without-deprecation',
    });
    expect(changes[0]?.text).toMatch(/^Operation: /);
    const arabic = await admin.get(`/products/kept/documents/${first}/compare/${third}?locale=ar`);
    expect((arabic.json.data.changes as { text: string }[])[0]?.text).toMatch(/[\u0600-\u06ff]/);
    const text = await admin.get(`/products/kept/documents/${second}/spec`);
    expect(Object.keys(JSON.parse(text.text).paths as object)).toEqual(['/ships', '/crews']);
    await made('other');
    expect((await admin.get(`/products/other/documents/${first}`)).status).toBe(404);
    expect((await admin.get(`/products/other/documents/${first}/compare/${first}`)).status).toBe(404);
  });

  it('are kept once for what is equal, go with their product, and stay when a version goes', async () => {
    const { id } = await made('twice', 'v1', 'v2');
    await spec('/products/twice', api('/ships'));
    expect(await documentsOf('twice')).toHaveLength(1);
    await spec('/products/twice/versions/v2', api('/ships'));
    await admin.delete('/products/twice/versions/v2');
    expect((await documentsOf('twice')).map(({ version }) => version)).toEqual(['v1', null]);
    const count = async () => {
      const sql = 'SELECT COUNT(*) AS count FROM portal_product_texts WHERE product_id = ?';
      const [row] = await test.portal.database.select<{ count: number }>(sql, [id]);
      return Number(row?.count);
    };
    expect(await count()).toBe(1);
    await test.portal.services.catalog.products.delete(id);
    expect(await count()).toBe(0);
  });

  it('are compared by readers between two versions that they see', async () => {
    await made('compared', 'v1', 'v2');
    await spec('/products/compared/versions/v2', api('/crews'));
    expect((await read('compared/versions/v1/compare/v2')).status).toBe(404);
    await put('/products/compared/versions/v2', { state: 'current' });
    expect((await read('compared/versions/v1/compare/v2')).json.data).toMatchObject({ breaking: 1, info: 1 });
    expect((await read('compared/versions/v2/compare/v1')).json.data).toMatchObject({ breaking: 1, info: 1 });
  });

  it('of two uploads at once, the later is not written over what it was never compared with', async () => {
    const product = await made('raced');
    const { products, uploads } = test.portal.services.catalog;
    const bytes = Buffer.from(JSON.stringify(api('/late')));
    const record = await products.findForAdmin(product.id);
    const planned = await uploads.plan(record, null, { kind: 'file', bytes });
    await products.setSpec(product.id, api('/first'));
    await expect(uploads.giveProduct(record, planned, {}, { locale: 'en' })).rejects.toMatchObject({ status: 409 });
    expect(await pathsOf('raced/spec')).toEqual(['/first']);
  });
});

describe('the changelog of a document that is replaced', () => {
  interface Draft {
    readonly id: number;
    readonly [field: string]: unknown;
  }
  const draftsOf = async (slug: string) =>
    (await admin.get(`/products/${slug}/changes?with=translations&order_by=created_at`)).json.data as Draft[];
  const idsOf = async (slug: string) =>
    ((await admin.get(`/products/${slug}/documents?order_by=created_at&direction=ASC`)).json.data as Draft[]).map(
      ({ id }) => id,
    );
  const give = async (path: string, ...paths: string[]) => {
    test.clock.advance(1);
    return (await spec(path, api(...paths))).json.data as { drafted_change: Draft | null; document_id: number };
  };

  it('is drafted in words, with the documents that it tells of, and seen by nobody before it is published', async () => {
    await made('logged');
    expect(await give('/products/logged', '/ships')).toMatchObject({ drafted_change: null, document_id: null });
    const { drafted_change: drafted, document_id: document } = await give('/products/logged', '/crews');
    const [draft, ...others] = await draftsOf('logged');
    expect(others).toEqual([]);
    const [first, second] = await idsOf('logged');
    expect(draft).toMatchObject({
      ...{ id: drafted?.id, kind: 'breaking', status: 'draft', version: null, name: 'Changes that break callers' },
      ...{ short_description: '1 breaking · 1 other change', document_id: second, previous_document_id: first },
    });
    expect(document).toBe(second);
    const text = String(draft?.description);
    expect(text).toMatch(
      /### Breaking[\s\S]*\*\*GET \/ships\*\* – Operation: [\s\S]*### Also changed[\s\S]*GET \/crews/,
    );
    const { ar } = draft?.translations as { ar: { name: string; description: string } };
    expect([ar.name, ar.description].every((one) => /[\u0600-\u06ff]/.test(one))).toBe(true);
    expect((await read('logged/changes')).json.data).toEqual([]);
    await admin.post(`/products/logged/changes/${drafted?.id}/publish`);
    expect((await read('logged/changes')).json.data).toHaveLength(1);
  });

  it('goes on in the draft that waits: rewritten, gone with what was taken back, and anew once it is published', async () => {
    await made('on', 'v1', 'v2');
    const { drafted_change: first } = await give('/products/on', '/ships', '/crews');
    const { drafted_change: second } = await give('/products/on/versions/v1', '/ships', '/crews', '/ports');
    expect(second?.id).toBe(first?.id);
    const [draft] = await draftsOf('on');
    expect(draft).toMatchObject({ version: 'v1', kind: 'feature', short_description: '2 other changes' });
    expect(await idsOf('on').then((ids) => [ids[0], ids.at(-1)])).toEqual([
      draft?.previous_document_id,
      draft?.document_id,
    ]);
    // Another version is another matter, and what nobody sees is not told.
    expect((await give('/products/on/versions/v2', '/boats')).drafted_change).toBeNull();
    expect((await give('/products/on/versions/v2', '/other')).drafted_change).toBeNull();
    await put('/products/on/versions/v2', { state: 'current' });
    // What a draft brings is drafted when it becomes current, against what readers have by default.
    const drafts = await draftsOf('on');
    const brought = drafts.find(({ version }) => version === 'v2');
    expect([brought?.kind, drafts.length]).toEqual(['breaking', 2]);
    expect(brought).toMatchObject({
      ...{ document_id: (await idsOf('on')).at(-1), previous_document_id: draft?.document_id },
    });
    const { drafted_change: other } = await give('/products/on/versions/v2', '/boats');
    expect(other?.id).toBe(brought?.id);
    expect((await give('/products/on', '/ships')).drafted_change).toBeNull();
    expect((await draftsOf('on')).map(({ id }) => id)).toEqual([other?.id]);
    const { drafted_change: third } = await give('/products/on', '/ships', '/crews');
    await admin.post(`/products/on/changes/${third?.id}/publish`);
    const { drafted_change: fourth } = await give('/products/on', '/ships', '/crews', '/ports');
    expect(fourth?.id).not.toBe(third?.id);
    expect((await draftsOf('on')).find(({ id }) => id === fourth?.id)?.short_description).toBe('1 other change');
  });

  it('keeps what somebody wrote, and says the rest below', async () => {
    await made('mine');
    const { drafted_change: draft } = await give('/products/mine', '/ships', '/crews');
    const path = `/products/mine/changes/${draft?.id}`;
    const texts = { name: 'Crews', description: 'Crews at last.', translations: { ar: { name: 'الأطقم' } } };
    expect((await put(path, texts)).status).toBe(200);
    expect((await give('/products/mine', '/crews')).drafted_change?.id).toBe(draft?.id);
    const { data } = (await admin.get(path)).json;
    expect(data).toMatchObject({ name: 'Crews', kind: 'breaking', translations: { ar: { name: 'الأطقم' } } });
    expect(data.description).toMatch(/^Crews at last\.\n\n---\n\n### Breaking\n[\s\S]*GET \/ships/);
    expect(data.description).not.toContain('/crews');
    await give('/products/mine', '/ships');
    expect((await admin.get(path)).json.data.description).toMatch(/^Crews at last\./);
  });

  it('is text, whatever names a document has', async () => {
    await made('hostile');
    const name = `/x<img src=x onerror=alert(1)>[a](javascript:alert(1))\u0007${'*'.repeat(300)}`;
    const { drafted_change: draft } = await give('/products/hostile', '/ships', name);
    const { data } = (await admin.get(`/products/hostile/changes/${draft?.id}`)).json;
    expect(data.description).toContain(String.raw`\<img src=x onerror=alert(1)\>\[a\](javascript`);
    const again = { name: data.name as string, description: `${data.description as string} ` };
    expect((await put(`/products/hostile/changes/${draft?.id}`, again)).status).toBe(200);
  });

  it('is drafted by nobody where that is switched off', async () => {
    const silent = await startTestPortal({ config: { catalog: { draftsChanges: false } } });
    const client = await AdminClient.create(silent, ['catalog_manager']);
    await createProduct(silent, { slug: 'silent' }, api('/ships'));
    const given = await client.put('/products/silent/spec', { spec: api('/crews') });
    expect(given.json.data).toMatchObject({ drafted_change: null, spec_changes: { breaking: 1 } });
    expect((await client.get('/products/silent/changes')).json.data).toEqual([]);
    await silent.stop();
  });
});

describe('a document that breaks callers', () => {
  const start = async (breakingChanges: 'confirm' | 'refuse') => {
    const strict = await startTestPortal({ config: { catalog: { breakingChanges } } });
    const client = await AdminClient.create(strict, ['catalog_manager']);
    await createProduct(strict, { slug: 'strict' }, api('/ships'));
    await createProduct(strict, { slug: 'hidden', visibility: 'draft' }, api('/ships'));
    return { strict, client };
  };

  it('needs a confirmation with a reason where that is asked for; the reason is kept, drafts need none', async () => {
    const { strict, client } = await start('confirm');
    const give = (query: string, slug = 'strict') =>
      client.put(`/products/${slug}/spec${query}`, { spec: api('/crews') });
    const refused = await give('');
    expect(refused.status).toBe(409);
    expect((refused.json.errors as { spec: string[] }).spec.join(' ')).toContain('GET /ships');
    expect((await give('?confirm=true')).status).toBe(422);
    expect((await give('?reason=Because')).status).toBe(409);
    expect((await give('', 'hidden')).status).toBe(200);
    const meant = await give('?confirm=true&reason=Agreed');
    expect(meant.json.data.spec_changes).toMatchObject({ breaking: 1 });
    const [latest] = (await client.get('/products/strict/documents?order_by=created_at&direction=DESC')).json
      .data as object[];
    const documents = (await client.get('/products/strict/documents')).json.data as { reason: string | null }[];
    expect([latest !== undefined, documents.map(({ reason }) => reason).sort()]).toEqual([
      true,
      ['Agreed', null].sort(),
    ]);
    await strict.stop();
  });

  it('needs a version of its own where none is taken, and a confirmation where nobody can tell', async () => {
    const { strict, client } = await start('refuse');
    const body = { spec: api('/crews') };
    expect((await client.put('/products/strict/spec?confirm=true&reason=Agreed', body)).status).toBe(409);
    await client.post('/products/strict/versions', { name: 'v1' });
    await client.post('/products/strict/versions', { name: 'v2' });
    expect((await client.put('/products/strict/versions/v2/spec', body)).status).toBe(200);

    await createProduct(strict, { slug: 'deep' }, deep({ type: 'string' }));
    const give = (query: string) => client.put(`/products/deep/spec${query}`, { spec: deep({ type: 'integer' }) });
    const unknown = await give('');
    expect([unknown.status, (unknown.json.errors as { spec: string[] }).spec]).toEqual([
      409,
      [expect.stringContaining('It is too involved to be held against the document that is there in whole')],
    ]);
    expect((await give('?confirm=true&reason=Compared+by+hand')).status).toBe(200);
    await strict.stop();
  });
});
