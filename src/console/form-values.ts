import type { PageRequest } from '../http/index.js';
import { field, listField } from '../theme/index.js';
import { textAt, textOf, valueAt, type ApiRecord } from './resource.js';
import type { SchemaField } from './schema-fields.js';

/** What the controls of a form hold, by name: as text, or the chosen ones of several. */
export type FormValues = Readonly<Record<string, string | readonly string[]>>;

/** Names the controls of the form, with commas: browsers send nothing for an empty choice. */
const PRESENT = '_has';

/** The controls for a record as it is. */
export function valuesOf(fields: readonly SchemaField[], record: ApiRecord, locales: readonly string[]): FormValues {
  return Object.fromEntries(fields.flatMap((one) => entriesOf(one, valueAt(record, one.name), locales)));
}

function entriesOf(
  one: SchemaField,
  value: unknown,
  locales: readonly string[],
): [string, string | readonly string[]][] {
  if (one.kind !== 'translations') return [[one.name, controlOf(one, value)]];
  return locales.flatMap((locale) =>
    one.texts.map((text): [string, string] => [
      `${one.name}.${locale}.${text.name}`,
      textAt(value, `${locale}.${text.name}`),
    ]),
  );
}

function controlOf({ kind, options }: SchemaField, value: unknown): string | readonly string[] {
  const items = Array.isArray(value) ? value.map((item) => nameOf(item, options.choices?.value ?? options.names)) : [];
  switch (kind) {
    case 'checks':
      return items;
    case 'lines':
      return items.join('\n');
    case 'pairs':
      return Object.entries((value ?? {}) as ApiRecord)
        .map(([name, one]) => `${name} = ${String(one)}`)
        .join('\n');
    case 'json':
      return value === undefined || value === null ? '' : JSON.stringify(value, null, 2);
    case 'switch':
      return value === true ? ['true'] : [];
    case 'password':
      return '';
    case 'date':
      return value instanceof Date ? value.toISOString() : textOf(value);
    default:
      return textOf(value);
  }
}

// Records hold related records as objects; the API takes their stable names.
function nameOf(item: unknown, key = 'name'): string {
  return item !== null && typeof item === 'object'
    ? textOf((item as ApiRecord)[key] ?? (item as ApiRecord).id)
    : textOf(item);
}

/** The controls as they were sent. */
export function readSentValues(
  fields: readonly SchemaField[],
  request: PageRequest,
  locales: readonly string[],
): FormValues {
  const names = fields.flatMap((one) => entriesOf(one, undefined, locales).map(([name]) => [name, one.kind] as const));
  return Object.fromEntries(
    names.map(([name, kind]) => [name, isMany(kind) ? listField(request, name) : field(request, name)]),
  );
}

const isMany = (kind: SchemaField['kind']) => kind === 'checks' || kind === 'switch';

/**
 * The body of a form's operation. Unreadable values are passed on as they are, so that the route says
 * what is wrong with it.
 * @param shown the controls of the record that is changed: what is empty before and after stays as it is; null for a new one
 * @param kept fields that stay as they are
 */
export function bodyOf(
  fields: readonly SchemaField[],
  request: PageRequest,
  locales: readonly string[],
  { shown, kept = [] }: { readonly shown: FormValues | null; readonly kept?: readonly string[] },
): Record<string, unknown> {
  const sent = readSentValues(fields, request, locales);
  const present = new Set(field(request, PRESENT).split(','));
  const body: Record<string, unknown> = {};
  for (const one of fields) {
    if (!present.has(one.name) || kept.includes(one.name)) continue;
    const value =
      one.kind === 'translations' ? translationsOf(one, sent, locales) : readControl(one, sent[one.name] ?? '');
    const isLeftOut = isEmpty(value) && (shown === null ? !one.required : isEmpty(shown[one.name]));
    if (value !== undefined && !isLeftOut) body[one.name] = value;
  }
  return body;
}

function isEmpty(value: unknown): boolean {
  if (value === '' || value === null || value === undefined) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function readControl(one: SchemaField, sent: string | readonly string[]): unknown {
  if (one.kind === 'checks') return sent;
  if (one.kind === 'switch') return sent.length > 0;
  const text = String(sent);
  if (text === '') return emptyOf(one);
  switch (one.kind) {
    case 'number':
      return /^-?\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : text;
    case 'select':
      return one.isNumber && /^\d+$/.test(text) ? Number(text) : text;
    case 'lines':
      return linesOf(text);
    case 'pairs':
      return pairsOf(text);
    case 'json':
      return parseJson(text);
    default:
      return text;
  }
}

function emptyOf({ kind, nullable }: SchemaField): unknown {
  if (kind === 'lines') return [];
  if (kind === 'pairs') return {};
  if (nullable) return null;
  // A password that nobody typed stays; an optional number or choice is left out.
  if (kind === 'password' || kind === 'number' || kind === 'select' || kind === 'date' || kind === 'json')
    return undefined;
  return '';
}

const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** `owner = Payments team`, one per line; numbers, true and false keep their type. */
function pairsOf(text: string): Record<string, unknown> {
  const pairs = linesOf(text).map((line): [string, unknown] => {
    const at = line.indexOf('=');
    const value = at === -1 ? '' : line.slice(at + 1).trim();
    return [
      (at === -1 ? line : line.slice(0, at)).trim(),
      /^(true|false|-?\d{1,15})$/.test(value) ? JSON.parse(value) : value,
    ];
  });
  return Object.fromEntries(pairs);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function translationsOf(one: SchemaField, sent: FormValues, locales: readonly string[]): unknown {
  const texts = locales.map((locale): [string, Record<string, string | null>] => [
    locale,
    Object.fromEntries(
      one.texts.map(({ name }) => [name, String(sent[`${one.name}.${locale}.${name}`] ?? '') || null]),
    ),
  ]);
  return Object.fromEntries(texts.filter(([, values]) => Object.values(values).some((value) => value !== null)));
}
