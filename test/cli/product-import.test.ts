import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { folderWith, SECRETS } from '../config/support.js';
import { portal } from '../support/portal-command.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const document = (title: string, info: Record<string, string> = {}, paths: object = {}) =>
  JSON.stringify({ openapi: '3.1.0', info: { title, version: '1', ...info }, paths });

const PAYMENTS = `openapi: 3.1.0
info:
  title: Payments API
  version: 1.2.0
  description: |
    Moves money between accounts. Settled in seconds.

    ## Limits
    One hundred requests a second.
paths: {}
`;

let test: TestPortal;
let root: string;
beforeAll(async () => {
  test = await startTestPortal();
  root = await folderWith({ 'portal.config.ts': "export default { app: { env: 'development' } };" });
  const { categories, audiences } = test.portal.services.catalog;
  await categories.create({ slug: 'money', name: 'Money' });
  await audiences.create({ name: 'partners' });
});
afterAll(() => test.stop());
beforeEach(async () => {
  await test.portal.database.execute('DELETE FROM portal_products');
});

const write = (files: Record<string, string>) => {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(root, name, '..'), { recursive: true });
    writeFileSync(join(root, name), text);
  }
};

/** On the database of the test. */
const run = (...args: string[]) =>
  portal(['product:import', ...args], { cwd: root, env: { ...SECRETS, DATABASE_URL: test.databaseUrl } });

const imported = async (...args: string[]) => {
  const { stdout, stderr, exitCode } = await run(...args, '--json');
  if (exitCode !== 0) throw new Error(`ended with ${exitCode}: ${stderr}`);
  return JSON.parse(stdout) as { dry_run: boolean; products: Record<string, unknown>[] };
};

const outcomes = async (...args: string[]) =>
  (await imported(...args)).products.map(({ slug, outcome }) => [slug, outcome]);
const find = (slug: string) => test.portal.services.catalog.products.findForAdmin(slug);
const slugs = async () =>
  (await test.portal.database.select<{ slug: string }>('SELECT slug FROM portal_products ORDER BY slug')).map(
    ({ slug }) => slug,
  );

describe('portal product:import', () => {
  it('makes a product of a document, visible at once, and says where', async () => {
    write({ 'openapi.yaml': PAYMENTS });
    const { products } = await imported('openapi.yaml', '--visibility', 'public', '--category', 'money');
    expect(products).toEqual([
      {
        file: 'openapi.yaml',
        slug: 'payments-api',
        name: 'Payments API',
        visibility: 'public',
        outcome: 'created',
        changes: [],
        url: expect.stringMatching(/^http.*\/portal\/products\/payments-api$/),
      },
    ]);
    const { json } = await test.client.get('/api/v1/api-products/payments-api');
    expect(json.data).toMatchObject({
      name: 'Payments API',
      short_description: 'Moves money between accounts.',
      description: expect.stringContaining('## Limits'),
      categories: [{ slug: 'money' }],
    });
    const spec = await test.client.get('/api/v1/api-products/payments-api/spec');
    expect(JSON.parse(spec.text).info.version).toBe('1.2.0');
  });

  it('names a GraphQL schema, which has no title, as its file is named, wherever that lies', async () => {
    write({ 'schemas/pet-store.graphql': 'type Query { pets: [String!]! }' });
    expect((await imported(join(root, 'schemas', 'pet-store.graphql'))).products).toMatchObject([
      { slug: 'pet-store', name: 'Pet store' },
    ]);
  });

  it('is in the activity log as the doing of the command line', async () => {
    write({ 'openapi.yaml': PAYMENTS });
    await imported('openapi.yaml');
    const rows = await test.portal.database.select(
      "SELECT action, actor_type AS actor FROM portal_activities WHERE action LIKE 'product.%' ORDER BY id DESC LIMIT 1",
    );
    expect(rows).toEqual([{ action: 'product.created', actor: 'operator' }]);
  });

  it('makes drafts unless told otherwise, and says how to show them', async () => {
    write({ 'openapi.yaml': PAYMENTS });
    const { stdout, stderr, exitCode } = await run('openapi.yaml');
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringMatching(/payments-api +Payments API +draft +created +openapi.yaml/),
    ]);
    expect(stderr).toContain('Only admins see payments-api. To show it: the same with --visibility public.');
    expect((await find('payments-api')).visibility).toBe('draft');
  });

  it('changes nothing the second time', async () => {
    write({ 'a.json': document('Refunds'), 'b.json': document('Cards') });
    expect(await outcomes('a.json', 'b.json', '--visibility', 'public', '--category', 'money')).toEqual([
      ['refunds', 'created'],
      ['cards', 'created'],
    ]);
    const before = await test.portal.database.select('SELECT * FROM portal_products ORDER BY id');
    expect(await outcomes('a.json', 'b.json', '--visibility', 'public', '--category', 'money')).toEqual([
      ['refunds', 'unchanged'],
      ['cards', 'unchanged'],
    ]);
    expect(await test.portal.database.select('SELECT * FROM portal_products ORDER BY id')).toEqual(before);
  });

  it('brings a product up to date, and keeps what was written in the portal', async () => {
    write({ 'a.json': document('Refunds', { summary: 'Money back', description: 'First.' }) });
    await imported('a.json', '--visibility', 'public', '--category', 'money');
    const { id } = await find('refunds');
    await test.portal.services.catalog.products.update(id, { description: 'Written by hand.', tags: ['back'] });
    write({ 'a.json': document('Refunds', { summary: 'All money back', description: 'Second.' }) });
    const { products } = await imported('a.json');
    expect(products).toMatchObject([
      { outcome: 'updated', changes: ['short_description', 'spec'], visibility: 'public' },
    ]);
    expect(await find('refunds')).toMatchObject({
      shortDescription: 'All money back',
      description: 'Written by hand.',
      tags: ['back'],
      categories: [{ slug: 'money' }],
    });
    expect(await outcomes('a.json')).toEqual([['refunds', 'unchanged']]);
  });

  it('gives a product that an admin made its document, under its slug', async () => {
    const { products } = test.portal.services.catalog;
    await products.create({
      slug: 'pay',
      name: 'Pay',
      visibility: 'public',
      approval: 'manual',
      gatewayProductId: 'pay-1',
    });
    write({ 'openapi.yaml': PAYMENTS });
    await imported('openapi.yaml', '--slug', 'pay', '--visibility', 'private', '--audience', 'partners');
    expect(await find('pay')).toMatchObject({
      name: 'Pay',
      shortDescription: 'Moves money between accounts.',
      approval: 'manual',
      visibility: 'private',
      audiences: [{ name: 'partners' }],
      specHash: expect.any(String),
    });
  });

  it('says with --dry-run what it would do, and does nothing', async () => {
    write({ 'a.json': document('Refunds'), 'b.json': document('Cards') });
    await imported('a.json');
    write({ 'a.json': document('Refunds', { description: 'New.' }) });
    const { dry_run, products } = await imported('a.json', 'b.json', '--dry-run');
    expect([dry_run, products.map(({ outcome }) => outcome)]).toEqual([true, ['updated', 'created']]);
    const { stdout } = await run('a.json', 'b.json', '--dry-run');
    expect(stdout).toMatch(/would be updated \(short_description, description, spec\)[\s\S]*Nothing was changed/);
    expect(await slugs()).toEqual(['refunds']);
    expect((await find('refunds')).description).toBe('');
  });

  it('imports nothing with --check-breaking that breaks callers of what is there, and says what', async () => {
    const get = { get: { responses: {} } };
    write({ 'a.json': document('Refunds', {}, { '/a': get }) });
    await imported('a.json', '--check-breaking');
    const { specHash } = await find('refunds');
    write({ 'a.json': document('Refunds', {}, { '/b': get }) });
    const refused = await run('a.json', '--check-breaking');
    expect(refused.exitCode).toBe(1);
    expect(refused.stdout).toContain('GET /a  Operation: removed without having been deprecated');
    expect(refused.stderr).toContain('Nothing was imported: it would break callers of refunds (1).');
    expect((await find('refunds')).specHash).toBe(specHash);
    write({ 'a.json': document('Refunds', {}, { '/a': get, '/b': get }) });
    expect(await outcomes('a.json', '--check-breaking')).toEqual([['refunds', 'updated']]);
  });

  it('makes slugs of titles in any script, of files where it must', async () => {
    write({
      'a.json': document('Überweisungen & Zahlungen (v2)'),
      'b.json': document('3-D Secure'),
      'apis/exchange_rates.json': document('أسعار الصرف'),
    });
    await imported('a.json', 'b.json', 'apis/exchange_rates.json');
    expect(await slugs()).toEqual(['api-3-d-secure', 'exchange-rates', 'uberweisungen-zahlungen-v2']);
  });

  it('names file and place of every fault, and imports none of the files', async () => {
    const elsewhere = { '/pay': { get: { responses: { 200: { $ref: './answers.yaml#/ok' } } } } };
    write({
      'good.json': document('Good'),
      'broken.yaml': 'openapi: 3.1.0\ninfo: {title: [}\n',
      'old.json': '{"openapi":"2.0"}',
      'split.json': document('Split', {}, elsewhere),
      'nameless.json': document('  '),
      'twin.json': document('Good'),
    });
    const files = ['good.json', 'broken.yaml', 'old.json', 'split.json', 'nameless.json', 'twin.json'];
    const { exitCode, stdout, stderr } = await run(...files, '--category', 'none');
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^Error: Nothing was imported\.$/m);
    expect(stderr).toMatch(/^--category: There is no category none\.$/m);
    expect(stderr).toMatch(/^broken\.yaml: .* at line 2, column \d+/m);
    expect(stderr).toMatch(/^old\.json: .*"openapi" must say 3\.0\.x, 3\.1\.x or 3\.2\.x/m);
    expect(stderr).toMatch(/^split\.json: .*"\.\/answers\.yaml#\/ok" at #\/paths\/~1pay\/get\/responses\/200\./m);
    expect(stderr).toMatch(/^nameless\.json: info\.title must have 1 to 200 visible characters/m);
    expect(stderr).toMatch(/^twin\.json: It would become the product good, as good\.json does/m);
    expect(await slugs()).toEqual([]);
    const { error } = JSON.parse((await run(...files, '--json')).stdout);
    expect([error.type, Object.keys(error.errors)]).toEqual(['import_refused', files.slice(1)]);
  });

  it.each([
    [['gone.yaml'], /^Error: gone\.yaml: There is no such file\.\nFix: name the documents themselves/, 1],
    [['.'], /^Error: \.: It is a folder\./, 1],
    [['a.json', 'b.json', '--slug', 'x'], /--slug goes with one document/, 2],
    [['a.json', '--slug', 'Not A Slug'], /--slug: It must be 1 to 100 lower-case letters/, 1],
    [['a.json', '--visibility', 'secret'], /Allowed choices are public, private, draft/, 2],
    [['a.json', '--audience', 'nobody'], /--audience: There is no audience nobody/, 1],
    [[], /missing required argument 'files'/, 2],
  ])('refuses %j', async (args, message, code) => {
    write({ 'a.json': document('A'), 'b.json': document('B') });
    const { stderr, exitCode } = await run(...args);
    expect([exitCode, stderr]).toEqual([code, expect.stringMatching(message)]);
    expect(await slugs()).toEqual([]);
  });
});

describe('portal import', () => {
  const go = (...args: string[]) =>
    portal(['import', ...args], {
      cwd: root,
      env: { ...SECRETS, DATABASE_URL: test.databaseUrl, OUTBOUND_ALLOW: '127.0.0.1' },
    });

  it('makes products of a folder, a file and an address in one go, and shows them', async () => {
    const site = createServer((_request, response) => response.end(document('Elsewhere'))).listen(0, '127.0.0.1');
    await once(site, 'listening');
    try {
      write({
        'specs/a.json': document('Refunds'),
        'specs/below/pets.graphql': 'type Query { pets: [String!]! }',
        'specs/package.json': '{"name": "no document"}',
        'specs/node_modules/x.json': document('Of a dependency'),
        'cards.yaml': PAYMENTS,
      });
      const address = `http://127.0.0.1:${(site.address() as AddressInfo).port}/openapi.json`;
      const args = ['specs', 'cards.yaml', address, '--publish', '--category', 'money'];
      const dry = await go(...args, '--dry-run', '--json');
      expect([dry.exitCode, JSON.parse(dry.stdout)]).toMatchObject([0, { dry_run: true, failed: [] }]);
      expect(await slugs()).toEqual([]);
      const { exitCode, stdout } = await go(...args, '--json');
      expect([exitCode, JSON.parse(stdout).products]).toMatchObject([
        0,
        [
          { file: join('specs', 'a.json'), slug: 'refunds', visibility: 'public', outcome: 'created' },
          { slug: 'pets' },
          { slug: 'payments-api' },
          { file: address, slug: 'elsewhere' },
        ],
      ]);
      expect(await slugs()).toEqual(['elsewhere', 'payments-api', 'pets', 'refunds']);
      expect(await find('elsewhere')).toMatchObject({ visibility: 'public', categories: [{ slug: 'money' }] });
      expect((await go(...args)).stdout).toContain('Everything was up to date; nothing was changed.');
    } finally {
      site.close();
    }
  });

  it('names each document that cannot be imported, imports the others, and ends with 1', async () => {
    write({
      'mixed/good.json': document('Good'),
      'mixed/twin.json': document('Good'),
      'mixed/old.json': '{"openapi":"2.0"}',
    });
    const { exitCode, stdout, stderr } = await go('mixed', 'gone.json', 'https://127.0.0.1:1/openapi.json');
    expect([exitCode, stdout]).toEqual([1, expect.stringMatching(/good +Good +draft +created +mixed.good\.json/)]);
    expect(stderr).toMatch(/mixed.old\.json: .*"openapi" must say 3\.0\.x/);
    expect(stderr).toMatch(/mixed.twin\.json: It would become the product good/);
    expect(stderr).toContain('gone.json: There is no such file.');
    expect(stderr).toMatch(/https:\/\/127\.0\.0\.1:1\/openapi\.json: /);
    expect(stderr).toContain('4 of 5 could not be imported.');
    expect(stderr).toContain('Only admins see good. To show it: the same with --publish.');
    expect(await slugs()).toEqual(['good']);
  });

  it('shows to an audience alone what is published to it, and knows only what there is', async () => {
    write({ 'a.json': document('Refunds') });
    await go('a.json', '--publish', '--audience', 'partners');
    expect(await find('refunds')).toMatchObject({ visibility: 'private', audiences: [{ name: 'partners' }] });
    const { exitCode, stderr } = await go('a.json', '--category', 'none');
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('--category: There is no category none.')]);
    expect((await go()).exitCode).toBe(2);
  });
});
