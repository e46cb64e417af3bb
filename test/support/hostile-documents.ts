const RUN = 'window.__xss=1';

/** Texts that would run, leave the page or load something, if anything took them for more than text. */
const TEXTS: Readonly<Record<string, string>> = {
  'an element with a handler': `<img src=x onerror=${RUN}>`,
  'a script': `</script></style></textarea></title><script>${RUN}</script>`,
  'an end of an attribute': `"'><svg onload=${RUN}>`,
  'an address that runs': `javascript:${RUN}`,
  'an address that hides that it runs': `\u0001java\tscript:${RUN}//`,
  'an address with a page in it': `data:text/html,<script>${RUN}</script>`,
  'Markdown that runs': `[x](javascript:${RUN}) ![x](https://evil.example/x.png) <https://evil.example> [x]: javascript:${RUN}`,
  'an address of nobody': '//evil.example/x',
  'a template': '{{constructor.constructor("alert(1)")()}}${alert(1)}<%= 1 %>',
  'a name of a prototype': '__proto__',
  'another one': 'constructor',
  'a style': `</style><style>@import url(https://evil.example/x.css);body{background:url(https://evil.example/y)}</style>`,
  'a frame': `<iframe src=https://evil.example></iframe><object data=https://evil.example></object><base href=https://evil.example>`,
  'an end of a string': `\\'"\`;$(touch x)\n<!--]]>\u2028\u202e`,
};

/** A text in every place of a document that holds one, names included. */
function filledWith(text: string): object {
  const schema = {
    type: 'object',
    title: text,
    description: text,
    required: [text],
    default: text,
    pattern: text,
    format: text,
    enum: [text],
    example: { [text]: text },
    properties: {
      [text]: { type: 'string', description: text, enum: [text] },
      again: { $ref: '#/components/schemas/A' },
    },
    additionalProperties: { type: text, description: text },
    oneOf: [{ $ref: '#/components/schemas/A' }, { type: 'string', const: text }],
    externalDocs: { url: text },
  };
  const content = {
    [text]: { schema, example: text },
    'application/json': { schema, examples: { [text]: { value: { [text]: text }, summary: text } } },
  };
  const operation = (id: string) => ({
    ...{ tags: [text], summary: text, description: text, operationId: id },
    externalDocs: { url: text, description: text },
    parameters: ['query', 'header', 'path', 'cookie', text].map((place) => ({
      ...{ name: text, in: place, description: text, schema, example: text, required: true },
    })),
    requestBody: { description: text, content },
    responses: {
      200: { description: text, headers: { [text]: { description: text, schema } }, content },
      [text]: { description: text },
    },
    callbacks: { [text]: { [text]: { post: { summary: text } } } },
    servers: [{ url: text, description: text, variables: { [text]: { default: text, enum: [text] } } }],
    security: [{ [text]: [text] }, { A: [text] }],
  });
  return {
    openapi: '3.1.0',
    info: {
      ...{ title: text, version: text, description: text, summary: text, termsOfService: text },
      contact: { name: text, url: text, email: text },
      license: { name: text, url: text, identifier: text },
    },
    externalDocs: { url: text, description: text },
    servers: [{ url: text, description: text }],
    tags: [{ name: text, description: text, externalDocs: { url: text } }],
    paths: { [`/${text}/{${text}}`]: { get: operation(text), post: operation('') } },
    webhooks: { [text]: { post: operation(text) } },
    components: {
      schemas: { A: schema, [text]: schema },
      securitySchemes: {
        A: { type: 'apiKey', in: 'header', name: text, description: text },
        [text]: {
          ...{ type: 'oauth2', description: text, openIdConnectUrl: text },
          flows: { implicit: { authorizationUrl: text, tokenUrl: text, scopes: { [text]: text } } },
        },
      },
    },
  };
}

const operationOf = (schema: unknown, more: object = {}) => ({
  openapi: '3.1.0',
  info: { title: 'Hostile', version: '1', ...more },
  paths: { '/x': { post: { requestBody: { content: { 'application/json': { schema } } }, responses: {} } } },
});

/** What is written in the row of a product is not always what an upload would take. */
const SHAPES: Readonly<Record<string, object>> = {
  'references to other places': {
    ...operationOf({
      anyOf: [{ $ref: 'https://evil.example/a.json' }, { $ref: '//evil.example/b' }, { $ref: 'file:///etc/passwd' }],
    }),
    paths: {
      '/x': {
        post: {
          parameters: [{ $ref: 'https://evil.example/p.json' }],
          requestBody: {
            content: {
              'application/json': { schema: { properties: { far: { $ref: 'https://evil.example/s.json' } } } },
            },
          },
          responses: { 200: { $ref: 'https://evil.example/r.json' } },
        },
      },
    },
  },
  circles: {
    ...operationOf({ $ref: '#/components/schemas/A' }),
    components: {
      schemas: {
        A: { allOf: [{ $ref: '#/components/schemas/B' }], properties: { a: { $ref: '#/components/schemas/A' } } },
        B: { allOf: [{ $ref: '#/components/schemas/A' }], items: { $ref: '#/components/schemas/B' } },
        C: { $ref: '#/components/schemas/C' },
      },
    },
  },
  depth: operationOf(
    Array.from({ length: 900 }).reduce<object>((inner) => ({ type: 'object', properties: { deeper: inner } }), {
      type: 'string',
    }),
  ),
  'long texts': operationOf(
    {
      type: 'object',
      description: 'x'.repeat(300_000),
      properties: { ['n'.repeat(100_000)]: { type: 'y'.repeat(100_000) } },
    },
    { title: 't'.repeat(300_000), description: '<b>'.repeat(100_000) },
  ),
  'many of everything': operationOf({
    type: 'object',
    properties: Object.fromEntries(Array.from({ length: 4_000 }, (_none, index) => [`p${index}`, { type: 'string' }])),
    enum: Array.from({ length: 4_000 }, (_none, index) => index),
    anyOf: Array.from({ length: 2_000 }, (_none, index) => ({ const: index })),
  }),
  'Markdown that takes long': operationOf(
    { type: 'string' },
    {
      description: ['*', '[', '`', '_', '![', '<', '|\n|-', '(', '> ', '- ']
        .map((piece) => piece.repeat(Math.ceil(4_500 / piece.length)))
        .join('\n\n'),
    },
  ),
  'types that are no types': operationOf({
    ...{ type: { toString: 'x' }, properties: ['x', null], required: { length: 1e9 }, enum: { 0: 'x' }, items: 'x' },
    ...{
      allOf: 'x',
      oneOf: [null, 7, 'x', []],
      description: { toString: null },
      format: [],
      additionalProperties: 'x',
    },
  }),
  'names of a prototype': JSON.parse(
    `{"openapi":"3.1.0","info":{"title":"P","version":"1","__proto__":{"isAdmin":true}},"__proto__":{"isAdmin":true},
      "paths":{"__proto__":{"get":{"summary":"proto","responses":{}}},"/x":{"get":{"parameters":[{"name":"__proto__","in":"query",
      "schema":{"type":"object","properties":{"__proto__":{"type":"string"},"hasOwnProperty":{"type":"string"},"toString":{"example":1}}}}],
      "requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/__proto__"}}}},"responses":{}}}},
      "components":{"schemas":{"__proto__":{"type":"object","properties":{"constructor":{"type":"string"}}}}}}`,
  ) as object,
};

/** Every hostile document, by what it tries. */
/** The same in AsyncAPI. */
function eventsFilledWith(text: string): object {
  const schema = {
    type: 'object',
    title: text,
    description: text,
    properties: { [text]: { type: 'string', enum: [text] } },
  };
  const message = {
    ...{ name: text, title: text, summary: text, description: text, contentType: text, bindings: { [text]: text } },
    headers: { type: 'object', properties: { [text]: { type: 'string', description: text } } },
    payload: schema,
    examples: [{ name: text, summary: text, payload: { [text]: text } }],
  };
  return {
    asyncapi: '3.0.0',
    info: { title: text, version: text, description: text },
    defaultContentType: text,
    servers: {
      [text]: {
        host: text,
        pathname: text,
        protocol: text,
        description: text,
        security: [{ $ref: '#/components/securitySchemes/A' }],
      },
    },
    channels: {
      a: {
        address: text,
        title: text,
        description: text,
        parameters: { [text]: { description: text, location: text } },
        messages: { [text]: message },
      },
    },
    operations: {
      [text]: {
        ...{ action: 'send', title: text, summary: text, description: text, channel: { $ref: '#/channels/a' } },
        ...{ tags: [{ name: text }], externalDocs: { url: text, description: text }, bindings: { [text]: text } },
        reply: { address: { location: text, description: text }, channel: { $ref: '#/channels/a' } },
      },
    },
    components: {
      schemas: { [text]: schema },
      securitySchemes: { A: { type: 'httpApiKey', name: text, in: 'header', description: text } },
    },
  };
}

/** The same in a GraphQL schema; names can hold nothing that runs. */
function schemaFilledWith(text: string): string {
  // U+2028 and the like stand as they are in strings of GraphQL.
  const quoted = JSON.stringify(text);
  const reason = `@deprecated(reason: ${quoted}) @note(text: ${quoted})`;
  return `${quoted}
schema @server(url: ${quoted}, description: ${quoted}) @apiKey(name: ${quoted}, in: "header") { query: Query subscription: Events }
${quoted} directive @note(text: String = ${quoted}) repeatable on FIELD_DEFINITION | ENUM_VALUE | ARGUMENT_DEFINITION
directive @server(url: String, description: String) on SCHEMA
directive @apiKey(name: String, in: String) on SCHEMA
${quoted} scalar Text @specifiedBy(url: ${quoted})
${quoted} enum Kind { ${quoted} A ${reason} B }
${quoted} input Wish { ${quoted} text: Text = ${quoted} kind: Kind! }
${quoted} type Thing { ${quoted} constructor(${quoted} wish: Wish, note: String = ${quoted} ${reason}): [Thing!]! ${quoted} text: Text ${reason} }
${quoted} union Any = Thing | Query
${quoted} type Query { ${quoted} thing(${quoted} wish: Wish!, text: String = ${quoted}): Any ${quoted} valueOf: Thing! ${reason} }
type Events { ${quoted} happened: Thing! }
`;
}

/** What those documents share with OpenAPI is tried there with every text. */
const SOME_TEXTS = Object.entries(TEXTS).filter((_entry, number) => number % 3 === 0);

/** Of all kinds; a text is a GraphQL schema. */
export const HOSTILE_DOCUMENTS: readonly (readonly [what: string, document: object | string])[] = [
  ...Object.entries(TEXTS).map(([what, text]) => [what, filledWith(text)] as const),
  ...SOME_TEXTS.map(([what, text]) => [`${what}, in AsyncAPI`, eventsFilledWith(text)] as const),
  ...SOME_TEXTS.map(([what, text]) => [`${what}, in GraphQL`, schemaFilledWith(text)] as const),
  ...Object.entries(SHAPES),
];
