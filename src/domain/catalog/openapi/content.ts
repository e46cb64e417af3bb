import { arrayOf, isObject, objectOf, readString, type JsonObject, type Lookup } from './lookup.js';

export interface IndexedExample {
  readonly name: string;
  readonly summary: string;
  readonly value: unknown;
}

/** A body in one media type. */
export interface IndexedMedia {
  readonly type: string;
  readonly schema: unknown;
  readonly examples: readonly IndexedExample[];
}

export interface IndexedParameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly deprecated: boolean;
  readonly description: string;
  readonly schema: unknown;
  readonly examples: readonly IndexedExample[];
  /** Whether an array is sent as a repeated parameter; otherwise its items are joined with commas. */
  readonly explode: boolean;
  /** Whether the value is sent as JSON text, as `content` of a parameter says. */
  readonly json: boolean;
}

const LONGEST = 20_000;
const MOST_EXAMPLES = 20;
/** Parameter keywords of Swagger 2.0 that are not part of the schema. */
const NOT_SCHEMA = new Set(['name', 'in', 'required', 'description', 'collectionFormat', 'allowEmptyValue']);

/** The media types in `content` of OpenAPI 3. */
export function mediaOf(content: unknown, lookup: Lookup): IndexedMedia[] {
  return Object.entries(objectOf(content)).map(([type, value]) => {
    const media = objectOf(value);
    return { type: readString(type), schema: media.schema ?? null, examples: examplesOf(media, lookup) };
  });
}

function examplesOf({ example, examples }: JsonObject, lookup: Lookup): IndexedExample[] {
  if (isObject(examples)) {
    return Object.entries(examples)
      .slice(0, MOST_EXAMPLES)
      .map(([name, value]) => {
        const { summary, value: shown } = lookup.object(value);
        return { name: readString(name), summary: readString(summary), value: shown };
      })
      .filter(({ value }) => value !== undefined);
  }
  return example === undefined ? [] : [{ name: '', summary: '', value: example }];
}

/** A parameter of either version; excludes bodies and form fields of Swagger 2.0. */
export function parameterOf(value: JsonObject, lookup: Lookup): IndexedParameter {
  const [media] = mediaOf(value.content, lookup);
  const own = Object.fromEntries(Object.entries(value).filter(([key]) => !NOT_SCHEMA.has(key)));
  const place = readString(value.in);
  const style = readString(value.style) || (place === 'query' || place === 'cookie' ? 'form' : 'simple');
  const joined = value.collectionFormat !== undefined && value.collectionFormat !== 'multi';
  return {
    name: readString(value.name),
    in: place,
    required: value.required === true || place === 'path',
    deprecated: value.deprecated === true,
    description: readString(value.description, LONGEST),
    schema: value.schema ?? media?.schema ?? (value.type === undefined ? null : own),
    examples: media?.examples ?? examplesOf(value, lookup),
    explode: typeof value.explode === 'boolean' ? value.explode : style === 'form' && !joined && isMulti(value),
    json: media !== undefined,
  };
}

// Swagger 2.0 joins arrays with commas unless `multi` is set; OpenAPI 3 repeats them.
function isMulti({ type, schema, collectionFormat }: JsonObject): boolean {
  return schema !== undefined || type === undefined || collectionFormat === 'multi';
}

/** `{schema, examples}` of a Swagger 2.0 response, in the media types that the operation produces. */
export function swaggerMedia(schema: unknown, examples: unknown, types: readonly string[]): IndexedMedia[] {
  const shown = objectOf(examples);
  const named = [...new Set([...Object.keys(shown), ...(schema === undefined ? [] : types)])];
  return named.map((type) => ({
    type: readString(type),
    schema: schema ?? null,
    examples: Object.hasOwn(shown, type) ? [{ name: '', summary: '', value: shown[type] }] : [],
  }));
}

/** Media types of Swagger 2.0: those of the operation, else those of the document. */
export function mediaTypes(own: unknown, common: unknown): string[] {
  const types = arrayOf(own ?? common).map((type) => readString(type));
  return types.length > 0 ? types : ['application/json'];
}
