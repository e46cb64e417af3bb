import type { ObjectSchema, Schema, ValidationError as JoiError, ValidationErrorItem } from 'joi';
import { describeSchema, shorten, sayUnknownField, ValidationError, type FieldErrors } from '../../core/index.js';

/** Maximum unknown fields to list; more mean the wrong schema, not a typo. */
const MOST_UNKNOWN = 20;

/**
 * Strict validation of bodies: nothing is converted, so a number never passes for a string (S12), and unknown fields
 * are refused, so that typos are reported and never reach a record (S52).
 * @param schema undefined: the route takes no fields
 * @returns a function that returns the body for the handler. @throws ValidationError with one list of sentences per
 * field
 */
export function bodyValidator<T>(schema: ObjectSchema<T> | undefined): (body: unknown) => T {
  if (!schema) return (body) => noFields(body) as T;
  // Described with the first body: describing every schema took half of the time that a portal needs to start.
  let names: ReadonlySet<string> | undefined;
  return (body) => {
    names ??= readOnlyNames(schema);
    const result = schema.validate(omit(names, body), { abortEarly: false, convert: false, ...LABELS });
    if (result.error) throw new ValidationError(fieldErrors(result.error, schema));
    return result.value;
  };
}

/** For query strings, where everything arrives as text. A repeated key arrives as a list and is refused by the schema. */
export function validateQuery<T>(schema: ObjectSchema<T>, value: unknown): T {
  const result = schema.validate(value, { abortEarly: false, convert: true, stripUnknown: true, ...LABELS });
  if (result.error) throw new ValidationError(fieldErrors(result.error, schema));
  return result.value;
}

/** A complete record sent back: fields of the response that the body lacks may be included and have no effect. */
export function withReadOnlyFields(body: ObjectSchema, record: Schema): ObjectSchema {
  const own = new Set(namesOf(body));
  const others = namesOf(record).filter((name) => !own.has(name));
  return body.keys(
    Object.fromEntries(others.map((name) => [name, (record as ObjectSchema).extract(name).optional().strip()])),
  );
}

// Not from `describe()`, which tells of everything below them too: that took a fifteenth of the start of each process.
function namesOf(schema: Schema): string[] {
  const { keys } = schema.$_terms as { keys?: readonly { key: string }[] | null };
  return (keys ?? []).map(({ key }) => key);
}

function readOnlyNames(schema: ObjectSchema): Set<string> {
  const fields = Object.entries(describeSchema<Fields>(schema).keys ?? {});
  return new Set(fields.flatMap(([name, field]) => (isReadOnly(field) ? [name] : [])));
}

/** Their values are ignored: they come from a response, perhaps of another release. */
function omit(names: ReadonlySet<string>, body: unknown): unknown {
  if (names.size === 0 || body === null || typeof body !== 'object' || Array.isArray(body)) return body;
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.has(name)));
}

const isReadOnly = ({ flags }: Fields): boolean => flags?.result === 'strip';

const LABELS = { errors: { wrap: { label: false }, label: 'path' } } as const;
const NOT_AN_OBJECT = 'The body must be a JSON object.';

function noFields(value: unknown): Record<string, never> {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw new ValidationError({ body: [NOT_AN_OBJECT] });
  }
  const names = Object.keys(value);
  if (names.length === 0) return {};
  const messages = names
    .slice(0, MOST_UNKNOWN)
    .map((name): [string, string[]] => [shorten(name), [sayUnknownField(name, [])]]);
  throw new ValidationError(Object.fromEntries(messages));
}

/** The part of joi's `describe()` that concerns the fields of a schema. */
interface Fields {
  readonly keys?: Readonly<Record<string, Fields>>;
  readonly items?: readonly Fields[];
  readonly matches?: readonly { readonly schema?: Fields }[];
  readonly patterns?: readonly { readonly rule: Fields }[];
  readonly flags?: { readonly result?: string };
}

function fieldErrors(error: JoiError, schema: Schema): FieldErrors {
  // Without a prototype: a field may be named toString.
  const errors = Object.create(null) as FieldErrors;
  const isUnknown = ({ type }: ValidationErrorItem) => type === 'object.unknown';
  const others = error.details.filter((fault) => !isUnknown(fault));
  for (const { path, message, type, context } of others) {
    const field = path.length > 0 ? path.join('.') : 'body';
    (errors[field] ??= []).push(path.length > 0 ? sentence(message) : toBodyMessage(type, message, context?.label));
  }
  const unknown = error.details.filter(isUnknown).slice(0, MOST_UNKNOWN);
  const described = unknown.length > 0 ? describeSchema<Fields>(schema) : {};
  for (const { path } of unknown) {
    const place = placesAt(described, path.slice(0, -1));
    const name = String(path.at(-1));
    const isFree = place.some(({ patterns = [] }) => patterns.length > 0);
    const sentence = isFree
      ? `${shorten(name)} is not a name that is taken here.`
      : sayUnknownField(name, fieldsOf(place));
    (errors[path.map((step) => shorten(String(step))).join('.')] ??= []).push(sentence);
  }
  return errors;
}

/** The schema at a position in a body; several where alternatives are allowed. */
function placesAt(described: Fields, path: readonly (string | number)[]): Fields[] {
  const alternatives = (described.matches ?? []).flatMap(({ schema }) => (schema ? placesAt(schema, path) : []));
  const [step, ...rest] = path;
  const own = step === undefined ? [described] : fieldsBelow(described, step).flatMap((child) => placesAt(child, rest));
  return [...own, ...alternatives];
}

/** The names of the fields that may be sent there. */
function fieldsOf(places: readonly Fields[]): string[] {
  const names = places.flatMap(({ keys = {} }) =>
    Object.entries(keys).flatMap(([name, field]) => (isReadOnly(field) ? [] : [name])),
  );
  return [...new Set(names)];
}

function fieldsBelow({ keys = {}, items = [], patterns = [] }: Fields, step: string | number): readonly Fields[] {
  if (typeof step === 'number') return items;
  const named = Object.hasOwn(keys, step) ? keys[step] : undefined;
  return named ? [named] : patterns.map(({ rule }) => rule);
}

// The label of a body's schema is for the documentation and means nothing to a client.
function toBodyMessage(type: string, message: string, label = 'value'): string {
  if (type === 'object.base') return NOT_AN_OBJECT;
  return sentence(message.startsWith(`${label} `) ? `The body ${message.slice(label.length + 1)}` : message);
}

function sentence(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`;
}
