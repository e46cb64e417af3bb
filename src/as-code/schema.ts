import { apiRoutes } from '../api/index.js';
import { JsonSchemaWriter } from '../openapi/index.js';
import type { Kind } from './kind.js';

type JsonSchema = Record<string, unknown>;

const NAME = { type: 'string' };
const ITEM = {
  type: 'object',
  additionalProperties: false,
  required: ['label'],
  properties: {
    ...{ label: NAME, url: NAME, route: NAME, translations: { type: 'object' } },
    visibility: { enum: ['everyone', 'guests', 'developers'] },
    children: { type: 'array', items: { $ref: '#/$defs/item' } },
  },
};
/** What files have and the bodies of the API have not, or have in another way. */
const OWN: Readonly<Record<string, JsonSchema>> = {
  document: { type: 'string', description: 'File with the API document, relative to this one.' },
  workflows: { type: 'string', description: 'File with the Arazzo document, relative to this one.' },
  thumbnail: { type: 'string', description: 'File with a picture, relative to this one, or an https address.' },
  text: { type: 'string', description: 'File with the Markdown, relative to this one.' },
  archived: { type: 'boolean', description: 'Nobody new gets it.' },
  items: { type: 'array', items: { $ref: '#/$defs/item' } },
  protected: { type: 'boolean', description: 'Never deleted, whatever the files say.' },
};

/** The JSON Schema of a file of a kind, made of what the API takes, so that editors complete and check it. */
export function fileSchemaOf(kind: Kind): JsonSchema {
  const writer = new JsonSchemaWriter();
  const body = apiRoutes.find(({ operation }) => operation === kind.operation)?.body;
  if (body) writer.writeRequest(body);
  const [written] = Object.values(writer.schemas) as unknown as JsonSchema[];
  const known = (written?.properties ?? {}) as Record<string, JsonSchema>;
  const limits = kind.fields.includes('limits') ? { limits: limitsSchema() } : {};
  const properties = Object.fromEntries(
    [...kind.fields, 'protected'].map((field) => [
      field,
      OWN[field] ?? known[field] ?? (limits as JsonSchema)[field] ?? {},
    ]),
  );
  const record = { type: 'object', additionalProperties: false, properties };
  const dialect = { $schema: 'https://json-schema.org/draft/2020-12/schema', title: kind.name };
  const defs = kind.fields.includes('items') ? { $defs: { item: ITEM } } : {};
  if (!kind.folder) return { ...dialect, type: 'object', additionalProperties: record, ...defs };
  const named = { [kind.key]: known[kind.key] ?? NAME, ...properties };
  return { ...dialect, ...record, required: [kind.key], properties: named, ...defs };
}

function limitsSchema(): JsonSchema {
  const writer = new JsonSchemaWriter();
  const body = apiRoutes.find(({ operation }) => operation === 'createPlanVersion')?.body;
  if (body) writer.writeRequest(body);
  return Object.values(writer.schemas)[0] ?? {};
}
