import { isDeepStrictEqual } from 'node:util';
import { describeSchema } from '../core/index.js';
import type { Described, DescribedRule } from './described.js';

/** JSON Schema 2020-12, as used by OpenAPI 3.1. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** The context of a schema. */
interface Scope {
  readonly isRequest?: boolean;
  /** Id of an enclosing schema → its component, for schemas that refer to themselves. */
  readonly names?: Readonly<Record<string, string>>;
}

interface DescribableSchema {
  describe(): unknown;
}

/**
 * Converts joi schemas to JSON Schemas from the output of `describe()`. Joi's own export loses examples, labels, peers
 * and links, and emits types that no validator accepts. What JSON Schema cannot express (checks written as functions,
 * references between values) is left out, so the result may allow more than the joi schema but never less. Objects with
 * a label become components. Responses leave additional fields open unless joi says `unknown()`, since new fields may
 * be added; requests forbid them.
 */
export class JsonSchemaWriter {
  /** Components by name, in the order of their first use. */
  readonly schemas: Record<string, JsonSchema>;
  private readonly written = new WeakMap<DescribableSchema, JsonSchema>();
  private readonly writtenOfRequests = new WeakMap<DescribableSchema, JsonSchema>();

  /** @param reserved components that already exist */
  constructor(reserved: Readonly<Record<string, JsonSchema>> = {}) {
    this.schemas = { ...reserved };
  }

  write(schema: DescribableSchema): JsonSchema {
    return this.writeOnce(this.written, schema, {});
  }

  /** The same for a request: no other fields are accepted. */
  writeRequest(schema: DescribableSchema): JsonSchema {
    return this.writeOnce(this.writtenOfRequests, schema, { isRequest: true });
  }

  private writeOnce(
    written: WeakMap<DescribableSchema, JsonSchema>,
    schema: DescribableSchema,
    scope: Scope,
  ): JsonSchema {
    const made = written.get(schema) ?? this.convert(describeSchema<Described>(schema), scope);
    written.set(schema, made);
    return made;
  }

  private convert(described: Described, scope: Scope): JsonSchema {
    const { flags: { label } = {}, type } = described;
    const bare =
      type === 'object' && label ? this.component(label, described, scope) : this.writePlain(described, scope);
    return { ...withOtherValues(bare, described), ...notes(described) };
  }

  private component(label: string, described: Described, scope: Scope): JsonSchema {
    for (let number = 1; ; number += 1) {
      const name = label.replace(/[^A-Za-z0-9._-]+/g, '') + (number === 1 ? '' : String(number));
      const id = described.flags?.id;
      const schema = this.object(
        described,
        id === undefined ? scope : { ...scope, names: { ...scope.names, [id]: name } },
      );
      const present = this.schemas[name];
      if (present !== undefined && !isDeepStrictEqual(present, schema)) continue;
      this.schemas[name] = schema;
      return { $ref: `#/components/schemas/${name}` };
    }
  }

  private writePlain(described: Described, scope: Scope): JsonSchema {
    switch (described.type) {
      case 'string':
        return choices(described) ?? text(described);
      case 'number':
        return choices(described) ?? number(described);
      case 'boolean':
        return choices(described) ?? { type: 'boolean' };
      case 'date':
        return { type: 'string', format: 'date-time' };
      case 'binary':
        return { type: 'string', format: 'binary' };
      case 'array':
        return this.array(described, scope);
      case 'object':
        return this.object(described, scope);
      case 'alternatives':
        return {
          anyOf: (described.matches ?? []).flatMap(({ schema }) => (schema ? [this.convert(schema, scope)] : [])),
        };
      case 'link':
        return this.link(described, scope);
      default:
        return choices(described) ?? {};
    }
  }

  private link({ link }: Described, scope: Scope): JsonSchema {
    const name = scope.names?.[link?.ref.path[0] ?? ''];
    return name === undefined ? {} : { $ref: `#/components/schemas/${name}` };
  }

  private array({ items = [], ordered = [], rules = [] }: Described, scope: Scope): JsonSchema {
    const kinds = items.map((item) => this.convert(item, scope));
    const [only] = kinds;
    return {
      type: 'array',
      ...(ordered.length > 0 && { prefixItems: ordered.map((item) => this.convert(item, scope)) }),
      ...(only && { items: kinds.length === 1 ? only : { anyOf: kinds } }),
      ...bounds(rules, 'minItems', 'maxItems'),
      ...(rules.some(({ name }) => name === 'unique') && { uniqueItems: true }),
    };
  }

  private object(described: Described, scope: Scope): JsonSchema {
    const { keys, flags = {}, rules = [], patterns } = described;
    const fields = Object.entries(keys ?? {}).filter(([, field]) => field.flags?.presence !== 'forbidden');
    const required = fields.filter(([, field]) => field.flags?.presence === 'required').map(([name]) => name);
    const isOpen = flags.unknown === true || (keys === undefined && patterns === undefined);
    return {
      type: 'object',
      ...(keys && {
        properties: Object.fromEntries(fields.map(([name, field]) => [name, this.field(field, scope)])),
      }),
      ...(required.length > 0 && { required }),
      ...(isOpen ? { additionalProperties: true } : scope.isRequest && { additionalProperties: false }),
      ...this.patterns(described, scope),
      ...bounds(rules, 'minProperties', 'maxProperties'),
      ...peers(described),
    };
  }

  /** A field that is sent only as it was read is described as in responses. */
  private field(described: Described, scope: Scope): JsonSchema {
    const isReadOnly = described.flags?.result === 'strip';
    return this.convert(described, isReadOnly ? { ...scope, isRequest: false } : scope);
  }

  private patterns({ patterns = [] }: Described, scope: Scope): JsonSchema {
    const byName = patterns.filter(({ regex }) => regex !== undefined);
    const [rest] = patterns.filter(({ schema }) => schema !== undefined);
    const names = rest?.schema ? this.convert(rest.schema, scope) : {};
    const hasConstraint = Object.keys(names).some((keyword) => !['type', 'minLength'].includes(keyword));
    return {
      ...(byName.length > 0 && {
        patternProperties: Object.fromEntries(
          byName.map(({ regex, rule }) => [patternOf(regex) ?? '', this.convert(rule, scope)]),
        ),
      }),
      ...(rest && { additionalProperties: this.convert(rest.rule, scope) }),
      ...(hasConstraint && { propertyNames: names }),
    };
  }
}

/** The values of a schema that accepts no others. A reference to another field says nothing about the value. */
function choices({ type, flags, allow = [] }: Described): JsonSchema | undefined {
  if (flags?.only !== true || allow.some((value) => typeof value === 'object' && value !== null)) return undefined;
  const kinds = new Set(allow.map((value) => (value === null ? 'null' : type === 'any' ? typeof value : type)));
  return { type: kinds.size === 1 ? [...kinds][0] : [...kinds], enum: allow };
}

function text({ rules = [], allow = [] }: Described): JsonSchema {
  const emptyAllowed = allow.includes('');
  const schema: Record<string, unknown> = { type: 'string', ...bounds(rules, 'minLength', 'maxLength') };
  for (const rule of rules) Object.assign(schema, TEXT_RULES[rule.name]?.(rule));
  const tellsLength = emptyAllowed || 'minLength' in schema || 'pattern' in schema || 'format' in schema;
  return tellsLength ? schema : { ...schema, minLength: 1 };
}

const TEXT_RULES: Readonly<Record<string, (rule: DescribedRule) => JsonSchema>> = {
  pattern: ({ args }) => {
    const pattern = patternOf(args?.regex);
    return pattern === undefined ? {} : { pattern };
  },
  uri: () => ({ format: 'uri' }),
  email: () => ({ format: 'email' }),
  guid: () => ({ format: 'uuid' }),
  isoDate: () => ({ format: 'date-time' }),
  hex: () => ({ pattern: '^[0-9A-Fa-f]+$' }),
  alphanum: () => ({ pattern: '^[0-9A-Za-z]+$' }),
};

/** A regular expression as joi prints it. Flags other than Unicode have no counterpart. */
function patternOf(printed: unknown): string | undefined {
  const [, source = '', flags = ''] = /^\/(.*)\/([a-z]*)$/s.exec(String(printed)) ?? [];
  return flags.replace(/[ug]/g, '') === '' ? withoutUnicodeClasses(source) : undefined;
}

/** Equivalents of `\p{…}`, as far as they exist. */
const UNICODE_CLASSES: Readonly<Record<string, string>> = {
  Cc: '\\u0000-\\u001F\\u007F-\\u009F',
  C: '\\u0000-\\u001F\\u007F-\\u009F',
  Z: ' \\u00A0\\u1680\\u2000-\\u200A\\u2028\\u2029\\u202F\\u205F\\u3000',
};

/**
 * Many validators compile patterns without the Unicode flag and read `\p{Cc}` as letters. In negated classes an equal
 * or narrower range replaces it, which refuses no more than the original.
 */
function withoutUnicodeClasses(source: string): string | undefined {
  const written = source.replace(/\[\^[^[\]]*\]/g, (excluding) =>
    excluding.replace(/\\p\{(\w+)\}/g, (whole, name: string) => UNICODE_CLASSES[name] ?? whole),
  );
  return /\\[pPu]\{/.test(written) ? undefined : written;
}

function number({ rules = [] }: Described): JsonSchema {
  const isInteger = rules.some(({ name }) => name === 'integer' || name === 'port');
  const schema: Record<string, unknown> = { type: isInteger ? 'integer' : 'number' };
  for (const { name, args } of rules) {
    if (name === 'min') schema.minimum = args?.limit;
    if (name === 'max') schema.maximum = args?.limit;
    if (name === 'greater') schema.exclusiveMinimum = args?.limit;
    if (name === 'less') schema.exclusiveMaximum = args?.limit;
    if (name === 'multiple') schema.multipleOf = args?.base;
    if (name === 'sign') Object.assign(schema, signOf(args?.sign, isInteger));
  }
  return schema;
}

function signOf(sign: unknown, isInteger: boolean): JsonSchema {
  if (sign === 'positive') return isInteger ? { minimum: 1 } : { exclusiveMinimum: 0 };
  return isInteger ? { maximum: -1 } : { exclusiveMaximum: 0 };
}

function bounds(rules: readonly DescribedRule[], least: string, most: string): JsonSchema {
  const schema: Record<string, unknown> = {};
  for (const { name, args } of rules) {
    if (typeof args?.limit !== 'number') continue;
    if (name === 'min' || name === 'length') schema[least] = args.limit;
    if (name === 'max' || name === 'length') schema[most] = args.limit;
  }
  return schema;
}

/** Fields that require one another. */
function peers({ dependencies = [] }: Described): JsonSchema {
  const rules = dependencies.flatMap(({ rel, peers: names, key }): JsonSchema[] => {
    const each = names.map((name) => ({ required: [name] }));
    if (rel === 'or') return [{ anyOf: each }];
    if (rel === 'xor') return [{ oneOf: each }];
    return rel === 'with' && key !== undefined ? [{ dependentRequired: { [key]: names } }] : [];
  });
  const [only] = rules;
  return rules.length > 1 ? { allOf: rules } : (only ?? {});
}

/**
 * `allow(…)`: single values in addition to those of the type. Null extends the type, `''` lowers the minimum length.
 */
function withOtherValues(schema: JsonSchema, { type, flags, allow = [] }: Described): JsonSchema {
  if (flags?.only === true) return schema;
  const fits = (value: unknown) => value !== '' || typeof schema.format !== 'string';
  const joinsType = typeof schema.type === 'string' && allow.includes(null);
  const joined = joinsType ? { ...schema, type: [schema.type, 'null'] } : schema;
  const others = allow.filter(
    (value) => !(value === null && joinsType) && !(value === '' && type === 'string' && fits('')),
  );
  if (others.length === 0) return joined;
  const rest = others.map((value) => (value === null ? { type: 'null' } : { const: value }));
  const { anyOf } = joined;
  return { anyOf: [...(Array.isArray(anyOf) ? (anyOf as JsonSchema[]) : [joined]), ...rest] };
}

function notes({ flags: { description, default: standard, result } = {}, examples }: Described): JsonSchema {
  return {
    ...(result === 'strip' && { readOnly: true }),
    ...(description !== undefined && { description }),
    ...(['string', 'number', 'boolean'].includes(typeof standard) && { default: standard }),
    // Joi accumulates examples; for a field that refines another, only the last is its own.
    ...(examples && { examples: examples.slice(-1) }),
  };
}
