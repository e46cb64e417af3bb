import type { JsonSchema } from '../json-schema.js';
import type { RequestParts } from './request-parts.js';

/** A script that Postman runs with the answer; undefined when nothing of it is needed later. */
export function followUp(parts: RequestParts): object | undefined {
  const lines = [...keepTokens(parts), ...keepRecord(parts)];
  if (lines.length === 0) return undefined;
  const exec = [
    'if (pm.response.code < 300) {',
    '  const { data } = pm.response.json();',
    ...lines.map((line) => `  ${line}`),
    '}',
  ];
  return { listen: 'test', script: { type: 'text/javascript', exec } };
}

/** Who signs in goes on with the tokens of the answer. */
function keepTokens({ operation, context, document }: RequestParts): string[] {
  const isPair = Object.entries(operation.responses).some(
    ([status, response]) => status < '3' && 'access_token' in fieldsOf(dataOf(response), document.components.schemas),
  );
  if (!isPair) return [];
  return [
    'if (data.access_token) {',
    `  pm.collectionVariables.set('${context}_token', data.access_token);`,
    `  pm.collectionVariables.set('${context}_refresh_token', data.refresh_token);`,
    '}',
  ];
}

/** What a request makes is what the following ones are about; a list offers its first record. */
function keepRecord({ method, path, operation, document, paths }: RequestParts): string[] {
  const member = paths.memberOf(path);
  const keep = (variable: string, value: string) => `pm.collectionVariables.set('${variable}', String(${value}));`;
  // An app comes with its first key.
  const keepFirst = ([name, list]: [string, unknown]) => {
    const below = member && paths.memberOf(`${path}/{${member.parameter}}/${name}`);
    const record = fieldsOf(((list as JsonSchema).items ?? {}) as JsonSchema, document.components.schemas);
    if (!below || !(below.field in record)) return [];
    return [`if (data.${name}?.length) ${keep(below.variable, `data.${name}[0].${below.field}`)}`];
  };
  if (method === 'post' && '201' in operation.responses) {
    const fields = fieldsOf(dataOf(operation.responses['201']), document.components.schemas);
    return [
      ...(member && member.field in fields ? [keep(member.variable, `data.${member.field}`)] : []),
      ...Object.entries(fields).flatMap(keepFirst),
    ];
  }
  if (method !== 'get' || !member) return [];
  const data = dataOf(operation.responses['200']);
  const item = (data.items ?? {}) as JsonSchema;
  if (data.type !== 'array' || !(member.field in fieldsOf(item, document.components.schemas))) return [];
  return [
    `if (data.length > 0 && !pm.collectionVariables.get('${member.variable}')) ` +
      keep(member.variable, `data[0].${member.field}`),
  ];
}

function dataOf(response: JsonSchema | undefined): JsonSchema {
  const { content = {} } = (response ?? {}) as {
    content?: Record<string, { schema?: { properties?: { data?: JsonSchema } } }>;
  };
  return content['application/json']?.schema?.properties?.data ?? {};
}

function fieldsOf(schema: JsonSchema, schemas: Readonly<Record<string, JsonSchema>>): object {
  const name = /^#\/components\/schemas\/(.+)$/.exec(String(schema.$ref))?.[1];
  return (name === undefined ? schema : schemas[name])?.properties ?? {};
}
