import { diffSpecs } from '../../../src/domain/catalog/openapi/diff/diff-documents.js';

type Json = Record<string, unknown>;
const TODAY = '2026-11-23';

const document = (rest: Json = {}) => ({ openapi: '3.1.0', info: { title: 'T', version: '1' }, paths: {}, ...rest });
const content = (schema: unknown) => ({ 'application/json': { schema } });
const field = (schema: unknown) => ({ type: 'object', properties: { a: schema } });

function ids(old: Json, present: Json): string[] {
  return diffSpecs(old, present, { today: TODAY, sunsetDays: 0 })
    .changes.map(({ level, id }) => `${level} ${id}`)
    .sort();
}

describe('a webhook', () => {
  const hook = (operation: Json, name = 'webhooks') => document({ [name]: { shipped: { post: operation } } });
  const sends = (schema: Json) => hook({ requestBody: { content: content(schema) } });
  const answers = (schema: Json) => hook({ responses: { 200: { content: content(schema) } } });
  const of = (...required: string[]) => ({ ...field({ type: 'string' }), required });

  it('breaks who reads it as an answer does, and who answers it as a request does', () => {
    expect(ids(sends(of('a')), sends({ type: 'object' }))).toEqual(['breaking response-required-property-removed']);
    expect(ids(sends({ type: 'object' }), sends(of('a')))).toEqual(['info response-required-property-added']);
    expect(ids(answers({ type: 'object' }), answers(of('a')))).toEqual(['breaking new-required-request-property']);
    expect(ids(answers(of()), answers({ type: 'object' }))).toEqual(['warning request-property-removed']);
    const many = { type: 'string', enum: ['a', 'b'] };
    expect(ids(sends(field({ type: 'string', enum: ['a'] })), sends(field(many)))).toEqual([
      'warning response-property-enum-value-added',
    ]);
    expect(ids(sends({}), hook({}))).toEqual(['breaking response-media-type-removed']);
    const header = { parameters: [{ name: 'Signature', in: 'header', required: true, schema: {} }] };
    expect(ids(hook(header), hook({}))).toEqual(['breaking required-response-header-removed']);
  });

  it('is told by its name and the side that it stands on, also as an extension of OpenAPI 3.0', () => {
    const wide = hook({ requestBody: { content: content(of('a')) } }, 'x-webhooks');
    const { changes } = diffSpecs(wide, hook({ requestBody: { content: content({}) } }, 'x-webhooks'), {
      today: TODAY,
      sunsetDays: 0,
    });
    const pointer = '/x-webhooks/shipped/post/requestBody/content/application~1json/schema';
    expect(changes[0]).toMatchObject({ operation: 'POST shipped', level: 'breaking', pointer });
    expect(changes.map(({ message }) => message.about)).toEqual(['webhook-body', 'webhook-body-property']);
    expect(ids(hook({}), document({ webhooks: { shipped: { put: {} } } }))).toEqual([
      'breaking webhook-removed',
      'info webhook-added',
    ]);
  });

  it('that holds itself, or refers to itself, ends', () => {
    const ring = { components: { schemas: { A: { allOf: [{ $ref: '#/components/schemas/A' }], properties: {} } } } };
    const round = (type: string) => ({
      ...document(ring),
      webhooks: {
        a: {
          post: {
            requestBody: {
              content: content({
                type,
                items: { $ref: '#/webhooks/a/post/requestBody/content/application~1json/schema' },
              }),
            },
          },
        },
        b: { $ref: '#/webhooks/b' },
        c: { post: { requestBody: { content: content({ $ref: '#/components/schemas/A' }) } } },
      },
    });
    expect(ids(round('array'), round('object'))).toContain('breaking response-body-type-changed');
  });
});
