import type { ObjectSchema, Schema } from 'joi';
import { describeSchema } from '../core/index.js';
import type { FieldKind, FieldOptions } from './resource.js';

/** A control of a form, made from the schema of a route's body. */
export interface SchemaField {
  readonly name: string;
  readonly kind: FieldKind;
  /** The API takes a number, also where one is chosen by name. */
  readonly isNumber: boolean;
  readonly required: boolean;
  /** An empty control sends null. */
  readonly nullable: boolean;
  readonly maxLength: number | null;
  readonly min: number | null;
  readonly max: number | null;
  /** Values of a `select`, or of `checks` without choices of their own. */
  readonly values: readonly string[];
  /** Of `translations`: the texts of a language. */
  readonly texts: readonly SchemaField[];
  readonly options: FieldOptions;
}

/** The result of joi's `describe()` for a schema. */
interface Described {
  readonly type?: string;
  readonly keys?: Readonly<Record<string, Described>>;
  readonly items?: readonly Described[];
  readonly patterns?: readonly { readonly rule: Described }[];
  readonly allow?: readonly unknown[];
  readonly flags?: {
    readonly presence?: string;
    readonly only?: boolean;
    readonly result?: string;
    readonly description?: string;
  };
  readonly rules?: readonly { readonly name: string; readonly args?: Readonly<Record<string, unknown>> }[];
}

/** Longer texts get several lines. */
const SHORT_TEXT = 300;

/** The fields that a body takes, in the order of its schema; read-only ones are left out. */
export function fieldsOf(
  schema: ObjectSchema | undefined,
  options: Readonly<Record<string, FieldOptions>> = {},
): SchemaField[] {
  const { keys = {} } = schema ? describeSchema<Described>(schema) : {};
  return Object.entries(keys)
    .filter(([name, { flags }]) => flags?.result !== 'strip' && options[name]?.omit !== true)
    .map(([name, described]) => fieldOf(name, described, options[name] ?? {}));
}

function fieldOf(name: string, described: Described, options: FieldOptions): SchemaField {
  const { allow = [], flags = {} } = described;
  const limit = (rule: string) => {
    const value = described.rules?.find((one) => one.name === rule)?.args?.limit;
    return typeof value === 'number' ? value : null;
  };
  const isText = described.type === 'string';
  const pattern = described.patterns?.[0]?.rule;
  return {
    name,
    kind: options.kind ?? kindOf(name, described, options, limit('max')),
    isNumber: described.type === 'number',
    required: flags.presence === 'required',
    nullable: allow.includes(null),
    maxLength: isText ? limit('max') : null,
    min: isText ? null : limit('min'),
    max: isText ? null : limit('max'),
    values: valuesOf(described.items?.[0] ?? described),
    texts: Object.entries(pattern?.keys ?? {}).map(([text, rule]) => fieldOf(text, rule, {})),
    options,
  };
}

function kindOf(name: string, described: Described, { choices }: FieldOptions, max: number | null): FieldKind {
  const { type, items = [], patterns = [] } = described;
  if (type === 'boolean') return 'switch';
  if (type === 'number') return 'number';
  if (type === 'date') return 'date';
  if (type === 'array') return choices || valuesOf(items[0] ?? {}).length > 0 ? 'checks' : 'lines';
  if (type === 'object') {
    if (patterns[0]?.rule.keys) return 'translations';
    return patterns.length > 0 ? 'pairs' : 'json';
  }
  if (type !== 'string') return 'json';
  if (valuesOf(described).length > 0 || choices) return 'select';
  if (/password|secret/.test(name)) return 'password';
  if (/email/.test(name)) return 'email';
  return max !== null && max > SHORT_TEXT && !/url/.test(name) ? 'long' : 'text';
}

function valuesOf({ allow = [], flags }: Described): string[] {
  return flags?.only === true
    ? allow.filter((value): value is string => typeof value === 'string' && value !== '')
    : [];
}

/** The values that a field of a record may have, if its schema lists them. @param reply of one record, or a list of them */
export function listAllowedValues(reply: Schema | undefined, field: string): readonly string[] {
  const described = reply ? describeSchema<Described>(reply) : {};
  const record = described.items?.[0] ?? described;
  return valuesOf(record.keys?.[field] ?? {});
}
