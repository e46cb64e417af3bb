import { arrayOf, isObject, LONGEST_TEXT, objectOf, readString, type JsonObject, type Lookup } from './lookup.js';
import { encodingsOf, styleOf, type IndexedEncoding, type IndexedStyle } from './style.js';

export interface IndexedExample {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  /** Missing where it is at `url` only. */
  readonly value?: unknown;
  /** Where it is, outside of the document. */
  readonly url: string;
}

/** A body in one media type. */
export interface IndexedMedia {
  readonly type: string;
  readonly schema: unknown;
  /** Of each item, where items follow one another without an end. */
  readonly itemSchema?: unknown;
  readonly examples: readonly IndexedExample[];
  /** Fields of a form that are written in another way than usual. */
  readonly encoding: Readonly<Record<string, IndexedEncoding>>;
}

export interface IndexedParameter extends IndexedStyle {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly deprecated: boolean;
  readonly allowEmptyValue: boolean;
  readonly description: string;
  readonly schema: unknown;
  readonly examples: readonly IndexedExample[];
  /** The media type in which the value is written, as `content` of a parameter says; empty: in a style. */
  readonly mediaType: string;
}

/** Parameter keywords of Swagger 2.0 that are not part of the schema. */
const NOT_SCHEMA = new Set(['name', 'in', 'required', 'description', 'collectionFormat', 'allowEmptyValue']);

/** The media types in `content` of OpenAPI 3. */
export function mediaOf(content: unknown, lookup: Lookup): IndexedMedia[] {
  return Object.entries(objectOf(content)).map(([type, value]) => {
    const media = lookup.object(value);
    const { schema = null, itemSchema, encoding } = media;
    return {
      ...{ type: readString(type), schema, itemSchema, examples: examplesOf(media, lookup) },
      encoding: encodingsOf(encoding),
    };
  });
}

function examplesOf({ example, examples }: JsonObject, lookup: Lookup): IndexedExample[] {
  if (isObject(examples)) {
    return Object.entries(examples)
      .map(([name, declared]) => {
        const { summary, description, value, dataValue, serializedValue, externalValue } = lookup.object(declared);
        return {
          ...{
            name: readString(name),
            summary: readString(summary),
            description: readString(description, LONGEST_TEXT),
          },
          ...{ value: value ?? dataValue ?? serializedValue, url: readString(externalValue) },
        };
      })
      .filter(({ value, url }) => value !== undefined || url !== '');
  }
  return example === undefined ? [] : [exampleOf(example)];
}

function exampleOf(value: unknown): IndexedExample {
  return { name: '', summary: '', description: '', value, url: '' };
}

/** A parameter of either version; excludes bodies and form fields of Swagger 2.0. */
export function parameterOf(value: JsonObject, lookup: Lookup): IndexedParameter {
  const [media] = mediaOf(value.content, lookup);
  const own = Object.fromEntries(Object.entries(value).filter(([key]) => !NOT_SCHEMA.has(key)));
  const place = readString(value.in);
  return {
    name: readString(value.name),
    in: place,
    required: value.required === true || place === 'path',
    deprecated: value.deprecated === true,
    allowEmptyValue: value.allowEmptyValue === true,
    description: readString(value.description, LONGEST_TEXT),
    schema: value.schema ?? media?.schema ?? (value.type === undefined ? null : own),
    examples: media?.examples ?? examplesOf(value, lookup),
    ...styleOf(value),
    mediaType: media?.type ?? '',
  };
}

/** `{schema, examples}` of a Swagger 2.0 response, in the media types that the operation produces. */
export function swaggerMedia(schema: unknown, examples: unknown, types: readonly string[]): IndexedMedia[] {
  const shown = objectOf(examples);
  const named = [...new Set([...Object.keys(shown), ...(schema === undefined ? [] : types)])];
  return named.map((type) => ({
    type: readString(type),
    schema: schema ?? null,
    examples: Object.hasOwn(shown, type) ? [exampleOf(shown[type])] : [],
    encoding: {},
  }));
}

/** Media types of Swagger 2.0: those of the operation, else those of the document. */
export function mediaTypes(own: unknown, common: unknown): string[] {
  const types = arrayOf(own ?? common).map((type) => readString(type));
  return types.length > 0 ? types : ['application/json'];
}
