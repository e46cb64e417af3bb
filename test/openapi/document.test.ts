import { Joi, defineRoute, type PortalRoute } from '../../src/api/index.js';
import {
  buildDocument,
  documentAsJson,
  documentAsYaml,
  findRedocly,
  lintDocument,
  type OpenApiDocument,
} from '../../src/openapi/index.js';
import { documentPath } from '../../src/openapi/document.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

// The linter is a process of its own, and checks every example.

const hostRoute = defineRoute({
  context: 'consumer',
  method: 'get',
  path: '/acme/greetings/:name',
  operation: 'greet',
  tag: 'Greetings',
  summary: 'Greet somebody',
  errors: [409],
  params: Joi.object<{ name: string }>({ name: Joi.string().max(20).required() }),
  reply: { 200: Joi.object({ text: Joi.string().required() }).label('Greeting') },
  handle: ({ params }) => ({ text: `Hello ${params.name}` }),
});

let test: TestPortal;
let document: OpenApiDocument;
const settings = () => test.portal.config;
beforeAll(async () => {
  test = await startTestPortal({ config: { app: { name: 'Acme' } }, extensions: { routes: () => [hostRoute] } });
  document = buildDocument(test.portal.routes, settings());
});
afterAll(() => test.stop());

/** Every example of a body or an answer, with the schema beside it. */
function examplesOf(part: unknown): { readonly schema: object; readonly example: unknown }[] {
  if (typeof part !== 'object' || part === null) return [];
  const { schema, example } = part as { schema?: object; example?: unknown };
  const own = schema && example !== undefined ? [{ schema, example }] : [];
  return [...own, ...Object.values(part).flatMap(examplesOf)];
}

const lint = (json: string) => lintDocument(json, findRedocly(process.cwd()) ?? 'none');
const operations = () => Object.values(document.paths).flatMap((methods) => Object.values(methods));

describe('the OpenAPI document', () => {
  it('has every registered route, those of the host included, and no other', () => {
    const told = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    const declared = test.portal.routes.map(
      (route) => `${route.method} ${documentPath(route, settings().portalApi.adminPrefix)}`,
    );
    expect(told.sort()).toEqual(declared.sort());
    expect(document.paths['/acme/greetings/{name}']?.get).toMatchObject({
      operationId: 'greet',
      security: [{ developerToken: [] }],
      parameters: [{ name: 'name', in: 'path', required: true, schema: { type: 'string', maxLength: 20 } }],
      responses: { 200: {}, 401: {}, 404: {}, 409: {} },
    });
  });

  it('has nothing that the recommended rules of Redocly are against', async () => {
    expect(await lint(documentAsJson(document))).toEqual([]);
  });

  it('has examples that its schemas take, also where patterns are compiled without the Unicode flag', () => {
    const ajv = new Ajv2020({ strict: false, unicodeRegExp: false });
    addFormats.default(ajv);
    ajv.addSchema({ $id: 'document', components: document.components });
    const faults = examplesOf(document).filter(({ schema, example }) => {
      return !ajv.validate(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')) as object, example);
    });
    expect(faults).toEqual([]);
    expect(JSON.stringify(document)).not.toMatch(/\\\\[pP]\{/);
  });

  it('describes itself and every operation, as linters ask', () => {
    expect(document.info.contact).toEqual({ name: 'Acme' });
    expect(operations().filter(({ description }) => description === '')).toEqual([]);
  });

  it('promises the fields of answers that a client goes on with', () => {
    const { schemas } = document.components;
    const required = (name: string) => (schemas[name] as { required?: string[] } | undefined)?.required ?? [];
    expect(schemas.LoginChallenge).not.toHaveProperty('additionalProperties');
    expect(required('LoginChallenge')).toEqual(['challenge_token', 'expires_in']);
    for (const name of ['App', 'CreatedApp', 'UserApp', 'CreatedUserApp']) {
      expect(required(name)).toEqual(expect.arrayContaining(['credentials', 'products']));
    }
    expect(required('IssuedCredential')).toContain('consumer_secret');
    const answers = ['createApp', 'createUserApp', 'createCredential', 'rotateCredential', 'revealCredential'].map(
      (id) => JSON.stringify(operations().find(({ operationId }) => operationId === id)?.responses),
    );
    expect(answers.filter((answer) => !/\/(?:Created\w*App|IssuedCredential)"/.test(answer))).toEqual([]);
  });

  it('leaves open only what anything may stand in, so that clients know the rest', () => {
    const open = (part: unknown, place: string): string[] => {
      if (typeof part !== 'object' || part === null) return [];
      const { type, properties, additionalProperties } = part as Record<string, unknown>;
      const isOpen = type === 'object' && (additionalProperties ?? properties === undefined) === true;
      return [
        ...(isOpen ? [place] : []),
        ...Object.entries(part).flatMap(([key, value]) => open(value, `${place}.${key}`)),
      ];
    };
    const places = open(document.components.schemas, '').map((place) =>
      place.replace(/\.(?:properties|items|anyOf)\b/g, ''),
    );
    expect(places.filter((place) => !place.endsWith('.custom_attributes')).sort()).toEqual([
      '.AppInput.products.3',
      '.ArazzoDocument',
      '.OpenApiDocument',
      '.PublicConfig.settings',
      '.SpecInput.spec.0',
      '.UserAppInput.products.3',
    ]);
  });

  it('fails the linter when something is missing, which says what', async () => {
    const { info, ...rest } = document;
    const problems = await lint(JSON.stringify({ ...rest, info: { title: info.title } }));
    expect(problems).toContainEqual(expect.objectContaining({ severity: 'error', place: '#/info' }));
  });

  it('names operations as methods of a client are named', () => {
    const ids = operations().map(({ operationId }) => operationId);
    expect(ids.filter((id) => !/^[a-z]+(?:[A-Z][a-z]+)*$/.test(id))).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('puts every operation under a described tag of a group', () => {
    const grouped = document['x-tagGroups'].flatMap(({ tags }) => tags);
    for (const { tags } of operations()) expect(grouped).toContain(tags[0]);
    expect(document.tags.map(({ name }) => name).sort()).toEqual([...grouped].sort());
    expect(document.tags.find(({ name }) => name === 'Greetings')?.description).toBe('Greetings, of Acme.');
  });

  it('shows a real answer of every operation of the package', () => {
    const examples = operations().map(({ operationId, responses }) => {
      const [answer] = Object.values(responses) as { content?: Record<string, { example?: object }> }[];
      return [operationId, Object.values(answer?.content ?? {})[0]?.example];
    });
    const lacking = examples.filter(([, example]) => example === undefined).map(([id]) => id);
    const files = [
      'getApiProductSpec',
      'getApiProductWorkflows',
      'getFile',
      'exportAppUsage',
      'exportTeamAppUsage',
      'exportUsage',
      'exportPlanUsage',
      'getProductSpec',
      'getProductWorkflows',
      'getProductVersionSpec',
      'downloadProductDocument',
    ];
    expect(lacking).toEqual([...files, 'exportActivities']);
  });

  it('tells the parts of one context only when asked to', () => {
    const developers = buildDocument(test.portal.routes, settings(), 'consumer');
    expect(Object.keys(developers.paths).filter((path) => path.startsWith('/admin'))).toEqual([]);
    expect(Object.keys(developers.components.securitySchemes)).toEqual(['developerToken']);
    expect(Object.keys(developers.components.schemas)).not.toContain('AdminProduct');
  });

  it('has the prefix as its server, or the servers of the configuration', () => {
    expect(document.servers).toEqual([{ url: '/api/v1' }]);
    const docs = { ...settings().docs, servers: ['https://api.acme.example/v1/'] };
    expect(buildDocument(test.portal.routes, { ...settings(), docs }).servers).toEqual([
      { url: 'https://api.acme.example/v1' },
    ]);
  });

  it('is the same whenever it is built, and the same in YAML', () => {
    const again = buildDocument(test.portal.routes, settings());
    expect(documentAsJson(again)).toBe(documentAsJson(document));
    expect(parse(documentAsYaml(document))).toEqual(JSON.parse(documentAsJson(document)));
  });

  it('does not put two schemas under one name', () => {
    const named = (reply: PortalRoute['reply'][number], operation: string) => ({
      ...hostRoute,
      operation,
      path: `/${operation}`,
      reply: { 200: reply },
    });
    const routes = [
      named(Joi.object({ a: Joi.string() }).label('Thing'), 'one'),
      named(Joi.object({ b: Joi.string() }).label('Thing'), 'two'),
      named(Joi.object({ a: Joi.string() }).label('Thing'), 'three'),
    ];
    const { schemas } = buildDocument(routes, settings()).components;
    expect(Object.keys(schemas).filter((name) => name.startsWith('Thing'))).toEqual(['Thing', 'Thing2']);
    expect(Object.keys(document.components.schemas).filter((name) => /\d$/.test(name))).toEqual([]);
  });
});
