import { arrayOf, isObject, readString, type JsonObject } from '../lookup.js';
import { code, line, listBlock, prose, valueBlock, type Block, type Inline, type Item, type Say } from './blocks.js';

/** Deeper inline schemas are cut off; named ones have a heading of their own and do not nest. */
const DEEPEST = 12;
/** Lines of schemas on one page: beyond it, only their types are written. */
const MOST_FIELDS = 20_000;
/** A longer example has lines of its own. */
const LONGEST_INLINE = 300;
/** Keywords that are told in words, or in a block of their own. */
const TOLD = new Set([
  ...['$ref', 'type', 'format', 'nullable', 'title', 'description', 'properties', 'required', 'items', 'enum'],
  ...[
    'allOf',
    'oneOf',
    'anyOf',
    'not',
    'if',
    'then',
    'else',
    'additionalProperties',
    'patternProperties',
    'prefixItems',
  ],
  ...['readOnly', 'writeOnly', 'deprecated', 'example', 'examples', 'discriminator', 'externalDocs', 'xml', 'contains'],
  ...[
    'propertyNames',
    'dependentSchemas',
    'unevaluatedProperties',
    '$defs',
    'definitions',
    '$schema',
    '$id',
    '$comment',
  ],
]);
/** Keyword with a schema inside → its word. */
const WITHIN: readonly (readonly [keyword: string, word: string])[] = [
  ['items', 'items'],
  ['additionalProperties', 'other-properties'],
  ['unevaluatedProperties', 'other-properties'],
  ['contains', 'contains'],
  ['propertyNames', 'property-names'],
  ['not', 'not'],
  ['if', 'if'],
  ['then', 'then'],
  ['else', 'else'],
];

/** Writes schemas: inline ones where they stand, named ones once each, with a heading that the others lead to. */
export class SchemaWriter {
  private fields = 0;

  /**
   * @param schemas JSON pointer → schema, those that the page writes
   * @param elsewhere JSON pointer → address of those that have a page of their own instead
   */
  constructor(
    private readonly schemas: ReadonlyMap<string, unknown>,
    private readonly say: Say,
    private readonly elsewhere: ReadonlyMap<string, string> = new Map(),
  ) {}

  /** Type of a schema in a few words: `list of Pet`, `string (date) | null`. */
  typeOf(value: unknown, depth = 0): Inline[] {
    const { say } = this;
    if (!isObject(value)) return [value === false ? 'never' : say('any')];
    if (typeof value['x-graphql-type'] === 'string') return [this.graphqlType(value, value['x-graphql-type'])];
    if (typeof value.$ref === 'string') return [this.nameOf(value.$ref)];
    const types = [value.type].flat().filter((type) => typeof type === 'string');
    const isList = types.includes('array') || (types.length === 0 && isObject(value.items));
    if (isList && depth < 4 && value.items !== undefined) {
      const inner = this.typeOf(value.items, depth + 1);
      const [before = '', after = ''] = say('array-of').split('{type}');
      return [before, ...inner, after, types.includes('null') || value.nullable === true ? ' | null' : ''].filter(
        (part) => part !== '',
      );
    }
    const format = typeof value.format === 'string' ? ` (${readString(value.format)})` : '';
    const plain = types.map((type) => readString(type)).join(' | ') || this.guessType(value);
    return [plain + format + (value.nullable === true && !types.includes('null') ? ' | null' : '')];
  }

  /** As GraphQL writes it, leading to the type that it names: `[Pet!]!` to `Pet`. */
  private graphqlType(value: JsonObject, label: string): Inline {
    let inner: unknown = value;
    while (isObject(inner) && inner.items !== undefined) inner = inner.items;
    const pointer = isObject(inner) ? inner.$ref : undefined;
    const text = readString(label, 200);
    return typeof pointer === 'string' ? this.linkTo(pointer, text) : { code: text };
  }

  private guessType(schema: JsonObject): string {
    if (isObject(schema.properties) || isObject(schema.additionalProperties) || schema.allOf !== undefined)
      return 'object';
    for (const key of ['oneOf', 'anyOf']) {
      if (Array.isArray(schema[key])) return this.say('one-of', { count: schema[key].length });
    }
    return Array.isArray(schema.enum) ? 'enum' : this.say('any');
  }

  private nameOf(pointer: string): Inline {
    return this.linkTo(pointer, schemaName(pointer));
  }

  private linkTo(pointer: string, text: string): Inline {
    if (this.schemas.has(pointer)) return { text, to: `#${schemaId(pointer)}` };
    const to = this.elsewhere.get(pointer);
    return to === undefined ? { code: text } : { text, to };
  }

  /** What there is to say of a schema, below the line that names its type. */
  describe(value: unknown, depth = 0): Block[] {
    if (!isObject(value) || depth > DEEPEST || this.fields > MOST_FIELDS) return [];
    const blocks = [...prose(value.description), ...this.limits(value)];
    if (typeof value.$ref === 'string' && this.elsewhere.has(value.$ref)) return blocks;
    if (typeof value.$ref === 'string' && !this.schemas.has(value.$ref)) {
      const word = value.$ref.startsWith('#') ? 'no-schema' : 'elsewhere';
      return [...blocks, line(this.say(word, { name: schemaName(value.$ref) }))];
    }
    return [...blocks, ...listBlock(this.members(value, depth))];
  }

  private members(schema: JsonObject, depth: number): Item[] {
    const { say } = this;
    const items = this.properties(schema, depth);
    for (const [pattern, inner] of entriesOf(schema.patternProperties)) {
      items.push(this.item([{ code: pattern }, ' · ', ...this.typeOf(inner)], inner, depth));
    }
    for (const [number, inner] of arrayOf(schema.prefixItems).entries()) {
      items.push(this.item([`${number + 1}. `, ...this.typeOf(inner)], inner, depth));
    }
    for (const [keyword, word] of WITHIN) {
      const inner = schema[keyword];
      // `list of Pet` has been said already.
      if (!isObject(inner) || (keyword === 'items' && !this.hasMore(inner))) continue;
      const [before = '', after = ''] = say(word).split('{type}');
      items.push(
        this.item(
          [before, ...this.typeOf(inner), after].filter((part) => part !== ''),
          inner,
          depth,
        ),
      );
    }
    for (const keyword of ['allOf', 'oneOf', 'anyOf']) {
      const options = arrayOf(schema[keyword]);
      for (const [number, option] of options.entries()) {
        const title = isObject(option) && typeof option.title === 'string' ? [` “${readString(option.title)}”`] : [];
        items.push(this.item([`${say(keyword)} ${number + 1}: `, ...this.typeOf(option), ...title], option, depth));
      }
    }
    return items;
  }

  private properties(schema: JsonObject, depth: number): Item[] {
    const required = new Set(arrayOf(schema.required));
    return entriesOf(schema.properties).map(([name, value]) => {
      const head: Inline[] = [{ code: name }, ' · ', ...this.typeOf(value)];
      if (required.has(name)) head.push(' · ', { strong: this.say('required') });
      for (const [keyword, word] of FLAGS) {
        if (isObject(value) && value[keyword] === true) head.push(` · ${this.say(word)}`);
      }
      return this.item(head, value, depth);
    });
  }

  private item(head: readonly Inline[], value: unknown, depth: number): Item {
    this.fields += 1;
    return { head, inside: this.describe(value, depth + 1) };
  }

  private hasMore(schema: JsonObject): boolean {
    return typeof schema.$ref !== 'string' && Object.keys(schema).some((key) => key !== 'type' && key !== 'format');
  }

  private limits(schema: JsonObject): Block[] {
    const { say } = this;
    const blocks: Block[] = [];
    const values = arrayOf(schema.enum);
    if (values.length > 0) {
      blocks.push(line(`${say('values')} `, ...separate(values.map((value) => code(showValue(value))))));
    }
    const facts = Object.entries(schema).filter(([key, value]) => isLimit(key, value));
    if (facts.length > 0) {
      blocks.push(line(...separate(facts.map(([key, value]) => [`${key}: `, code(showValue(value))]).flat(), 2)));
    }
    blocks.push(...this.discriminator(schema.discriminator));
    for (const value of [schema.example, ...arrayOf(schema.examples)].filter((one) => one !== undefined)) {
      const isShort = showValue(value).length <= LONGEST_INLINE && (typeof value !== 'object' || value === null);
      blocks.push(isShort ? line(`${say('example')}: `, code(showValue(value))) : valueBlock(value));
    }
    return blocks;
  }

  private discriminator(value: unknown): Block[] {
    if (typeof value === 'string') return [line(`${this.say('told-apart')} `, { code: value })];
    if (!isObject(value)) return [];
    const mapping = entriesOf(value.mapping).flatMap(([name, target]): Inline[] => {
      const pointer = readString(target);
      return [
        ', ',
        { code: name },
        ' → ',
        this.nameOf(pointer.startsWith('#') ? pointer : `#/components/schemas/${pointer}`),
      ];
    });
    return [line(`${this.say('told-apart')} `, code(value.propertyName), ...mapping)];
  }
}

const FLAGS = [
  ['deprecated', 'deprecated'],
  ['readOnly', 'read-only'],
  ['writeOnly', 'write-only'],
] as const;

function isLimit(key: string, value: unknown): boolean {
  if (TOLD.has(key) || key.startsWith('x-') || value === undefined || value === null) return false;
  return typeof value !== 'object' || Array.isArray(value) || key === 'const' || key === 'default';
}

function separate(parts: readonly Inline[], every = 1): Inline[] {
  return parts.flatMap((part, place) => (place > 0 && place % every === 0 ? [', ', part] : [part]));
}

function showValue(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function entriesOf(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value).map(([key, inner]) => [readString(key), inner]) : [];
}

export function schemaName(pointer: string): string {
  const last = pointer.split('/').at(-1) ?? '';
  try {
    return readString(decodeURIComponent(last.replaceAll('~1', '/').replaceAll('~0', '~')), 200);
  } catch {
    return readString(last, 200);
  }
}

/** Id of the heading of a named schema: unique on the page, and like no other id. */
export function schemaId(pointer: string): string {
  const plain = pointer.replace(/^#\/(components\/schemas\/|definitions\/)?/, '');
  return `schema-${encodeURIComponent(plain).replaceAll('%', '.')}`;
}
