import { SpecComparer, SpecWorkers, type SpecDiff } from '../../../src/domain/catalog/index.js';
import { diffSpecs } from '../../../src/domain/catalog/openapi/diff/diff-documents.js';
import { RULES } from '../../../src/domain/catalog/openapi/diff/rules.js';
import {
  content,
  document,
  field,
  header,
  parameter,
  request,
  response,
  type Json,
} from '../../support/small-specs.js';

const TODAY = '2026-11-23';
const POLICY = { today: TODAY, sunsetDays: 0 };

const seen = new Set<string>();
function ids(old: Json, present: Json, sunsetDays = 0): string[] {
  const { changes } = diffSpecs(old, present, { today: TODAY, sunsetDays });
  for (const { id } of changes) seen.add(id);
  return changes.map(({ level, id }) => `${level} ${id}`).sort();
}

/** Schemas whose change in either direction is one of the rules; with the ends of their names. */
const PAIRS: readonly (readonly [Json, Json])[] = [
  [{ type: 'object' }, { type: 'object', additionalProperties: false }],
  ...[
    'maximum',
    'minimum',
    'exclusiveMaximum',
    'exclusiveMinimum',
    'maxLength',
    'minLength',
    'maxItems',
    'minItems',
  ].map((keyword) => [{ [keyword]: 5 }, { [keyword]: 6 }] as const),
  ...['maxProperties', 'minProperties', 'maxContains', 'minContains'].map(
    (keyword) => [{ [keyword]: 5 }, { [keyword]: 6 }] as const,
  ),
  [{ multipleOf: 2 }, { multipleOf: 4 }],
  [{ multipleOf: 2 }, { multipleOf: 3 }],
  [{ uniqueItems: true }, {}],
  [{ type: 'integer' }, { type: 'number' }],
  [{ type: 'string' }, { type: 'boolean' }],
  [{ type: 'string' }, { type: ['string', 'integer'] }],
  [{ type: 'boolean' }, { oneOf: [{ type: 'boolean' }, { type: 'integer' }] }],
  [{ type: 'string' }, { type: ['string', 'null'] }],
  [{ allOf: [{ pattern: 'a' }] }, { allOf: [{ pattern: 'a' }, { pattern: 'b' }] }],
  [{ allOf: [{ pattern: 'a' }] }, { allOf: [{ pattern: 'a' }, { description: 'b' }] }],
  [{ properties: { a: {} } }, { oneOf: [{ properties: { a: {} } }, { title: 'B', required: ['b'] }] }],
  [{ const: 1 }, { const: 2 }],
  [{ default: 1 }, { default: 2 }],
  [{ enum: ['a'] }, { enum: ['a', 'b'] }],
  [{}, { enum: ['a'] }],
  [{ 'x-extensible-enum': ['a'] }, { 'x-extensible-enum': ['a', 'b'] }],
  [{ pattern: 'a' }, { pattern: 'b' }],
  [{ pattern: 'a' }, { pattern: '.*' }],
  [{ oneOf: [{ title: 'A' }] }, { oneOf: [{ title: 'A' }, { title: 'B' }] }],
  [{ anyOf: [{ title: 'A' }] }, { anyOf: [{ title: 'A' }, { title: 'B' }] }],
  [{ properties: { a: {} } }, { oneOf: [{ title: 'A' }] }],
  [{ dependentRequired: { a: ['b'] } }, { dependentRequired: { a: ['c'] } }],
  [{ contentMediaType: 'a/b' }, { contentMediaType: 'a/c' }],
  [{ contentEncoding: 'base64' }, { contentEncoding: 'base32' }],
  [{ prefixItems: [{}] }, { prefixItems: [{}, {}] }],
  [{ discriminator: { propertyName: 'a' } }, { discriminator: { propertyName: 'b' } }],
  [{ discriminator: { propertyName: 'a' } }, { discriminator: { propertyName: 'a', mapping: { x: 'y' } } }],
  [
    { discriminator: { propertyName: 'a', mapping: { x: 'y' } } },
    { discriminator: { propertyName: 'a', mapping: { x: 'z' } } },
  ],
  ...[
    'if',
    'then',
    'else',
    'contains',
    'propertyNames',
    'unevaluatedItems',
    'unevaluatedProperties',
    'contentSchema',
  ].map((keyword) => [{}, { [keyword]: {} }] as const),
  [{}, { dependentSchemas: { a: {} } }],
  [{}, { patternProperties: { a: {} } }],
  [field({}), { ...field({}), required: ['a'] }],
  [field({ default: 1 }), { ...field({ default: 1 }), required: ['a'] }],
  [{ type: 'object' }, field({})],
  [{ type: 'object' }, { ...field({}), required: ['a'] }],
  [{ type: 'object' }, { ...field({ default: 1 }), required: ['a'] }],
  [{ type: 'object' }, field({ writeOnly: true })],
  [{ type: 'object' }, { ...field({ writeOnly: true }), required: ['a'] }],
  [field({ writeOnly: true }), { ...field({ writeOnly: true }), required: ['a'] }],
  [field({ deprecated: true }), field({})],
  ...[{ readOnly: true }, { writeOnly: true }].flatMap((keyword) => [
    [field({}), field(keyword)] as const,
    [
      { ...field({}), required: ['a'] },
      { ...field(keyword), required: ['a'] },
    ] as const,
    [field({ ...keyword, enum: ['a'] }), field({ ...keyword, enum: ['a', 'b'] })] as const,
    ...['maximum', 'minimum', 'exclusiveMaximum', 'exclusiveMinimum', 'maxLength', 'maxItems', 'maxProperties'].map(
      (name) => [field({ ...keyword, [name]: 5 }), field({ ...keyword, [name]: 6 })] as const,
    ),
  ]),
];

const security = [{ key: [] }];
const scoped = (...scopes: string[]) => [{ oauth: scopes }];
const both = (old: Json, present: Json) => [...ids(old, present), ...ids(present, old)];

describe('the difference of two documents', () => {
  it.each([
    ['nothing for the same document', request(field({})), request(field({})), []],
    [
      'a path that is gone',
      document({}),
      document({}, { paths: {} }),
      ['breaking api-path-removed-without-deprecation'],
    ],
    [
      'a path that is gone after it was deprecated',
      document({ deprecated: true }),
      document({}, { paths: {} }),
      ['info api-path-removed-with-deprecation'],
    ],
    [
      'a path that is gone before its sunset',
      document({ deprecated: true, 'x-sunset': '2027-01-01' }),
      document({}, { paths: {} }),
      ['breaking api-path-removed-before-sunset'],
    ],
    [
      'nothing of one gone after its sunset',
      document({ deprecated: true, 'x-sunset': '2026-01-01' }),
      document({}, { paths: {} }),
      [],
    ],
    [
      'a path that is gone and whose sunset nobody can read',
      document({ deprecated: true, 'x-sunset': 'soon' }),
      document({}, { paths: {} }),
      ['breaking api-path-sunset-parse'],
    ],
    [
      'a method that is gone, and one that is new',
      document({}),
      document({}, { paths: { '/pets': { get: { responses: {} } } } }),
      ['breaking api-removed-without-deprecation', 'info endpoint-added'],
    ],
    [
      'a call that needs a key now',
      document({}),
      document({ security }),
      ['breaking api-security-removed', 'info api-security-added'],
    ],
    [
      'a scope that is needed now',
      document({ security: scoped('a') }),
      document({ security: scoped('a', 'b') }),
      ['breaking api-security-scope-added'],
    ],
    [
      'nothing for a variable of a path with another name',
      document(
        {},
        {
          paths: {
            '/a/{x}': { get: { parameters: [{ name: 'x', in: 'path', required: true, schema: { type: 'string' } }] } },
          },
        },
      ),
      document(
        {},
        {
          paths: {
            '/a/{y}': { get: { parameters: [{ name: 'y', in: 'path', required: true, schema: { type: 'string' } }] } },
          },
        },
      ),
      [],
    ],
    [
      'a value of a request that is gone',
      request(field({ enum: ['a', 'b'] })),
      request(field({ enum: ['a'] })),
      ['breaking request-property-enum-value-removed'],
    ],
    [
      'a value of a response that is new',
      response(field({ enum: ['a'] })),
      response(field({ enum: ['a', 'b'] })),
      ['warning response-property-enum-value-added'],
    ],
    [
      'a list of values of a response that is dropped whole',
      response(field({ type: 'string', enum: ['a', 'b'] })),
      response(field({ type: 'string' })),
      ['warning response-property-enum-removed'],
    ],
    [
      'the same of a request, which takes more now',
      request(field({ type: 'string', enum: ['a', 'b'] })),
      request(field({ type: 'string' })),
      ['info request-property-enum-removed'],
    ],
    [
      'no dropped list where one value is left as const',
      response(field({ enum: ['a'] })),
      response(field({ const: 'a' })),
      ['info response-property-const-added'],
    ],
    [
      'a body that takes no other fields any more',
      request({ type: 'object', properties: { a: {} } }),
      request({ type: 'object', properties: { a: {} }, additionalProperties: false }),
      ['breaking request-body-additional-properties-forbidden'],
    ],
    [
      'the same of a field, for good',
      request(field({ type: 'object', additionalProperties: false })),
      request(field({ type: 'object', additionalProperties: { type: 'string' } })),
      ['info request-property-additional-properties-allowed'],
    ],
    [
      'a response that may have other fields',
      response({ type: 'object', additionalProperties: false }),
      response({ type: 'object' }),
      ['info response-body-additional-properties-allowed'],
    ],
    [
      'a field that requests need now',
      request(field({})),
      request({ ...field({}), properties: { a: {}, b: {} }, required: ['b'] }),
      ['breaking new-required-request-property'],
    ],
    [
      'the same field, when it stands in allOf',
      request(field({})),
      request({ allOf: [field({}), { properties: { b: {} }, required: ['b'] }] }),
      ['breaking new-required-request-property'],
    ],
    [
      'nothing for nullable said as in 3.1',
      request(field({ type: 'string', nullable: true })),
      request(field({ type: ['string', 'null'] })),
      [],
    ],
    ['nothing for a limit that limits nothing', request(field({ minLength: 0 })), request(field({})), []],
    [
      'nothing for an exclusive bound said as in 3.1',
      request({ maximum: 5, exclusiveMaximum: true }),
      request({ exclusiveMaximum: 5 }),
      [],
    ],
    [
      'a header that is gone',
      header({ type: 'string' }),
      response({}),
      ['info response-media-type-added', 'warning optional-response-header-removed'],
    ],
    [
      'an address that is gone, and one that is new; one that ends with a slash is the same',
      document({}, { servers: [{ url: 'https://a.example/v1/' }, { url: 'https://b.example' }] }),
      document({}, { servers: [{ url: 'https://a.example/v1' }, { url: 'https://c.example' }] }),
      ['info api-server-added', 'warning api-server-removed'],
    ],
    ['nothing of them where one has none', document({}, { servers: [{ url: 'https://a.example' }] }), document({}), []],
  ] as [string, Json, Json, string[]][])('tells %s', (_what, old, present, expected) => {
    expect(ids(old, present)).toEqual(expected);
  });

  it.each([
    ['number', 'integer', 'breaking request-property-type-changed', 'info response-property-type-specialized'],
    ['integer', 'number', 'info request-property-type-generalized', 'breaking response-property-type-generalized'],
    ['string', 'boolean', 'breaking request-property-type-changed', 'breaking response-property-type-changed'],
  ])('tells a type %s that becomes %s by who sends it', (old, present, ofRequest, ofResponse) => {
    const [before, after] = [field({ type: old }), field({ type: present })];
    expect([...ids(request(before), request(after)), ...ids(response(before), response(after))]).toEqual([
      ofRequest,
      ofResponse,
    ]);
  });

  it('is the same whether a document is Swagger 2.0 or OpenAPI 3', () => {
    const swagger = {
      ...{ swagger: '2.0', host: 'a.example', basePath: '/v1' },
      info: { title: 'T', version: '1' },
      definitions: { Pet: field({ type: 'string' }) },
      paths: {
        '/pets': {
          post: {
            parameters: [
              { name: 'limit', in: 'query', type: 'integer', maximum: 5 },
              { name: 'body', in: 'body', required: true, schema: { $ref: '#/definitions/Pet' } },
            ],
            responses: { 200: { description: 'ok', schema: { $ref: '#/definitions/Pet' } } },
          },
        },
      },
    };
    const pet = { $ref: '#/components/schemas/Pet' };
    const openapi = document(
      {
        parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer', maximum: 5 } }],
        requestBody: { required: true, content: content(pet) },
        responses: { 200: { description: 'ok', content: content(pet) } },
      },
      { servers: [{ url: 'https://a.example/v1' }], components: { schemas: { Pet: field({ type: 'string' }) } } },
    );
    expect(both(swagger, openapi)).toEqual([]);
  });

  it('says where, with the operation, the field and a pointer', () => {
    const [change] = diffSpecs(
      request(field(field({ enum: [1, 2] }))),
      request(field(field({ enum: [1] }))),
      POLICY,
    ).changes;
    expect(change).toMatchObject({
      operation: 'POST /pets',
      pointer: '/paths/~1pets/post/requestBody/content/application~1json/schema/a/a',
      old: '2',
      new: null,
      message: { about: 'request-property', what: 'enum-value-removed', values: { name: 'a.a', old: '2' } },
    });
  });

  it('puts no control characters of a document into a report', () => {
    const [change] = diffSpecs(
      request(field({ enum: ['a\u001b[31m\u202e', 'b'] })),
      request(field({ enum: ['b'] })),
      POLICY,
    ).changes;
    expect(change?.old).toBe('a [31m ');
    const answer = (type: string) => document({ responses: { '200\u001b[31m\n# a': { content: content({ type }) } } });
    const [other] = diffSpecs(answer('string'), answer('boolean'), POLICY).changes;
    expect(other?.message.values.status).toBe('200 [31M # A');
  });
});

describe('the rules', () => {
  it('are all reached by some document', () => {
    for (const [old, present] of PAIRS) {
      for (const place of [request, response, header, parameter, (schema: unknown) => parameter(schema, 'header')]) {
        both(place(old), place(present));
        both(place({}), place(old));
        both(place(field(old)), place(field(present)));
        both(place(field({})), place(field(old)));
      }
    }
    const q = (facts: Json = {}) => document({ parameters: [{ name: 'q', in: 'query', ...facts }] });
    const path = (parameters: unknown[]) =>
      document({}, { paths: { '/pets/{id}': { parameters, get: { parameters: [] } } } });
    const at = { name: 'id', in: 'path', required: true };
    both(path([]), path([at]));
    both(path([]), path([{ name: 'q', in: 'query' }]));
    both(path([]), path([{ name: 'q', in: 'query', required: true }]));
    both(document({}), q());
    both(document({}), q({ required: true }));
    both(q(), q({ required: true }));
    both(q(), q({ deprecated: true }));
    for (const sunset of [undefined, '2027-01-01', 'soon'])
      ids(q({ deprecated: true, 'x-sunset': sunset }), document({}));
    const none = { paths: { '/pets': {} } };
    for (const sunset of [undefined, '2027-01-01']) {
      const deprecated = { deprecated: true, 'x-sunset': sunset };
      ids(document(deprecated), document({}, none));
      both(document({}), document(deprecated));
      both(document({ deprecated: true }), document(deprecated));
    }
    both(document({ operationId: 'a', tags: ['a'] }), document({}));
    both(document({}, { security }), document({}, { security: scoped('a') }));
    both(document({}, { security: scoped('a') }), document({}, { security: scoped('b') }));
    both(document({ security: scoped('a') }), document({ security: scoped('b') }));
    const schemes = (type: string) =>
      document({}, { components: { securitySchemes: { a: { type } }, schemas: { A: {} } } });
    both(document({}), schemes('http'));
    both(schemes('http'), schemes('apiKey'));
    both(document({}, { webhooks: { a: { post: {} } } }), document({}));
    const sunsets = (sunset?: string) => document({ deprecated: true, ...(sunset && { 'x-sunset': sunset }) });
    both(sunsets('2030-01-01'), sunsets('soon'));
    ids(document({}), sunsets('soon'));
    for (const level of ['beta', 'gamma']) both(document({}), document({ 'x-stability-level': level }));
    const flow = (url: string, scopes: Json) => ({ authorizationUrl: url, tokenUrl: url, scopes });
    const oauth = (implicit: Json) =>
      document({}, { components: { securitySchemes: { a: { type: 'oauth2', flows: { implicit } } } } });
    both(oauth(flow('https://a.example', { a: 'A', b: 'B' })), oauth(flow('https://b.example', { a: 'AA', c: 'C' })));
    for (const of of [request, response]) {
      const said = (facts: Json) => of(field({ type: 'string', ...facts }));
      for (const sunset of ['2030-01-01', 'soon']) both(said({}), said({ deprecated: true, 'x-sunset': sunset }));
      both(said({}), said({ 'x-stability-level': 'alpha' }));
    }
    const old = (facts: Json) => document({ parameters: [{ name: 'q', in: 'query', deprecated: true, ...facts }] });
    both(old({}), old({ 'x-sunset': '2030-01-01' }));
    const hook = (operation: Json) => document({}, { webhooks: { a: { post: operation } } });
    const sent = (facts: Json) => hook({ requestBody: { content: content({}), ...facts } });
    both(sent({}), sent({ required: true }));
    both(hook({ responses: { 200: {} } }), hook({ responses: {} }));
    const body = (facts: Json) => document({ requestBody: { content: {}, ...facts } });
    both(document({}), body({}));
    both(document({}), body({ required: true }));
    both(body({}), body({ required: true }));
    const answer = (status: number, facts: Json) => document({ responses: { [status]: facts } });
    for (const keyword of ['schema', 'itemSchema']) {
      const types = (schema: Json) => ({ content: { 'a/b': schema } });
      both(body({}), body(types({})));
      both(body(types({})), body(types({ [keyword]: {} })));
      both(answer(200, {}), answer(200, types({})));
      both(answer(200, types({})), answer(200, types({ [keyword]: {} })));
      both(answer(200, types({ schema: {} })), answer(200, types({ schema: {}, [keyword]: {} })));
    }
    both(document({}), answer(200, {}));
    both(document({}), answer(400, {}));
    const headers = (facts: Json) => answer(200, { headers: { 'X-A': facts } });
    both(answer(200, {}), headers({}));
    both(answer(200, {}), headers({ required: true }));
    both(headers({}), headers({ required: true }));
    const named = (...names: string[]) => answer(200, { content: Object.fromEntries(names.map((name) => [name, {}])) });
    both(named('application/json'), named('application/problem+json'));
    for (const [was, is] of [
      [{}, {}],
      [{}, { 'x-sunset': '2026-12-01' }],
    ]) {
      for (const place of [
        q,
        document,
        (facts: Json) => request(field(facts)),
        (facts: Json) => response(field(facts)),
      ]) {
        ids(place({ ...was }), place({ ...is, deprecated: true }), 30);
      }
    }
    for (const place of [q, document]) {
      ids(
        place({ deprecated: true, 'x-sunset': '2030-01-01' }),
        place({ deprecated: true, 'x-sunset': '2026-12-01' }),
        30,
      );
    }
    expect([...RULES.keys()].filter((id) => !seen.has(id))).toEqual([]);
  });
});

describe('a document made to be slow', () => {
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const ring = (length: number, leaf: string) =>
    Object.fromEntries(
      Array.from({ length }, (_, index) => [
        `S${index}`,
        { ...field(ref(`S${(index + 1) % length}`)), ...(index === 0 ? { enum: [leaf] } : {}) },
      ]),
    );
  const of = (schemas: Json) => document({ requestBody: { content: content(ref('S0')) } }, { components: { schemas } });

  it('ends, when its schemas go round in circles of different lengths', () => {
    expect(diffSpecs(of(ring(97, 'a')), of(ring(89, 'b')), POLICY).counts.breaking).toBeGreaterThan(0);
  });

  it('ends, when its allOf doubles with each level or holds itself', () => {
    const doubling = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [`S${index}`, { allOf: [ref(`S${index + 1}`), ref(`S${index + 1}`)] }]),
    );
    expect(diffSpecs(of(doubling), of({ S0: { allOf: [ref('S0')] } }), POLICY).isComplete).toBe(true);
  });

  it('has a thousand changes listed, the breaking ones, and the rest counted', () => {
    const wide = (prefix: string) =>
      document(
        {},
        { paths: Object.fromEntries(Array.from({ length: 3000 }, (_, index) => [`/${prefix}${index}`, { get: {} }])) },
      );
    const { changes, counts, more } = diffSpecs(wide('a'), wide('b'), POLICY);
    expect(counts).toEqual({ breaking: 3000, warning: 0, info: 3000 });
    expect([changes.length, more]).toEqual([1000, 5000]);
    expect(changes.every(({ level }) => level === 'breaking')).toBe(true);
  });

  it('changes no prototype', () => {
    const text = '{"type":"object","properties":{"__proto__":{"enum":["a","b"]},"constructor":{"enum":["a"]}}}';
    diffSpecs(request(JSON.parse(text)), request(JSON.parse(text.replace(',"b"', ''))), POLICY);
    expect(({} as Json).enum).toBeUndefined();
  });
});

describe('comparing off the event loop', () => {
  const comparer = new SpecComparer({ now: () => new Date(TODAY) }, 1_000_000, 0, new SpecWorkers());
  const yaml = (path: string) =>
    `openapi: 3.0.3\ninfo: { title: T, version: '1' }\npaths: { ${path}: { get: { responses: {} } } }`;

  it('reads JSON and YAML', async () => {
    const { counts }: SpecDiff = await comparer.diffTexts(yaml('/a'), JSON.stringify(document({})));
    expect(counts).toEqual({ breaking: 1, warning: 0, info: 1 });
  });

  it('names the document that cannot be read, and refuses AsyncAPI', async () => {
    await expect(comparer.diffTexts(yaml('/a'), '{')).rejects.toMatchObject({ field: 'new' });
    const async = { asyncapi: '3.0.0', info: { title: 'T', version: '1' }, channels: {} };
    await expect(comparer.diffTexts(yaml('/a'), JSON.stringify(async))).rejects.toThrow(/one of these is AsyncAPI/);
  });
});
