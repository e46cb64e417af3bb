import type { ListOptions } from '../core/index.js';
import type { JsonSchema } from './json-schema.js';

type FilterType = ListOptions['filters'][string];

const MAX_TEXT = 200;
const MAX_IN = 100;
const VALUES: Readonly<Record<FilterType, JsonSchema>> = {
  string: { type: 'string', maxLength: MAX_TEXT },
  integer: { type: 'integer' },
  boolean: { type: 'boolean' },
  date: {
    type: 'string',
    pattern: '^\\d{4}-\\d{2}-\\d{2}(?:T\\d{2}:\\d{2}(?::\\d{2}(?:\\.\\d{1,3})?)?(?:Z|[+-]\\d{2}:\\d{2})?)?$',
    description: 'A date, or an instant; UTC unless it says otherwise.',
  },
};

/** The query parameters of a list, with their permitted values. */
export function describeListing({ sorts, filters, relations, searchable }: ListOptions): JsonSchema[] {
  const shared = ['Page', 'PerPage', 'Cursor'].map((name) => ({ $ref: `#/components/parameters/${name}` }));
  return [
    ...shared,
    ...(sorts.length > 0 ? [orderBy(sorts), { $ref: '#/components/parameters/Direction' }] : []),
    ...(Object.keys(filters).length > 0 ? [filterParameter(filters)] : []),
    ...(relations.length > 0 ? [withParameter(relations)] : []),
    ...(searchable ? [{ $ref: '#/components/parameters/Search' }] : []),
  ];
}

function orderBy(sorts: readonly string[]): JsonSchema {
  return {
    name: 'order_by',
    in: 'query',
    description: 'Ties are broken by id. Without it the list has its own order.',
    schema: { type: 'string', enum: sorts },
  };
}

function withParameter(relations: readonly string[]): JsonSchema {
  return {
    name: 'with',
    in: 'query',
    description: 'Related records to bring along.',
    style: 'form',
    explode: false,
    schema: { type: 'array', items: { type: 'string', enum: relations }, uniqueItems: true },
  };
}

function filterParameter(filters: ListOptions['filters']): JsonSchema {
  const properties = Object.fromEntries(
    Object.entries(filters).map(([field, type]) => [field, { $ref: `#/components/schemas/${filterName(type)}` }]),
  );
  const [first = ''] = Object.keys(filters);
  return {
    name: 'filters',
    in: 'query',
    description: `JSON: a field with its value, a list of values, or operators, for example \`{"${first}":{"ne":…}}\`. All must hold.`,
    content: {
      'application/json': { schema: { type: 'object', properties, additionalProperties: false, maxProperties: 10 } },
    },
  };
}

/** Component name → the schema of a filter of that type. */
export const FILTER_SCHEMAS: Readonly<Record<string, JsonSchema>> = Object.fromEntries(
  (Object.keys(VALUES) as FilterType[]).map((type) => [filterName(type), condition(type)]),
);

function filterName(type: FilterType): string {
  return `${type.charAt(0).toUpperCase()}${type.slice(1)}Filter`;
}

function condition(type: FilterType): JsonSchema {
  const value: JsonSchema = VALUES[type];
  const values = { type: 'array', items: value, minItems: 1, maxItems: MAX_IN };
  const ordered: Record<string, JsonSchema> = { gt: value, gte: value, lt: value, lte: value };
  const operators = {
    eq: value,
    ne: value,
    in: values,
    ...ordered,
    ...(type === 'string' && { like: { ...value, description: 'Contains.' } }),
    null: { type: 'boolean' },
  };
  return {
    anyOf: [value, values, { type: 'object', properties: operators, additionalProperties: false, minProperties: 1 }],
  };
}
