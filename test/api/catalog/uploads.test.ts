import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { AdminClient } from '../../support/admin-client.js';
import { createProduct } from '../../support/factories.js';
import { fileForm, GIF, PNG } from '../../support/forms.js';
import { SHOP_SCHEMA } from '../../support/graphql-documents.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

const SPEC = { openapi: '3.1.0', info: { title: 'Rates', version: '1' }, paths: { '/rates': {} } };
const YAML = 'openapi: 3.1.0\ninfo: { title: Rates, version: "1" }\npaths: { /rates: {} }\n';
const MAX_SPEC = 200 * 1024;
const MAX_IMAGE = 4096;

let test: TestPortal;
let admin: AdminClient;
let server: Server;
let site = '';
let hits = 0;
let slug = '';
let count = 0;
beforeAll(async () => {
  server = createServer((request, response) => {
    hits += 1;
    const bodies: Record<string, string> = {
      '/spec.yaml': YAML,
      '/bad': 'no spec',
      '/large': 'x'.repeat(MAX_SPEC + 1),
    };
    const body = bodies[request.url ?? ''];
    response.writeHead(body === undefined ? 404 : 200).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  site = `http://specs.localhost:${(server.address() as AddressInfo).port}`;
  test = await startTestPortal({
    config: {
      catalog: { maxSpecBytes: MAX_SPEC, maxImageBytes: MAX_IMAGE },
      outbound: { allow: ['127.0.0.0/8', '::1'] },
    },
  });
  admin = await AdminClient.create(test);
});
beforeEach(async () => {
  count += 1;
  slug = `uploaded-${count}`;
  await createProduct(test, { slug, visibility: 'draft' });
});
afterAll(async () => {
  await test.stop();
  server.closeAllConnections();
  server.close();
});

const put = (call: object, part = 'spec', record = `/products/${slug}`) => admin.send('PUT', `${record}/${part}`, call);
const document = async () => JSON.parse((await admin.get(`/products/${slug}/spec`)).text) as unknown;

describe('PUT /admin/products/{id}/spec', () => {
  it.each([
    ['a JSON file', () => fileForm('spec', JSON.stringify(SPEC), 'openapi.json')],
    ['a YAML file', () => fileForm('spec', YAML, 'openapi.yaml')],
    ['an object', () => ({ body: { spec: SPEC } })],
    ['JSON text', () => ({ body: { spec: JSON.stringify(SPEC) } })],
    ['YAML text', () => ({ body: { spec: YAML } })],
    ['an address', () => ({ body: { url: `${site.replace('specs.localhost', '127.0.0.1')}/spec.yaml` } })],
    ['zipped JSON', () => ({ raw: gzipSync(JSON.stringify({ spec: SPEC })), headers: { 'content-encoding': 'gzip' } })],
  ])('takes %s', async (_what, call) => {
    const answer = await put(call());
    expect([answer.status, answer.json.data?.has_spec]).toEqual([200, true]);
    expect(answer.json.data.spec_url).toBe(`/api/v1/admin/products/${slug}/spec`);
    expect(await document()).toEqual(SPEC);
    expect((await test.client.get(`/api/v1/api-products/${slug}/spec`)).status).toBe(404);
  });

  it('takes a document larger than other bodies, with more keys, and none beyond its limit', async () => {
    const paths = Object.fromEntries(Array.from({ length: 2500 }, (_, index) => [`/path/${index}`, { get: {} }]));
    const large = { ...SPEC, paths, 'x-pad': 'x'.repeat(110 * 1024) };
    expect((await put({ body: { spec: large } })).status).toBe(200);
    const tooLarge = JSON.stringify({ ...SPEC, 'x-pad': 'x'.repeat(MAX_SPEC) });
    for (const call of [fileForm('spec', tooLarge), { body: { spec: `${tooLarge}${' '.repeat(70_000)}` } }]) {
      const { status, json } = await put(call);
      expect([status, json.message]).toEqual([413, 'Payload too large.']);
    }
    const zipped = gzipSync(`{"spec":"${'x'.repeat(50_000_000)}"}`);
    expect((await put({ raw: zipped, headers: { 'content-encoding': 'gzip' } })).status).toBe(413);
  });

  it('refuses a body that says it is too large before it is sent', async () => {
    const answer = await test.client.rawRequest(
      `PUT /api/v1/admin/products/${slug}/spec HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${admin.token}\r\n` +
        `Content-Type: application/json\r\nContent-Length: 999999999\r\nConnection: close\r\n\r\n{`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  });

  it.each([
    ['neither', { body: {} }, 422, 'spec'],
    ['both', { body: { spec: SPEC, url: 'https://example.com' } }, 422, 'spec'],
    ['nothing', {}, 422, 'spec'],
    ['a list', { body: [] }, 422, 'spec'],
    ['no OpenAPI', { body: { spec: { a: 1 } } }, 422, 'spec'],
    ['a number', { body: { spec: 1 } }, 422, 'spec'],
    ['a number for an address', { body: { url: 1 } }, 422, 'url'],
    ['a reference to a file', { body: { spec: { ...SPEC, a: { $ref: 'file:///etc/passwd' } } } }, 422, 'spec'],
    ['an empty file', fileForm('spec', ''), 422, 'spec'],
    ['bytes that are no text', fileForm('spec', Buffer.from([0xff, 0xfe, 0x41])), 422, 'spec'],
    ['a file in another field', fileForm('file', JSON.stringify(SPEC)), 422, 'file'],
    ['a file in another field of JSON', { body: { spec: SPEC, sepc: SPEC } }, 422, 'sepc'],
    ['broken JSON', { raw: '{"spec":' }, 400, ''],
    ['JSON that is no UTF-8', { raw: Buffer.from([0x7b, 0xff, 0x7d]) }, 400, ''],
    ['a form without its end', { raw: '--x\r\nnothing', type: 'multipart/form-data; boundary=x' }, 400, ''],
    ['a form without a boundary', { raw: 'x', type: 'multipart/form-data; charset=utf-8' }, 400, ''],
    ['a thousand parts', { raw: '--x\r\n\r\n'.repeat(1000), type: 'multipart/form-data; boundary=x' }, 400, ''],
    ['plain text', { raw: YAML, type: 'text/plain' }, 415, ''],
    ['YAML without a form', { raw: YAML, type: 'application/yaml' }, 415, ''],
  ])('refuses %s', async (_what, call, status, field) => {
    const answer = await put(call);
    expect([answer.status, Object.keys(answer.json.errors)]).toEqual([status, field === '' ? [] : [field]]);
  });

  it('reads a million levels without falling over', async () => {
    const deep = '['.repeat(90_000) + ']'.repeat(90_000);
    const { status, json } = await put({ raw: `{"spec":{"openapi":"3.1.0","x":${deep}}}` });
    expect([status, json.errors.spec]).toEqual([422, ['The document nests deeper than 64 levels.']]);
  });

  it('says the same of every address that it does not fetch, and blames the address for its document', async () => {
    const local = site.replace('specs.localhost', '127.0.0.1');
    for (const url of ['http://example.com/', 'https://10.0.0.1/', 'https://169.254.169.254/', `${local}/404`, 'x']) {
      const { status, json } = await put({ body: { url } });
      expect([url, status, json.errors]).toEqual([url, 422, { url: ['URL not allowed or not reachable.'] }]);
    }
    const before = hits;
    expect(Object.keys((await put({ body: { url: `${local}/bad` } })).json.errors)).toEqual(['url']);
    expect((await put({ body: { url: `${local}/large` } })).json.errors.url).toEqual([
      `The answer is larger than ${MAX_SPEC} bytes.`,
    ]);
    expect(hits).toBe(before + 2);
  });

  it('asks who is there, then what is meant, then for the body', async () => {
    const call = { raw: 'x', type: 'text/plain' };
    expect((await test.client.send('PUT', `/api/v1/admin/products/${slug}/spec`, call)).status).toBe(401);
    expect((await put(call, 'spec', '/products/missing')).status).toBe(404);
    expect((await put({ ...fileForm('spec', YAML), headers: { 'if-match': '"abc"' } })).status).toBe(412);
  });

  it('takes a GraphQL schema and what an AsyncAPI document says, and gives both back as they are', async () => {
    expect((await put(fileForm('spec', SHOP_SCHEMA, 'schema.graphql'))).status).toBe(200);
    expect((await admin.get(`/products/${slug}/spec`)).text).toBe(SHOP_SCHEMA);
    const events = { asyncapi: '3.0.0', info: { title: 'Rates', version: '1' }, channels: { rates: { address: 'r' } } };
    expect((await put(fileForm('spec', JSON.stringify(events), 'asyncapi.json'))).status).toBe(200);
    expect(await document()).toEqual(events);
    expect((await put(fileForm('spec', 'type Query { rate: Rate }', 'schema.graphql'))).json).toMatchObject({
      errors: { spec: [expect.stringContaining('Unknown type "Rate"')] },
    });
    expect(await document()).toEqual(events);
  });

  it('is undone by DELETE', async () => {
    await put(fileForm('spec', YAML));
    expect((await admin.delete(`/products/${slug}/spec`)).json.data).toMatchObject({ has_spec: false, spec_url: null });
    expect((await admin.get(`/products/${slug}/spec`)).status).toBe(404);
  });
});

describe('PUT /admin/products/{id}/workflows', () => {
  const LONG = '$components.parameters.long';
  const step = (more: object) => ({ stepId: 'ask', ...more });
  const workflow = (...steps: object[]) => ({ workflowId: 'rates', steps });
  const arazzo = (...workflows: object[]) => ({
    ...{ arazzo: '1.0.1', info: { title: 'Rates', version: '1' }, workflows },
    sourceDescriptions: [{ name: 'rates', url: './openapi.yaml', type: 'openapi' }],
  });
  const OF = {
    ...SPEC,
    paths: { '/rates': { get: { operationId: 'listRates', responses: {} } } },
  };
  const give = (content: object | string, more: object = {}) =>
    put(
      { ...fileForm('workflows', typeof content === 'string' ? content : JSON.stringify(content)), ...more },
      'workflows',
    );
  beforeEach(() => put({ body: { spec: OF } }));

  it('takes Arazzo whose operations are there, and gives it back in both forms until DELETE', async () => {
    const sourceDescriptions = [{ name: 'rates', url: `${site}/spec.yaml`, type: 'openapi' }];
    const given = { ...arazzo(workflow(step({ operationId: 'listRates' }))), sourceDescriptions };
    const before = hits;
    const { status, json } = await give(given);
    const path = `/products/${slug}/workflows`;
    expect([status, json.data.workflows_url]).toEqual([200, `/api/v1/admin${path}`]);
    const read = await admin.get(path);
    expect(JSON.parse(read.text)).toEqual(given);
    const yaml = await admin.send('GET', path, { headers: { accept: 'application/yaml' } });
    expect(yaml.text).toMatch(/^arazzo: 1\.0\.1\n/);
    const held = { 'if-none-match': read.headers.get('etag') ?? '' };
    expect((await admin.send('GET', path, { headers: held })).status).toBe(304);
    // A draft has no public address.
    expect((await test.client.get(`/api/v1/api-products/${slug}/workflows`)).status).toBe(404);
    const again = await give(yaml.text);
    expect([again.status, again.json.data.updated_at]).toEqual([200, json.data.updated_at]);
    // The address of its source description is a name; nobody goes there.
    expect(hits).toBe(before);
    expect((await admin.delete(path)).json.data.workflows_url).toBeNull();
    expect((await admin.get(path)).status).toBe(404);
  });

  it.each([
    ['no Arazzo', { openapi: '3.1.0' }, /must say 1\.0\.x or 1\.1\.x/],
    ['Arazzo 2', { ...arazzo(), arazzo: '2.0.0' }, /must say/],
    ['no workflows', arazzo(), /has no "workflows"/],
    ['two documents', { ...arazzo(), sourceDescriptions: [{}, {}] }, /must name one document/],
    [
      'another kind of document',
      { ...arazzo(), sourceDescriptions: [{ name: 'a', url: 'a', type: 'arazzo' }] },
      /"openapi"/,
    ],
    ['no steps', arazzo({ workflowId: 'rates' }), /Workflow "rates" has no "steps"/],
    [
      'two steps of one name',
      arazzo(workflow(...[1, 2].map(() => step({ operationId: 'listRates' })))),
      /two steps named "ask"/,
    ],
    ['an id that is no part of an address', arazzo({ workflowId: '../x', steps: [] }), /each workflowId must be/],
    ['a step that calls nothing', arazzo(workflow(step({}))), /one of operationId, operationPath and workflowId/],
    ['an operation that is not there', arazzo(workflow(step({ operationId: 'listRate' }))), /no operation "listRate"/],
    [
      'a path that is not there',
      arazzo(workflow(step({ operationPath: '{$x.url}#/paths/~1rates/post' }))),
      /"POST \/rates"/,
    ],
    ['a workflow that is not there', arazzo(workflow(step({ workflowId: 'other' }))), /no workflow "other"/],
    [
      'a step to go to that is not there',
      arazzo(workflow(step({ operationId: 'listRates', onSuccess: [{ stepId: 'x' }] }))),
      /no step "x"/,
    ],
    [
      'a step to go to that is not there, in an action that is shared',
      {
        ...arazzo(
          workflow(step({ operationId: 'listRates', onFailure: [{ reference: '$components.failureActions.back' }] })),
        ),
        components: { failureActions: { back: { name: 'back', type: 'goto', stepId: 'x' } } },
      },
      /step "ask": there is no step "x"/,
    ],
    [
      'an action that goes on, and nowhere',
      arazzo(workflow(step({ operationId: 'listRates', onSuccess: [{ name: 'on', type: 'goto' }] }))),
      /the action "on" leads nowhere/,
    ],
    [
      'a workflow whose actions lead to no workflow',
      arazzo({ ...workflow(step({ operationId: 'listRates' })), failureActions: [{ workflowId: 'y' }] }),
      /no workflow "y"/,
    ],
    [
      'actions of a workflow that are no list',
      arazzo({ ...workflow(step({ operationId: 'listRates' })), successActions: {} }),
      /"successActions" must be a list/,
    ],
    [
      'a list that is none',
      arazzo(workflow(step({ operationId: 'listRates', parameters: 1 }))),
      /"parameters" must be a list/,
    ],
    [
      'few references that stand for much',
      {
        ...arazzo(workflow(step({ operationId: 'listRates', parameters: Array(500).fill({ reference: LONG }) }))),
        components: { parameters: { long: { name: 'long', in: 'query', value: 'x'.repeat(1_000) } } },
      },
      /larger than 500000 bytes once its references/,
    ],
    [
      'aliases that stand for much',
      `arazzo: 1.0.1\na: &a [${'x,'.repeat(50)}]\nb: &b [${'*a,'.repeat(50)}]\nc: [${'*b,'.repeat(50)}]\n`,
      /aliases/,
    ],
    [
      'a reference to an address',
      { ...arazzo(), a: { $ref: 'https://example.com/x' } },
      /only references that begin with #/,
    ],
    ['a reference to a file', { ...arazzo(), a: { $ref: 'file:///etc/passwd' } }, /only references that begin with #/],
    ['an empty file', '', /empty/],
    ['no document', '{{', /neither JSON nor YAML/],
  ])('refuses %s', async (_what, document, reason) => {
    const { status, json } = await give(document);
    expect([status, Object.keys(json.errors)]).toEqual([422, ['workflows']]);
    expect(json.errors.workflows?.[0]).toMatch(reason);
  });

  it('refuses what is too large or too deep, older versions, and whoever may not', async () => {
    expect((await give('x'.repeat(500_001))).status).toBe(413);
    const deep = `{"arazzo":"1.0.1","x":${'['.repeat(90_000)}${']'.repeat(90_000)}}`;
    expect((await give(deep)).json.errors.workflows).toEqual(['The document nests deeper than 64 levels.']);
    const given = arazzo(workflow(step({ operationId: 'listRates' })));
    expect((await give(given, { headers: { 'if-match': '"abc"' } })).status).toBe(412);
    const weak = await AdminClient.create(test, ['support']);
    const form = fileForm('workflows', JSON.stringify(given));
    expect((await weak.send('PUT', `/products/${slug}/workflows`, form)).status).toBe(403);
    expect((await test.client.send('PUT', `/api/v1/admin/products/${slug}/workflows`, form)).status).toBe(401);
  });
});

describe.each(['products', 'categories'])('the thumbnail of %s', (resource) => {
  let record = '';
  beforeEach(async () => {
    record = `/${resource}/${slug}`;
    if (resource === 'categories') await admin.post('/categories', { slug, name: slug });
  });
  const upload = (bytes: Buffer | string, name = 'x', type = 'image/png') =>
    put(fileForm('thumbnail', bytes, name, type), 'thumbnail', record);
  const files = async () => (await test.portal.database.select('SELECT hash FROM portal_files')).length;

  it('is told by its content, named by us and served so that nothing runs', async () => {
    const { status, json } = await upload(PNG, '../../evil.svg', 'image/svg+xml');
    expect(status).toBe(200);
    const url = json.data.thumbnail_url as string;
    expect(url).toMatch(/^\/api\/v1\/files\/[0-9a-f]{64}\.png$/);
    const picture = await test.client.get(url);
    expect(Object.fromEntries(picture.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(PNG.length),
      'x-content-type-options': 'nosniff',
      'content-disposition': 'inline',
      'content-security-policy': "default-src 'none'; sandbox",
      'cache-control': 'public, max-age=31536000, immutable',
    });
    const etag = picture.headers.get('etag') ?? '';
    expect((await test.client.get(url, { headers: { 'if-none-match': etag } })).status).toBe(304);
    const bytes = await (await fetch(test.client.url + url)).arrayBuffer();
    expect(Buffer.from(bytes).equals(PNG)).toBe(true);
    expect((await test.client.get(url.replace('.png', '.gif'))).status).toBe(404);
    expect((await admin.put(record, { thumbnail_url: url })).json.data.thumbnail_url).toBe(url);
  });

  it.each([
    ['SVG', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'],
    ['HTML', '<!doctype html><script>alert(1)</script>'],
    ['a data URL', 'data:x/php;base64,PD9waHAgPz4='],
    ['nothing', ''],
    ['a picture that begins late', Buffer.concat([Buffer.from(' '), PNG])],
  ])('is not %s', async (_what, bytes) => {
    const { status, json } = await upload(bytes, 'x.png', 'image/png');
    expect([status, Object.keys(json.errors)]).toEqual([422, ['thumbnail']]);
  });

  it('has a largest size, comes as a form and to a record that is there', async () => {
    expect((await upload(Buffer.concat([PNG, Buffer.alloc(MAX_IMAGE)]))).status).toBe(413);
    expect((await put({ body: { thumbnail: 'x' } }, 'thumbnail', record)).status).toBe(415);
    expect((await put({}, 'thumbnail', record)).status).toBe(415);
    expect((await put(fileForm('picture', PNG), 'thumbnail', record)).status).toBe(422);
    expect((await put(fileForm('thumbnail', PNG), 'thumbnail', `/${resource}/missing`)).status).toBe(404);
  });

  it('stays while a record shows it, and goes with the last one', async () => {
    const own = Buffer.concat([GIF, Buffer.from(resource)]);
    const before = await files();
    const { json } = await upload(own);
    const url = json.data.thumbnail_url as string;
    const other = await admin.post('/products', { slug: `${slug}-b`, name: 'b', thumbnail_url: url });
    expect([other.status, other.json.data.thumbnail_url, await files()]).toEqual([201, url, before + 1]);
    await admin.delete(`${record}/thumbnail`);
    expect((await test.client.get(url)).status).toBe(200);
    await admin.put(`/products/${slug}-b`, { thumbnail_url: 'https://example.com/x.png' });
    expect([(await test.client.get(url)).status, await files()]).toEqual([404, before]);
    await upload(own);
    expect((await admin.delete(record)).status).toBe(200);
    expect(await files()).toBe(before);
  });
});
