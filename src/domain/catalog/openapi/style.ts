import { isObject, objectOf, readString, type JsonObject } from './lookup.js';

/** How a value is written into an address, a header, a cookie or a form. */
export interface IndexedStyle {
  /** One of OpenAPI's, or `tabDelimited` for Swagger 2.0; in an encoding, empty: in a media type of its own. */
  readonly style: string;
  /** Whether each item of an array or object stands for itself; otherwise they are joined. */
  readonly explode: boolean;
  /** Whether reserved characters are sent as they are. */
  readonly allowReserved: boolean;
}

/** How one field of a form is written. */
export interface IndexedEncoding extends IndexedStyle {
  /** Media types with commas between them; empty: by the type of the value. */
  readonly contentType: string;
}

const STYLES = new Set([
  ...['simple', 'label', 'matrix', 'form', 'cookie', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
]);
const COLLECTION_FORMATS: Readonly<Record<string, string>> = {
  ssv: 'spaceDelimited',
  tsv: 'tabDelimited',
  pipes: 'pipeDelimited',
};

/** The style of a parameter of either version, with the default of its place. */
export function styleOf(parameter: JsonObject): IndexedStyle {
  const place = readString(parameter.in);
  const usual = place === 'query' || place === 'cookie' || place === 'formData' ? 'form' : 'simple';
  if (parameter.schema === undefined && parameter.content === undefined && parameter.type !== undefined) {
    return swaggerStyle(parameter.collectionFormat, usual);
  }
  return readStyle(parameter, usual);
}

// Swagger 2.0 joins arrays with commas unless it says otherwise; OpenAPI 3 repeats them.
function swaggerStyle(format: unknown, usual: string): IndexedStyle {
  const style = COLLECTION_FORMATS[readString(format)] ?? usual;
  return { style, explode: format === 'multi', allowReserved: false };
}

function readStyle({ style: given, explode, allowReserved }: JsonObject, usual: string): IndexedStyle {
  const named = readString(given);
  const style = STYLES.has(named) ? named : usual;
  return {
    style,
    explode: typeof explode === 'boolean' ? explode : style === 'form' || style === 'cookie',
    allowReserved: allowReserved === true,
  };
}

/** What a media type says of the fields of its form; only those of which it says something. */
export function encodingsOf(encoding: unknown): Readonly<Record<string, IndexedEncoding>> {
  const said = Object.entries(objectOf(encoding)).filter(([, value]) => isObject(value));
  return Object.fromEntries(said.map(([name, value]) => [name, encodingOf(objectOf(value))]));
}

// A style, or what goes with one, rules out media types for the field.
function encodingOf(value: JsonObject): IndexedEncoding {
  const isStyled = ['style', 'explode', 'allowReserved'].some((key) => value[key] !== undefined);
  const contentType = readString(value.contentType);
  if (!isStyled) return { style: '', explode: true, allowReserved: false, contentType };
  return { ...readStyle(value, 'form'), contentType };
}

/** The same for form fields of Swagger 2.0. */
export function swaggerEncodings(fields: readonly JsonObject[]): Readonly<Record<string, IndexedEncoding>> {
  const lists = fields.filter(({ type }) => type === 'array');
  return Object.fromEntries(lists.map((field) => [readString(field.name), { ...styleOf(field), contentType: '' }]));
}
