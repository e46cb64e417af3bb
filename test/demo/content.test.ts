import { Ajv2020 } from 'ajv/dist/2020.js';
import { catalog, loadDocument, operationsOf, resolve, type Json, type JsonObject, type Product } from './support.js';

const SLUG = /^[a-z][a-z0-9-]{0,99}$/;
const ARABIC = /[\u0600-\u06FF]/;
const documented = catalog.products.filter((product) => product.spec);
const documents = documented.map((product) => ({ slug: product.slug, document: loadDocument(product) }));

/** Calls `visit` with every node of a JSON tree and the path that leads to it. */
function walk(node: Json, visit: (node: Json, path: string) => void, path = '#'): void {
  visit(node, path);
  if (node === null || typeof node !== 'object') return;
  for (const [key, value] of Object.entries(node)) walk(value, visit, `${path}/${key}`);
}

/** The examples of a media type object, `example` and `examples` alike, with references followed. */
function examplesOf(document: JsonObject, media: JsonObject): Json[] {
  const named = Object.values((media.examples ?? {}) as JsonObject);
  const values = named.map((example) => resolve(document, example).value ?? null);
  return media.example === undefined ? values : [media.example, ...values];
}

function mediaOf(document: JsonObject, node: Json | undefined): JsonObject {
  const content = (node === undefined ? {} : (resolve(document, node).content ?? {})) as JsonObject;
  return (content['application/json'] ?? {}) as JsonObject;
}

const products = (filter: Partial<Product>) =>
  catalog.products.filter((product) =>
    Object.entries(filter).every(([key, value]) => product[key as keyof Product] === value),
  );

describe('the demo catalog', () => {
  it('has the six products that the demo promises', () => {
    expect(catalog.products).toHaveLength(6);
    expect(products({ visibility: 'public', approval: 'auto' }).filter((product) => product.spec)).toHaveLength(3);
    expect(products({ visibility: 'public', approval: 'manual' }).filter((product) => product.spec)).toHaveLength(1);
    expect(products({ visibility: 'draft' })).toHaveLength(1);
    const hidden = products({ visibility: 'private' });
    expect(hidden.map((product) => [product.audiences, Boolean(product.spec)])).toEqual([[['partners'], true]]);
  });

  it.each(catalog.products)('describes $slug completely', (product) => {
    expect(product.slug).toMatch(SLUG);
    expect(product.gateway_product_id).toBe(product.slug);
    expect(product.short_description.length).toBeLessThanOrEqual(500);
    expect(product.description.split('\n\n').length).toBeGreaterThanOrEqual(3);
    expect(product.description).toMatch(/```bash\ncurl /);
    expect(product.tags.length).toBeGreaterThan(0);
    expect(product.tags.every((tag) => tag.length <= 50)).toBe(true);
  });

  it('names only categories and audiences that it defines, each once', () => {
    const slugs = catalog.categories.map((category) => category.slug);
    const audiences = catalog.audiences.map((audience) => audience.name);
    for (const names of [slugs, audiences, catalog.products.map((product) => product.slug)]) {
      expect(new Set(names).size).toBe(names.length);
    }
    expect(slugs.every((slug) => SLUG.test(slug))).toBe(true);
    for (const product of catalog.products) {
      expect(product.categories.length).toBeGreaterThan(0);
      expect(slugs).toEqual(expect.arrayContaining(product.categories));
      expect(audiences).toEqual(expect.arrayContaining(product.audiences));
    }
    for (const developer of catalog.developers) expect(audiences).toEqual(expect.arrayContaining(developer.audiences));
  });

  it.each([...catalog.products, ...catalog.categories])('is translated to Arabic: $slug', ({ translations }) => {
    expect(Object.keys(translations)).toEqual(['ar']);
    const { name, short_description, description } = translations.ar;
    for (const text of [name, short_description, description]) expect(text).toMatch(ARABIC);
  });

  it('has a header and a footer whose items lead somewhere in both languages', () => {
    expect(catalog.menus.map((menu) => menu.slug)).toEqual(['header', 'footer']);
    const items = catalog.menus.flatMap((menu) => menu.items.flatMap((item) => [item, ...(item.children ?? [])]));
    for (const item of items) {
      expect([item.url, item.route].filter(Boolean)).toHaveLength(1);
      expect(['everyone', 'guests', 'developers']).toContain(item.visibility);
      expect(item.translations.ar.label).toMatch(ARABIC);
    }
  });

  it('has three developers at reserved domains and no passwords', () => {
    expect(catalog.developers).toHaveLength(3);
    for (const developer of catalog.developers) {
      expect(developer.email).toMatch(/^[a-z.]+@example\.(com|org|net)$/);
      expect(Object.keys(developer).sort()).toEqual(['audiences', 'email', 'first_name', 'last_name']);
    }
  });
});

describe.each(documents)('the OpenAPI document of $slug', ({ document }) => {
  const operations = operationsOf(document);

  it('says who made it, where it is served and how to call it', () => {
    expect(document.openapi).toMatch(/^3\.(0|1)\.\d$/);
    const info = document.info as JsonObject;
    for (const field of ['title', 'version', 'description', 'contact', 'license']) expect(info[field]).toBeDefined();
    for (const server of document.servers as JsonObject[])
      expect(server.url).toMatch(/^https:\/\/\w+\.larkmere\.example\//);
    const schemes = (document.components as JsonObject).securitySchemes;
    expect(schemes).toMatchObject({ ApiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' } });
    expect(document.security).toEqual([{ ApiKey: [] }]);
  });

  it('has between 6 and 15 operations with unique camelCase ids', () => {
    expect(operations.length).toBeGreaterThanOrEqual(6);
    expect(operations.length).toBeLessThanOrEqual(15);
    const ids = operations.map(({ operation }) => operation.operationId as string);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z]+([A-Z][a-z]+)+$/);
  });

  it('resolves every reference, uses every component and holds no empty value', () => {
    const used = new Set<string>();
    walk(document, (node, path) => {
      expect({ path, empty: node === null }).toEqual({ path, empty: false });
      const reference = node !== null && typeof node === 'object' ? (node as JsonObject).$ref : undefined;
      if (typeof reference !== 'string') return;
      expect({ reference, found: resolve(document, node) !== undefined }).toEqual({ reference, found: true });
      used.add(reference);
    });
    for (const kind of ['schemas', 'responses', 'parameters', 'examples']) {
      const names = Object.keys(((document.components as JsonObject)[kind] ?? {}) as JsonObject);
      expect(names.filter((name) => !used.has(`#/components/${kind}/${name}`))).toEqual([]);
    }
  });

  it('gives every operation a summary, a description, a declared tag, and every path variable', () => {
    const tags = (document.tags as JsonObject[]).map((tag) => tag.name);
    for (const { operation, path, parameters } of operations) {
      expect(operation.summary).toMatch(/^[A-Z].*[^.]$/);
      expect(String(operation.description).length).toBeGreaterThan(20);
      expect(tags).toEqual(expect.arrayContaining(operation.tags as string[]));
      const declared = parameters
        .filter((parameter) => parameter.in === 'path')
        .map((parameter) => `{${parameter.name}}`);
      expect(declared.sort()).toEqual((path.match(/\{\w+\}/g) ?? []).sort());
      for (const parameter of parameters)
        expect(parameter).toMatchObject({ description: /./, example: expect.anything() });
    }
  });

  it('answers every operation with a good and a bad example that obey their schemas', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
    ajv.addSchema({ $id: 'document', ...document });
    const obeys = (media: JsonObject, where: string) => {
      const schema = media.schema as JsonObject;
      const validate = ajv.compile({ $ref: `document${schema.$ref as string}` });
      for (const example of examplesOf(document, media)) {
        validate(example);
        expect({ where, errors: validate.errors ?? [] }).toEqual({ where, errors: [] });
      }
      return examplesOf(document, media).length > 0;
    };
    for (const { operation, path } of operations) {
      const statuses = Object.entries(operation.responses as JsonObject);
      const shown = statuses.filter(([status, response]) => obeys(mediaOf(document, response), `${path} ${status}`));
      expect(shown.map(([status]) => status)).toEqual(statuses.map(([status]) => status));
      expect(statuses.some(([status]) => status.startsWith('2'))).toBe(true);
      expect(statuses.map(([status]) => status)).toEqual(expect.arrayContaining(['401', '403', '429']));
      if (operation.requestBody) expect(obeys(mediaOf(document, operation.requestBody), `${path} body`)).toBe(true);
    }
  });
});
