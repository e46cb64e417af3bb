import { schema as github } from '@octokit/graphql-schema';
import { buildSchema, introspectionFromSchema, parse, validate } from 'graphql';
import { DocumentIndexes, type DocumentIndex } from '../../../src/domain/catalog/index.js';
import { readSpec } from '../../../src/domain/catalog/openapi/read-spec.js';
import { SpecRefusal } from '../../../src/domain/catalog/openapi/refusal.js';
import { isStoredSdl, looksLikeSdl } from '../../../src/domain/catalog/openapi/sdl.js';
import { FakeClock } from '../../support/fake-clock.js';
import { SHOP_SCHEMA } from '../../support/graphql-documents.js';

const MOST = 20_000_000;

async function indexOf(text: string): Promise<DocumentIndex> {
  const index = await new DocumentIndexes(new FakeClock()).of(text, () => Promise.resolve(text));
  if (!index) throw new Error('the schema was not taken apart');
  return index;
}
async function refusal(text: string): Promise<string> {
  try {
    await readSpec(text, MOST);
  } catch (error) {
    if (error instanceof SpecRefusal) return error.message;
    throw error;
  }
  return 'taken';
}

// Tests read arbitrary records out of it.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
const json = (bytes: Buffer | null): any => JSON.parse(bytes?.toString() ?? 'null');

describe('a GraphQL schema', () => {
  let index: DocumentIndex;
  beforeAll(async () => (index = await indexOf(SHOP_SCHEMA)));
  const operationAt = (name: string) => {
    const number = index.outline.operations.findIndex(({ path }) => path === name);
    return json(index.operation(number));
  };

  it('lists the fields of its root types as operations, with where it answers and what it asks for', () => {
    expect(index.outline).toMatchObject({ kind: 'graphql', format: 'GraphQL', base: null });
    expect(
      index.outline.operations.map(({ method, path, anchor, tag, isDeprecated }) => [
        method,
        path,
        anchor,
        tag,
        isDeprecated,
      ]),
    ).toEqual([
      ['query', 'product', 'query-product', 'Query', false],
      ['query', 'search', 'query-search', 'Query', false],
      ['query', 'legacy', 'query-legacy', 'Query', true],
      ['mutation', 'addItem', 'mutation-addItem', 'Mutation', false],
      ['subscription', 'basketChanged', 'subscription-basketChanged', 'Subscription', false],
    ]);
    expect(json(index.index)).toMatchObject({
      servers: [{ url: 'https://shop.larkmere.example/graphql', description: 'Production' }],
      security: [[{ name: 'key' }]],
      schemes: [{ name: 'key', type: 'apiKey', param: 'X-API-Key', in: 'header' }],
    });
  });

  it('gives each an own query that the schema takes, with its variables and an answer of its form', () => {
    const schema = buildSchema(SHOP_SCHEMA);
    for (const { path } of index.outline.operations) {
      const { query, responses } = operationAt(path).operation;
      expect(validate(schema, parse(query.text)).map(({ message }) => message)).toEqual([]);
      expect(Object.keys(responses[0].content[0].examples[0].value.data)).toEqual([path]);
    }
    expect(operationAt('addItem').operation.query).toMatchObject({
      variables: { basket: '1', item: { product: '1' } },
    });
    expect(operationAt('search').operation.query.text).toContain('... on Product {');
  });

  it('keeps what is said of arguments, fields, values and types: texts, defaults, directives, deprecation', () => {
    const { operation } = operationAt('search');
    expect(operation.description).toContain('- by name');
    expect(operation.description).toContain('`@cost(points: 10)`');
    expect(operation.parameters.map((one: { name: string; required: boolean }) => [one.name, one.required])).toEqual([
      ['text', true],
      ['first', false],
    ]);
    const { schemas } = operationAt('product');
    const known = new Map(schemas as [string, { properties: Record<string, object>; description: string }][]);
    const { properties, description } = known.get('#/components/schemas/Product') ?? {
      properties: {},
      description: '',
    };
    expect(description).toBe('What can be bought.');
    expect(properties.related).toMatchObject({ 'x-graphql-type': '[Product!]!' });
    expect(properties.price).toMatchObject({ description: expect.stringContaining('`currency: Currency = EUR`') });
    expect(properties.stock).toMatchObject({ deprecated: true, description: '`@deprecated` Ask `availability`.' });
    expect(known.get('#/components/schemas/Currency')).toMatchObject({ enum: ['EUR', 'USD', 'XXX'] });
  });

  it('is stored as its text, whether it comes as such or as the result of an introspection query', async () => {
    const { document, hash } = await readSpec(`\uFEFF${SHOP_SCHEMA}`, MOST);
    expect([document, isStoredSdl(document), hash.length]).toEqual([SHOP_SCHEMA, true, 64]);
    const result = introspectionFromSchema(buildSchema(SHOP_SCHEMA));
    for (const body of [{ data: result }, result]) {
      const { document: written } = await readSpec(JSON.stringify(body), MOST);
      expect(written).toContain('type Product implements Node {');
      expect((await indexOf(written)).outline.operations).toHaveLength(5);
    }
  });

  it('is told from YAML and JSON by how it begins', () => {
    for (const text of [
      'type Query { a: Int }',
      '# a\n"""b"""\ntype Query{a:Int}',
      '"a" scalar B',
      'extend type A { b: C }',
    ])
      expect(looksLikeSdl(text)).toBe(true);
    for (const text of [
      'openapi: 3.1.0',
      '{"openapi": "3.1.0"}',
      'type: object',
      '{type: object}',
      'schema: 1',
      '---\na: b',
      '',
    ])
      expect(looksLikeSdl(text)).toBe(false);
    expect(() => looksLikeSdl('query { a }')).toThrow('query of GraphQL');
    expect(() => looksLikeSdl('{ a { b } }')).toThrow('query of GraphQL');
  });
});

describe('what is no schema', () => {
  it('is refused with its place', async () => {
    expect(await refusal('type Query {\n  a: \n}')).toMatch(/line 3, column 1/);
    expect(await refusal('type Query { a: Missing }')).toMatch(/Missing.*line 1/);
    expect(await refusal('type Other { a: Int }')).toMatch(/Query root type/);
    expect(await refusal('type Query { a: Int }\nquery { a }')).toMatch(/query of GraphQL/);
    expect(await refusal(JSON.stringify({ __schema: { types: 7 } }))).toMatch(/introspection query cannot be read/);
  });

  it('and takes too much is refused in time: depth, size, circles of inputs, endless lists', async () => {
    expect(await refusal(`type Query { a: ${'['.repeat(5_000)}Int${']'.repeat(5_000)} }`)).toMatch(/nested|deep/i);
    expect(await refusal(`type Query { a(b: Int = ${'['.repeat(5_000)}) : Int }`)).toMatch(/nested|deep/i);
    expect(await refusal(`type Query { ${'a '.repeat(1_100_000)}: Int }`)).toMatch(/words and signs|Syntax/);
    expect(await refusal('type Query { a(b: B): Int } input B { b: B! }')).toMatch(/B/);
    expect(await refusal(`type Query { a: Int }\n# ${'x'.repeat(MOST)}`)).toMatch(/larger/);
  });
});

describe('hostile names and types', () => {
  it('make no query long, whatever refers to whatever', async () => {
    const types = Array.from({ length: 60 }, (_, number) => {
      const fields = Array.from({ length: 60 }, (_one, other) => `f${other}: T${other}!`).join(' ');
      return `type T${number} { id: ID! ${fields} }`;
    });
    const index = await indexOf(`type Query { start: T0! }\n${types.join('\n')}`);
    const { operation } = json(index.operation(0));
    expect(operation.query.text.split('\n').length).toBeLessThan(120);
  });

  it('such as __proto__ and constructor stay names', async () => {
    const index = await indexOf(
      'type Query { constructor: toString, hasOwnProperty(valueOf: Int): Int } type toString { toString: Int }',
    );
    expect(index.outline.operations.map(({ path }) => path)).toEqual(['constructor', 'hasOwnProperty']);
    expect(json(index.operation(0)).operation.query.text).toContain('constructor {');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

describe('the schema of GitHub', () => {
  it('is taken whole, and the queries of its fields are good ones', async () => {
    const text = github.idl;
    const { document } = await readSpec(text, MOST);
    const index = await indexOf(document);
    expect(index.outline.operations.length).toBeGreaterThan(250);
    const schema = buildSchema(text, { assumeValidSDL: true });
    const faults = index.outline.operations.flatMap(({ path }, number) => {
      const { operation } = json(index.operation(number));
      return validate(schema, parse(operation.query.text)).map(({ message }) => `${path}: ${message}`);
    });
    expect(faults).toEqual([]);
  });
});
