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
