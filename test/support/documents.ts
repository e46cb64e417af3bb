/** OpenAPI documents of our own, in the shapes that the ones of others have. */

const ok = { 200: { description: 'Fine' } };

/** Everything of OpenAPI 3.1 that the reference shows in a way of its own. */
/** Parameters and fields that are not written in the usual way of their place; values longer than a line. */
export const STYLED = {
  openapi: '3.0.3',
  info: { title: 'Styled', version: '1' },
  paths: {
    '/things{at}': {
      post: {
        operationId: 'styled',
        parameters: [
          { name: 'at', in: 'path', required: true, style: 'matrix', schema: { type: 'string' } },
          {
            ...{ name: 'created', in: 'query', style: 'deepObject' },
            schema: { type: 'object', properties: { gte: { type: 'integer' } } },
          },
          { name: 'ids', in: 'query', explode: false, schema: { type: 'array', items: { type: 'string' } } },
          { name: 'usual', in: 'query', schema: { type: 'array', nullable: true, items: { type: 'string' } } },
          { name: 'redirect', in: 'query', allowReserved: true, schema: { type: 'string' } },
          { name: 'X-Code', in: 'header', schema: { type: 'string', pattern: `^${'[a-z]'.repeat(300)}$` } },
        ],
        requestBody: {
          content: {
            'multipart/form-data': {
              schema: {
                type: 'object',
                properties: {
                  photo: { type: 'string', format: 'binary' },
                  tags: { type: 'array', items: { type: 'string' } },
                },
              },
              encoding: { photo: { contentType: 'image/png' }, tags: { style: 'pipeDelimited', explode: false } },
            },
          },
        },
        responses: { 204: { description: 'Done' } },
      },
    },
  },
};

export const EMPTY_SPEC = { openapi: '3.1.0', info: { title: 'x', version: '1' }, paths: {} };
const WORKFLOWS = {
  ...{ arazzo: '1.0.1', info: { title: 'x', version: '1' }, sourceDescriptions: [{ name: 'x', url: 'x.json' }] },
  workflows: ['a', 'b'].map((workflowId) => ({ workflowId, steps: [{ stepId: 'other', workflowId: 'b' }] })),
};
/** Good files by the field that they are uploaded in; everything else is a picture. */
export const UPLOADS: Readonly<Record<string, string>> = {
  spec: JSON.stringify(EMPTY_SPEC),
  workflows: JSON.stringify(WORKFLOWS),
  changes: '\n',
};

/** What ships do in {@link HARBOUR}, as Arazzo. */
export const HARBOUR_WORKFLOWS = {
  arazzo: '1.0.1',
  info: { title: 'Harbour workflows', version: '1' },
  sourceDescriptions: [{ name: 'harbour', url: './harbour.openapi.json', type: 'openapi' }],
  workflows: [
    {
      workflowId: 'land-a-ship',
      summary: 'Land a *ship*',
      description: 'Find a berth, then hand in the papers.\n\n:::note\nEarly.\n:::\n\n```sh\necho open',
      inputs: {
        type: 'object',
        required: ['ship'],
        properties: { ship: { type: 'string', description: 'Its `id`.' }, draught: { type: 'number', default: 4.5 } },
      },
      steps: [
        {
          stepId: 'find',
          description: 'Looks for a free place.',
          operationId: '$sourceDescriptions.harbour.listBerths',
          parameters: [{ reference: '$components.parameters.free' }],
          successCriteria: [{ condition: '$statusCode == 200' }],
          onFailure: [{ name: 'again', type: 'retry', stepId: 'find', retryAfter: 1, retryLimit: 3 }],
          outputs: { berth: '$response.body#/0/id' },
        },
        {
          stepId: 'papers',
          operationId: 'uploadPapers',
          requestBody: {
            ...{ contentType: 'application/json', payload: { ship: '$inputs.ship', note: '``` </pre>' } },
            replacements: [{ target: '/ship', value: '$inputs.ship' }],
          },
        },
        { stepId: 'leave', workflowId: 'leave' },
      ],
      outputs: { berth: '$steps.find.outputs.berth' },
    },
    {
      workflowId: 'leave',
      parameters: [{ reference: '$components.parameters.free', value: false }],
      failureActions: [{ name: 'stop', type: 'end' }],
      steps: [{ stepId: 'look', operationPath: '{$sourceDescriptions.harbour.url}#/paths/~1berths/get' }],
    },
  ],
  components: { parameters: { free: { name: 'free', in: 'query', value: true } } },
};

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

const schemaRef = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** Everything that a document can say of an operation, in OpenAPI 3.2. */
export const EVERYTHING = {
  openapi: '3.2.0',
  info: { title: 'Everything', version: '1', summary: 'All of it.' },
  servers: [
    {
      url: 'https://{where}.everything.example',
      name: 'Main',
      variables: { where: { default: 'here', description: 'Which *one*' } },
    },
  ],
  tags: [
    {
      name: 'all',
      summary: 'All kinds',
      description: 'Of <b>things</b>',
      externalDocs: { url: 'https://everything.example/docs' },
    },
    { name: 'fresh', kind: 'badge', summary: 'Fresh today' },
    { name: 'part', parent: 'all' },
  ],
  paths: {
    '/things': {
      summary: 'Things path',
      description: 'All at this address.',
      query: {
        operationId: 'askThings',
        tags: ['all', 'part', 'fresh'],
        description: '<p>Takes <code>many</code>:</p><ul><li>one<li>two</ul><table><tr><td>cell</td></tr></table>',
        parameters: [
          {
            ...{ name: 'mode', in: 'query', allowEmptyValue: true, description: 'How it works', deprecated: true },
            schema: {
              type: 'string',
              minLength: 3,
              pattern: '^[a-z]+$',
              enum: Array.from({ length: 60 }, (_, at) => `mode-${at}`),
            },
            examples: { quick: { summary: 'Quickly', description: 'Without *rest*', value: 'mode-1' } },
          },
        ],
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: schemaRef('Thing'),
              examples: {
                small: { summary: 'A small one', value: { name: 'Tiny', default: { $ref: 'no-reference.yaml' } } },
                far: { externalValue: 'https://everything.example/far.json' },
              },
            },
          },
        },
        responses: {
          200: {
            summary: 'Found them',
            description: 'A **long** story.\n\nWith two paragraphs.',
            headers: {
              'X-Left': {
                description: 'How many are left',
                required: true,
                schema: { type: 'integer', maximum: 9000 },
                example: 42,
              },
            },
            content: {
              'application/jsonl': { itemSchema: { type: 'object', properties: { line: { type: 'string' } } } },
            },
            links: {
              next: {
                operationId: 'askThings',
                description: 'More of them',
                parameters: { mode: '$response.body#/mode' },
              },
            },
          },
        },
        callbacks: {
          onDone: {
            '{$request.body#/callbackUrl}': {
              post: {
                summary: 'Done with it',
                requestBody: {
                  content: {
                    'application/json': { schema: { type: 'object', properties: { outcome: { const: 'fine' } } } },
                  },
                },
                responses: { 204: { description: 'Taken note' } },
              },
            },
          },
        },
      },
      additionalOperations: { COPY: { summary: 'Copy things', tags: ['part'], responses: ok } },
    },
  },
  webhooks: { moved: { post: { summary: 'A thing moved', responses: ok } } },
  components: {
    schemas: {
      Thing: {
        title: 'One thing',
        type: 'object',
        required: ['name'],
        properties: {
          name: { ...schemaRef('Name'), description: 'Said beside a reference', default: 'Nameless', deprecated: true },
          kind: {
            oneOf: [
              ...Array.from({ length: 45 }, (_, at) => ({
                title: `Kind ${at}`,
                type: 'object',
                properties: { [`of${at}`]: { type: 'string' } },
              })),
              schemaRef('Cat'),
            ],
            discriminator: { propertyName: 'sort', mapping: { purring: '#/components/schemas/Cat' } },
          },
          pair: {
            type: 'array',
            prefixItems: [
              { type: 'string', format: 'left' },
              { type: 'number', format: 'right' },
            ],
            items: false,
          },
          bag: { type: 'array', contains: { type: 'string', pattern: 'must' }, minContains: 2, uniqueItems: true },
          picture: { type: 'string', contentMediaType: 'image/png', contentEncoding: 'base64', examples: ['aWNvbg=='] },
          many: { type: 'array', items: { type: 'string', enum: ['red', 'green'] } },
          ...Object.fromEntries(
            Array.from({ length: 310 }, (_, at) => [`field${at}`, { type: 'string', description: `Number${at}` }]),
          ),
        },
        patternProperties: { '^x-': { type: 'string', description: 'Extensions' } },
        propertyNames: { pattern: '^[a-z-]+$' },
        dependentRequired: { card: ['owner'] },
        dependentSchemas: { card: { properties: { limit: { type: 'integer' } } } },
        not: { required: ['forbidden'] },
        if: { properties: { mode: { const: 'strict' } } },
        then: { properties: { proof: { type: 'string' } } },
        else: { properties: { excuse: { type: 'string' } } },
        unevaluatedProperties: false,
      },
      Name: { type: 'string', description: 'Of its own', maxLength: 77 },
      Cat: { allOf: [schemaRef('Animal'), { properties: { purrs: { type: 'boolean', readOnly: true } } }] },
      Animal: { description: 'Lives', properties: { legs: { type: 'integer', exclusiveMinimum: 0 } } },
      Lonely: { description: 'Nobody refers to it', type: 'string' },
    },
  },
};
