/** Documents that differ in one place, for what compares them. */
export type Json = Record<string, unknown>;

export const document = (operation: Json, rest: Json = {}) => ({
  openapi: '3.1.0',
  info: { title: 'T', version: '1' },
  paths: { '/pets': { post: { responses: {}, ...operation } } },
  ...rest,
});
export const content = (schema: unknown) => ({ 'application/json': { schema } });
export const request = (schema: unknown) => document({ requestBody: { content: content(schema) } });
export const response = (schema: unknown) => document({ responses: { 200: { content: content(schema) } } });
export const parameter = (schema: unknown, where = 'query') =>
  document({ parameters: [{ name: 'q', in: where, schema }] });
export const header = (schema: unknown) => document({ responses: { 200: { headers: { 'X-A': { schema } } } } });
export const field = (schema: unknown) => ({ type: 'object', properties: { a: schema } });

const DEEPER_THAN_COMPARED = 100;
/** Schemas that refer to each other, one after the other, further than comparisons go; only the last one is given. */
export function deep(last: unknown) {
  const names = Array.from({ length: DEEPER_THAN_COMPARED }, (_, index) => `S${index}`);
  const refer = (index: number) => field({ $ref: `#/components/schemas/S${index + 1}` });
  const schemas = Object.fromEntries(names.map((name, index) => [name, refer(index)]));
  const whole = { ...schemas, [`S${DEEPER_THAN_COMPARED}`]: last };
  return { ...response({ $ref: '#/components/schemas/S0' }), components: { schemas: whole } };
}
