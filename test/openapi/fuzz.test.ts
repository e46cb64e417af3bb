import fc from 'fast-check';
import { buildDocument, documentPath, type OpenApiDocument } from '../../src/openapi/document.js';
import type { PortalRoute } from '../../src/api/index.js';
import { fuzz } from '../support/fuzz.js';
import { arbitraryOf } from '../support/schema-arbitrary.js';
import { nameOf, Surface } from '../support/surface.js';

// Many requests: a machine that does much else needs its time.

/** Requests of each operation. */
const RUNS = 6;

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema?: Record<string, unknown>;
  readonly content?: { readonly 'application/json': { readonly schema: Record<string, unknown> } };
}

let surface: Surface;
let document: OpenApiDocument;
beforeAll(async () => {
  surface = await Surface.start();
  document = buildDocument(surface.routes, surface.test.portal.config);
});
afterAll(() => surface.stop());

const operationOf = (route: PortalRoute) =>
  document.paths[documentPath(route, surface.test.portal.config.portalApi.adminPrefix)]?.[route.method];

function parametersOf(route: PortalRoute): Parameter[] {
  return ((operationOf(route)?.parameters ?? []) as unknown as Parameter[]).map((parameter) => {
    const name = /([^/]+)$/.exec(parameter.$ref ?? '')?.[1];
    return name === undefined ? parameter : (document.components.parameters[name] as unknown as Parameter);
  });
}

/** The value as it is sent: JSON where the document says so, lists with commas. */
function sentValue({ content }: Parameter, value: unknown): string {
  if (content) return JSON.stringify(value);
  return Array.isArray(value) ? value.join(',') : String(value);
}

function valuesOf(route: PortalRoute, place: Parameter['in']): fc.Arbitrary<Record<string, string>> {
  const told = parametersOf(route).filter((parameter) => parameter.in === place);
  const values = told.map((parameter) => [
    parameter.name,
    arbitraryOf(
      parameter.content?.['application/json'].schema ?? parameter.schema ?? {},
      document.components.schemas,
    ).map((value) => sentValue(parameter, value)),
  ]);
  const record = fc.record(Object.fromEntries(values) as Record<string, fc.Arbitrary<string>>, { requiredKeys: [] });
  return record as fc.Arbitrary<Record<string, string>>;
}

/** A body of the document, or a good one with some fields of the document's. */
function bodyOf(route: PortalRoute): fc.Arbitrary<((good: Readonly<Record<string, unknown>>) => string) | undefined> {
  const { content = {} } = (operationOf(route)?.requestBody ?? {}) as {
    content?: Record<string, { schema: Record<string, unknown> }>;
  };
  const schema = content['application/json']?.schema;
  if (!schema) return fc.constant(undefined);
  const value = arbitraryOf(schema, document.components.schemas);
  return fc.tuple(value, fc.boolean()).map(([body, merge]) => {
    return (good: object) => JSON.stringify(merge ? { ...good, ...(body as object) } : body);
  });
}

const encoded = (values: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, encodeURIComponent(Buffer.from(value).toString())]),
  );

/** Only what a header may hold. */
const asHeaders = (values: Record<string, string>) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => /^[\x20-\x7e]+$/.test(value)));

const queryOf = (values: Record<string, string>) => {
  const query = new URLSearchParams(values).toString();
  return query === '' ? '' : `?${query}`;
};

describe('every request that the document allows', () => {
  it('gets an answer that the document tells', async () => {
    for (const route of surface.routes) {
      const request = fc.record({
        // Mostly records that are there: what is missing is a short answer.
        parameters: fc.oneof(
          { weight: 3, arbitrary: fc.constant({}) },
          { weight: 1, arbitrary: valuesOf(route, 'path') },
        ),
        query: valuesOf(route, 'query'),
        headers: valuesOf(route, 'header'),
        body: bodyOf(route),
      });
      await fuzz(`documented ${nameOf(route)}`, RUNS, request, ({ parameters, query, headers, body }) =>
        surface.attack(route, {
          parameters: encoded(parameters),
          query: queryOf(query),
          headers: asHeaders(headers),
          body,
        }),
      );
    }
    for (const status of [200, 201, 404, 412, 422]) expect([...surface.seen.keys()]).toContain(status);
  });
});
