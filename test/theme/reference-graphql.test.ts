import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buildSchema, graphql } from 'graphql';
import type { Browser } from 'playwright-core';
import { AdminClient } from '../support/admin-client.js';
import { accessibilityFaults, openVisitor, startBrowser } from '../support/browser.js';
import { describeWith } from '../support/describe-with.js';
import { createProduct } from '../support/factories.js';
import { SHOP_SCHEMA } from '../support/graphql-documents.js';
import { PageClient } from '../support/page-client.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

let test: TestPortal;
let api: Server;
let origin: string;
/** Keys that calls to the API came with. */
const keys: unknown[] = [];

/** A GraphQL server that allows pages of other origins. */
async function startShop(): Promise<void> {
  const schema = buildSchema(SHOP_SCHEMA);
  const rootValue = {
    product: ({ id }: { id: string }) => ({
      id,
      name: `Product ${id}`,
      price: { amount: 1, currency: 'EUR' },
      related: [],
    }),
  };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const allowed = { 'access-control-allow-origin': '*', 'access-control-allow-headers': 'content-type, x-api-key' };
    if (request.method === 'OPTIONS') return response.writeHead(204, allowed).end();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    keys.push(request.headers['x-api-key']);
    const { query, variables } = JSON.parse(Buffer.concat(chunks).toString()) as { query: string; variables: object };
    const result = await graphql({
      schema,
      rootValue,
      source: query,
      variableValues: variables as Record<string, unknown>,
    });
    return response.writeHead(200, { ...allowed, 'content-type': 'application/json' }).end(JSON.stringify(result));
  };
  api = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
}

beforeAll(async () => {
  await startShop();
  test = await startTestPortal({ config: { catalog: { tryItOrigins: [origin] } } });
  const sdl = SHOP_SCHEMA.replace('https://shop.larkmere.example', origin);
  await createProduct(test, { slug: 'shop', name: 'Shop' }, sdl);
});
afterAll(async () => {
  await test.stop();
  api.close();
});

const SPEC = '/portal/products/shop/spec';
const open = (path: string, headers: Record<string, string> = {}) => new PageClient(test.client).get(path, { headers });

describe('a GraphQL schema', () => {
  it('is taken by REST as a file, as text and as the result of an introspection query, and refused with its fault', async () => {
    const admin = await AdminClient.create(test);
    await createProduct(test, { slug: 'fresh' });
    for (const spec of [SHOP_SCHEMA, 'type Query { hello: String }']) {
      expect((await admin.put('/products/fresh/spec', { spec })).status).toBe(200);
    }
    const { status, json } = await admin.put('/products/fresh/spec', { spec: 'type Query { hello: Nobody }' });
    expect([status, json.errors.spec?.[0]]).toEqual([422, expect.stringMatching(/Nobody.* at line 1, column 21/)]);
    const answer = await test.client.get('/api/v1/api-products/fresh/spec');
    expect([answer.text, answer.headers.get('content-type')]).toEqual([
      'type Query { hello: String }',
      'application/graphql; charset=utf-8',
    ]);
    const yaml = await test.client.get('/api/v1/api-products/fresh/spec', { headers: { accept: 'application/yaml' } });
    expect(yaml.headers.get('content-type')).toBe('application/graphql; charset=utf-8');
  });

  it('is shown in the frame of every document, without a script too, and downloaded as it is', async () => {
    expect((await open('/portal/products/shop')).html).toContain('GraphQL');
    const { html } = await open(SPEC);
    for (const part of ['query-search', 'addItem', 'Subscription', `${SPEC}?download=graphql`])
      expect(html).toContain(part);
    expect(html).not.toContain('download=yaml');
    const file = await open(`${SPEC}?download=graphql`);
    expect(file.html).toContain('type Product implements Node');
    expect(file.headers.get('content-disposition')).toBe('attachment; filename="shop.graphql"');
    const { html: text } = await open(`${SPEC}/operations/query-search.md`);
    for (const part of [
      '**QUERY** `search`',
      '- by name',
      '`text` · argument · `String!` · **required**',
      '[Found!]!',
      '### Call it',
      '/graphql',
      '"query":',
      '### Product',
    ]) {
      expect(text).toContain(part);
    }
    expect((await open(`${SPEC}/operations/subscription-basketChanged`)).html).not.toContain('curl');
    expect((await open(`${SPEC}/operations/mutation-addItem`)).html).toContain('id="schema-NewItem"');
  });

  it('is compared with nothing, and says so', async () => {
    const { comparer } = test.portal.services.catalog;
    await expect(comparer.diffTexts(SHOP_SCHEMA, SHOP_SCHEMA)).rejects.toThrow('one of these is GraphQL');
  });
});

describeWith('chromium', 'a GraphQL schema in a real browser', () => {
  let browser: Browser;
  beforeAll(async () => void (browser = await startBrowser()));
  afterAll(() => browser?.close());

  it.each([
    { colorScheme: 'light' },
    { colorScheme: 'dark', locale: 'ar', viewport: { width: 390, height: 844 } },
  ] as const)('shows queries, types and samples, and sends what is asked: %j', async (look) => {
    const visitor = await openVisitor(browser, test.client.url, look);
    const { page } = visitor;
    await page.goto(`${SPEC}#op-query-product`);
    await page.waitForSelector('.reference-operation');
    expect(await page.textContent('.reference-samples pre')).toContain('query Product($id: ID!) {');
    await page.selectOption('.reference-language', { label: 'curl' });
    expect(await page.textContent('.reference-samples pre')).toContain(`'${origin}/graphql'`);
    expect(await page.textContent('.reference-fields')).toContain('ID!');
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.click('.reference-open');
    await page.fill('.reference-try textarea >> nth=1', '{"id": ');
    expect(await page.isVisible('.reference-try .button-main')).toBe(false);
    await page.fill('.reference-try textarea >> nth=1', '{"id": "7"}');
    await page.fill('.reference-try input[type="password"]', 'my-key');
    await page.click('.reference-try .button-main');
    await page.waitForSelector('.reference-try .reference-body:has-text("Product 7")');
    expect(keys.at(-1)).toBe('my-key');
    expect(visitor.faults.filter((fault) => !fault.includes(origin))).toEqual([]);
    await page.goto(`${SPEC}#op-subscription-basketChanged`);
    await page.waitForSelector('.reference-operation:has-text("basketChanged")');
    expect(await page.textContent('.reference-samples pre')).toContain('subscription BasketChanged');
    expect(await page.isVisible('.reference-open')).toBe(false);
    await visitor.context.close();
  });
});
