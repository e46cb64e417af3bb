import { DocumentIndexes, SpecWorkers, type DocumentIndex } from '../../../src/domain/catalog/index.js';
import { DEPOT, HARBOUR, largeDocument } from '../../support/documents.js';
import { FakeClock } from '../../support/fake-clock.js';

let count = 0;

async function readIndexOf(document: object | string, indexes = new DocumentIndexes(new FakeClock())) {
  count += 1;
  const json = typeof document === 'string' ? document : JSON.stringify(document);
  return indexes.of(`hash-${count}`, () => Promise.resolve(json));
}

async function readIndex(document: object): Promise<DocumentIndex> {
  const index = await readIndexOf(document);
  if (!index) throw new Error('the document was not readIndex apart');
  return index;
}

// Tests read arbitrary records out of it.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
const json = (bytes: Buffer | null): any => JSON.parse(bytes?.toString() ?? 'null');
const minimal = (extra: object) => ({ openapi: '3.1.0', info: { title: 'T', version: '1' }, paths: {}, ...extra });

describe('a document readIndex apart', () => {
  it('lists its operations by tag, each with an address that lasts', async () => {
    const { outline, index } = await readIndex(HARBOUR);
    expect(outline.operations.map(({ method, path, tag, anchor }) => [method, path, tag, anchor])).toEqual([
      ['get', '/berths', 'Berths', 'listBerths'],
      ['post', '/berths', 'Berths', 'post-berths'],
      ['get', '/ships/{id}', 'Ships', 'ships-get-one'],
      ['put', '/ships/{id}', 'Ships', 'uploadPapers'],
      ['post', 'arrival', '', 'postarrival'],
    ]);
    const read = json(index);
    expect(read.tags.map(({ name }: { name: string }) => name)).toEqual(['Berths', 'Ships', '']);
    expect(read.servers[0].variables).toEqual([
      { name: 'region', description: '', value: 'north', choices: ['north', 'south'] },
    ]);
    expect(read.schemes.map(({ name, type, param }: Record<string, string>) => [name, type, param])).toEqual([
      ['key', 'apiKey', 'X-Harbour-Key'],
      ['token', 'oauth2', ''],
    ]);
    expect(read.operations[4][5]).toBe(2);
  });

  it('lists a summary as long as a description by its beginning, and has the whole of it with its operation', async () => {
    const summary = 'A short word '.repeat(100);
    const index = await readIndex(minimal({ paths: { '/talk': { get: { summary } } } }));
    expect(json(index.index).operations[0][2]).toBe(`${summary.slice(0, 300)}…`);
    expect(json(index.operation(0)).operation.summary).toBe(summary);
  });

  it('gives an operation with parameters of its path, and the schemas that it refers to', async () => {
    const index = await readIndex(HARBOUR);
    const { operation, schemas } = json(index.operation(0));
    expect(
      operation.parameters.map(({ name, explode }: { name: string; explode: boolean }) => [name, explode]),
    ).toEqual([
      ['lang', true],
      ['status', true],
      ['fields', false],
      ['limit', true],
    ]);
    expect(schemas.map(([pointer]: [string]) => pointer).sort()).toEqual([
      '#/components/schemas/Berth',
      '#/components/schemas/Named',
      '#/components/schemas/Ship',
    ]);
    expect(operation.responses[1].content[0].examples[0].value).toEqual({ title: 'Too many ships' });
    expect(json(index.operation(1)).operation.body.content[0].schema).toEqual({ $ref: '#/components/schemas/Berth' });
    expect(json(index.schema('#/components/schemas/Ship')).schema.properties.flag.enum).toEqual(['NL', 'NO']);
    for (const pointer of ['#', '#/info', '#/components/schemas/None', 'https://evil.example/x', '#/__proto__', '']) {
      expect([pointer, index.schema(pointer)]).toEqual([pointer, null]);
    }
    for (const number of [-1, 5, 1.5, Number.NaN]) expect(index.operation(number)).toBeNull();
  });

  it('says of Swagger 2.0 the same in the words of OpenAPI 3', async () => {
    const index = await readIndex(DEPOT);
    expect(index.outline.base).toBe('https://depot.example/api');
    const read = json(index.index);
    expect(read.schemes.map(({ type, scheme }: Record<string, string>) => `${type} ${scheme}`)).toEqual([
      'http basic',
      'apiKey ',
    ]);
    const [get, post, put] = ['getParcel', 'labelParcel', 'putParcel'].map((anchor) => {
      const number = index.outline.operations.findIndex((operation) => operation.anchor === anchor);
      return json(index.operation(number)).operation;
    });
    expect(get.parameters.map(({ name, schema }: { name: string; schema: object }) => [name, schema])).toEqual([
      ['id', { type: 'integer', format: 'int64' }],
      ['tags', { type: 'array', items: { type: 'string' } }],
    ]);
    expect(
      get.responses.map(({ status, content }: { status: string; content: object[] }) => [status, content.length]),
    ).toEqual([
      ['200', 2],
      ['404', 2],
    ]);
    expect(get.responses[0].content[0].examples).toMatchObject([{ name: '', value: { weight: 7 } }]);
    expect(put.body).toMatchObject({ required: true, content: [{ type: 'application/json' }] });
    expect(post.body.content[0]).toMatchObject({
      type: 'multipart/form-data',
      schema: { required: ['note'], properties: { label: { type: 'file' } } },
    });
  });

  it('believes nothing: whatever is missing or of another type is left out', async () => {
    const odd = [null, 7, 'x', [], [null], { a: null }, true];
    for (const value of odd) {
      const operation = Object.fromEntries(
        ['tags', 'summary', 'parameters', 'requestBody', 'responses', 'security', 'servers', 'callbacks'].map((key) => [
          key,
          value,
        ]),
      );
      const document = {
        ...{ openapi: value, info: value, servers: value, security: value, tags: value, webhooks: value },
        paths: { '/x': { parameters: value, get: operation, post: value }, '/y': value },
        components: value,
        securityDefinitions: value,
      };
      for (const one of [document, { ...document, swagger: '2.0', host: value, consumes: value, produces: value }]) {
        const index = await readIndex(one);
        expect([value, index.outline.operations.length]).toEqual([value, 1 + Number(isPlainObject(value))]);
        expect(json(index.operation(0))).toMatchObject({ schemas: [] });
      }
    }
  });

  it('stops at circles, at what lies elsewhere and at names of a prototype (S65)', async () => {
    const schemas = {
      Loop: { $ref: '#/components/schemas/Loop' },
      There: { $ref: '#/components/schemas/Back' },
      Back: { properties: { there: { $ref: '#/components/schemas/There' }, root: { $ref: '#' } } },
      Far: { $ref: 'https://evil.example/schema.json' },
      constructor: { type: 'string' },
    };
    const pointers = ['Loop', 'There', 'Far', 'constructor', 'toString'].map((name) => `#/components/schemas/${name}`);
    const parameters = [{ $ref: '#/components/parameters/A' }, { $ref: 'file:///etc/passwd' }, { $ref: '#/x~y%zz' }];
    const index = await readIndex(
      minimal({
        paths: {
          '/x': {
            get: {
              parameters,
              responses: { 200: { content: { x: { schema: { anyOf: pointers.map(($ref) => ({ $ref })) } } } } },
            },
          },
          '/y': { $ref: '#/paths/~1x' },
        },
        components: { schemas, parameters: { A: { $ref: '#/components/parameters/A' } } },
      }),
    );
    expect(index.outline.operations).toHaveLength(2);
    const { operation, schemas: found } = json(index.operation(0));
    expect(operation.parameters).toEqual([]);
    expect(found.map(([pointer]: [string]) => pointer)).toEqual(
      expect.arrayContaining(['Loop', 'There', 'Back', 'constructor'].map((name) => `#/components/schemas/${name}`)),
    );
    expect(found.map(([pointer]: [string]) => pointer)).not.toContain('#/components/schemas/toString');
  });

  it('does not grow with references that repeat a document', async () => {
    const leaf = { type: 'string', description: 'x'.repeat(300_000) };
    const names = Array.from({ length: 400 }, (_none, index) => `S${index}`);
    const schemas = Object.fromEntries(names.map((name) => [name, { allOf: [leaf], not: { $ref: '#/components' } }]));
    const index = await readIndexOf(
      minimal({
        paths: {
          '/x': {
            get: {
              requestBody: {
                content: { x: { schema: { anyOf: names.map((name) => ({ $ref: `#/components/schemas/${name}` })) } } },
              },
            },
          },
        },
        components: { schemas: Object.fromEntries(Object.entries(schemas).slice(0, 30)) },
      }),
    );
    expect(index?.size).toBeLessThan(40_000_000);
    expect(json(index?.schema('#/components') ?? null)?.schema ?? null).toBeNull();
  });
});

describe('taking apart', () => {
  it('happens once for a document, however many ask', async () => {
    const indexes = new DocumentIndexes(new FakeClock());
    let reads = 0;
    const read = () => {
      reads += 1;
      return Promise.resolve(JSON.stringify(HARBOUR));
    };
    const [first, second] = await Promise.all([indexes.of('a', read), indexes.of('a', read)]);
    expect([first === second, (await indexes.of('a', read)) === first, reads]).toEqual([true, true, 1]);
  });

  it.each([
    ['text that is no JSON', '{"openapi":'],
    ['no object', '[]'],
    [
      'what nests far too deep',
      `{"paths":{"/x":{"get":{"responses":{"200":{"content":{"x":{"schema":${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}}}}}}}}}`,
    ],
  ])('refuses %s, and does not try again for a minute', async (_what, document) => {
    const clock = new FakeClock();
    const indexes = new DocumentIndexes(clock);
    let reads = 0;
    const read = () => {
      reads += 1;
      return Promise.resolve(document);
    };
    expect([await indexes.of('x', read), await indexes.of('x', read), reads]).toEqual([null, null, 1]);
    clock.advance(61);
    await indexes.of('x', read);
    expect(reads).toBe(2);
  });

  it('gives up on what takes too long', async () => {
    const indexes = new DocumentIndexes(new FakeClock(), new SpecWorkers(0));
    expect(await readIndexOf(largeDocument(), indexes)).toBeNull();
  });
});

function isPlainObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
