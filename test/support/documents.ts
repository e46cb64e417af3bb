/** OpenAPI documents of our own, in the shapes that the ones of others have. */

const ok = { 200: { description: 'Fine' } };

/** Everything of OpenAPI 3.1 that the reference shows in a way of its own. */
export const HARBOUR = {
  openapi: '3.1.0',
  info: {
    title: 'Harbour',
    version: '2.4.0',
    summary: 'Ships come and go.',
    description: '# Begin\n\nAsk for **berths**, see [the guide](https://harbour.example/guide).\n\n- one\n- `two`',
    contact: { name: 'Harbour office', url: 'https://harbour.example', email: 'office@harbour.example' },
    license: { name: 'MIT', identifier: 'MIT' },
  },
  servers: [
    {
      url: 'https://{region}.harbour.example/v2',
      variables: { region: { default: 'north', enum: ['north', 'south'] } },
    },
    { url: 'https://sandbox.harbour.example/v2', description: 'Sandbox' },
  ],
  security: [{ key: [] }, { token: ['berths:read'] }],
  tags: [
    { name: 'Berths', description: 'Where ships *lie*.' },
    { name: 'Ships', description: '' },
  ],
  paths: {
    '/berths': {
      parameters: [{ $ref: '#/components/parameters/Language' }],
      get: {
        tags: ['Berths'],
        operationId: 'listBerths',
        summary: 'List berths',
        description: 'Free ones first.',
        parameters: [
          { name: 'status', in: 'query', schema: { type: 'array', items: { enum: ['free', 'taken'] } } },
          { name: 'fields', in: 'query', explode: false, schema: { type: 'array', items: { type: 'string' } } },
          { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 } },
        ],
        responses: {
          200: {
            description: 'Some',
            headers: { 'X-Total': { schema: { type: 'integer' }, description: 'All of them' } },
            content: {
              'application/json': { schema: { type: 'array', items: { $ref: '#/components/schemas/Berth' } } },
            },
          },
          default: { $ref: '#/components/responses/Problem' },
        },
      },
      post: {
        tags: ['Berths'],
        summary: 'Open a berth',
        security: [{ key: [] }],
        requestBody: { $ref: '#/components/requestBodies/Berth' },
        responses: { 201: { description: 'Opened' } },
      },
    },
    '/ships/{id}': {
      get: {
        tags: ['Ships'],
        operationId: 'ships/get one',
        deprecated: true,
        security: [],
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string', example: 'O\'Hara "1" $x' } }],
        responses: ok,
      },
      put: {
        tags: ['Ships'],
        operationId: 'uploadPapers',
        summary: 'Upload papers',
        requestBody: {
          content: {
            'multipart/form-data': {
              schema: {
                type: 'object',
                properties: { name: { type: 'string', example: 'Ada' }, file: { type: 'string', format: 'binary' } },
              },
            },
            'application/x-www-form-urlencoded': {
              schema: { type: 'object', properties: { name: { type: 'string', example: 'a&b' } } },
            },
          },
        },
        responses: ok,
      },
    },
  },
  webhooks: { arrival: { post: { summary: 'A ship arrived', responses: ok } } },
  components: {
    securitySchemes: {
      key: { type: 'apiKey', in: 'header', name: 'X-Harbour-Key' },
      token: { type: 'oauth2', flows: { clientCredentials: { tokenUrl: 'https://harbour.example/t', scopes: {} } } },
    },
    parameters: { Language: { name: 'lang', in: 'query', schema: { type: 'string', enum: ['en', 'ar'] } } },
    requestBodies: {
      Berth: { required: true, content: { 'application/json': { schema: { $ref: '#/components/schemas/Berth' } } } },
    },
    responses: {
      Problem: {
        description: 'Something is wrong',
        content: { 'application/problem+json': { example: { title: 'Too many ships' } } },
      },
    },
    schemas: {
      Berth: {
        description: 'A place for **one** ship.',
        allOf: [{ $ref: '#/components/schemas/Named' }],
        type: 'object',
        required: ['length'],
        properties: {
          length: { type: 'number', minimum: 5, description: 'In metres' },
          ship: { oneOf: [{ $ref: '#/components/schemas/Ship' }, { type: 'null' }] },
          isOpen: { type: ['boolean', 'null'] },
        },
      },
      Named: { type: 'object', required: ['name'], properties: { name: { type: 'string', example: 'Pier 4' } } },
      Ship: {
        type: 'object',
        properties: { flag: { type: 'string', enum: ['NL', 'NO'] }, berth: { $ref: '#/components/schemas/Berth' } },
      },
    },
  },
};

/** The same kinds of things in Swagger 2.0. */
export const DEPOT = {
  swagger: '2.0',
  info: { title: 'Depot', version: '1.0' },
  host: 'depot.example',
  basePath: '/api/',
  schemes: ['https', 'http'],
  consumes: ['application/json'],
  produces: ['application/json', 'application/xml'],
  securityDefinitions: { login: { type: 'basic' }, key: { type: 'apiKey', in: 'query', name: 'api_key' } },
  security: [{ login: [] }],
  parameters: { Id: { name: 'id', in: 'path', required: true, type: 'integer', format: 'int64' } },
  responses: { Missing: { description: 'Not there', schema: { $ref: '#/definitions/Fault' } } },
  paths: {
    '/parcels/{id}': {
      parameters: [{ $ref: '#/parameters/Id' }],
      get: {
        operationId: 'getParcel',
        parameters: [
          { name: 'tags', in: 'query', type: 'array', items: { type: 'string' }, collectionFormat: 'multi' },
        ],
        responses: {
          200: {
            description: 'It',
            schema: { $ref: '#/definitions/Parcel' },
            examples: { 'application/json': { weight: 7 } },
          },
          404: { $ref: '#/responses/Missing' },
        },
      },
      put: {
        operationId: 'putParcel',
        parameters: [{ name: 'parcel', in: 'body', required: true, schema: { $ref: '#/definitions/Parcel' } }],
        responses: { 204: { description: 'Done' } },
      },
      post: {
        operationId: 'labelParcel',
        consumes: ['multipart/form-data'],
        parameters: [
          { name: 'note', in: 'formData', type: 'string', required: true },
          { name: 'label', in: 'formData', type: 'file' },
        ],
        responses: { 204: { description: 'Done' } },
      },
    },
  },
  definitions: {
    Parcel: { type: 'object', properties: { weight: { type: 'integer' }, inner: { $ref: '#/definitions/Parcel' } } },
    Fault: { type: 'object', properties: { message: { type: 'string' } } },
  },
};

/** Tables of big clouds: 1100 operations, 1200 schemas that refer to one another, about 13 MB as JSON. */
export function largeDocument(operations = 1100): object {
  const prose = 'What this does, when it does it, and what to think of before. '.repeat(18);
  const fields = (seed: number) =>
    Object.fromEntries(
      Array.from({ length: 28 }, (_none, index) => [
        `field_${seed % 97}_${index}`,
        index % 7 === 0
          ? { $ref: `#/components/schemas/Model${(seed * 7 + index) % 1200}` }
          : { type: 'string', description: prose.slice(0, 180), example: `value ${index}` },
      ]),
    );
  const model = (number: number) => ({ type: 'object', description: prose.slice(0, 400), properties: fields(number) });
  const operation = (number: number) => ({
    tags: [`Group ${number % 40}`],
    operationId: `group${number % 40}/operation-${number}`,
    summary: `Do thing number ${number}`,
    description: prose,
    parameters: Array.from({ length: 6 }, (_none, index) => ({
      ...{ name: `parameter_${index}`, in: 'query', description: prose.slice(0, 150) },
      schema: { type: 'string' },
    })),
    responses: {
      200: {
        description: 'Fine',
        content: {
          'application/json': {
            schema: { $ref: `#/components/schemas/Model${number % 1200}` },
            example: Object.fromEntries(
              Array.from({ length: 30 }, (_none, index) => [`key${index}`, prose.slice(0, 60)]),
            ),
          },
        },
      },
    },
  });
  const each = <Value>(count: number, make: (number: number) => Value) =>
    Array.from({ length: count }, (_none, number) => make(number));
  return {
    openapi: '3.0.3',
    info: { title: 'Large', version: '1.0.0', description: prose },
    servers: [{ url: 'https://large.example' }],
    paths: Object.fromEntries(
      each(Math.ceil(operations / 2), (number) => [
        `/group-${number % 40}/things/${number}`,
        { get: operation(number * 2), post: operation(number * 2 + 1) },
      ]),
    ),
    components: { schemas: Object.fromEntries(each(1200, (number) => [`Model${number}`, model(number)])) },
  };
}
