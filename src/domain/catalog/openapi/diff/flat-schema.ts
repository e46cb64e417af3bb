import { arrayOf, isObject, objectOf, readString, type Lookup, type JsonObject } from '../lookup.js';
import { BOUNDS } from './effects.js';

/** Steps that a comparison may take, so that a document made to be slow ends with what was found until then. */
export class Effort {
  constructor(private left: number) {}

  /** @returns whether these steps may still be taken */
  spend(steps: number): boolean {
    this.left -= steps;
    return this.left > 0;
  }

  get isSpent(): boolean {
    return this.left <= 0;
  }
}

/** A schema with its reference followed and its `allOf` merged. */
export interface FlatSchema {
  readonly keywords: JsonObject;
  readonly properties: ReadonlyMap<string, unknown>;
  readonly required: ReadonlySet<string>;
  /** Without `null`; empty for any. */
  readonly types: ReadonlySet<string>;
  readonly isNullable: boolean;
  /** JSON of each value; null if any is allowed. */
  readonly enum: ReadonlySet<string> | null;
  /** Whether the types are said as forms to choose from that say nothing else. */
  readonly isTypeList: boolean;
  /** With its forms to choose from, where they were read as types or as one form that may be null. */
  readonly written: FlatSchema | null;
  /** The parts of its `allOf` by name, and what stands beside them by an empty one; empty without `allOf`. */
  readonly parts: ReadonlyMap<string, FlatSchema>;
}

const NOTHING: FlatSchema = {
  keywords: {},
  properties: new Map(),
  required: new Set(),
  types: new Set(),
  isNullable: false,
  enum: null,
  isTypeList: false,
  written: null,
  parts: new Map(),
};
const SAID_OF_THE_PLACE = new Set(['$ref', 'description', 'summary', 'title', 'example', 'examples']);
/** Deepest nesting of references and `allOf`. */
const DEEPEST = 32;

/** The flat schemas of one document, each made once. */
export class FlatSchemas {
  private readonly known = new WeakMap<object, FlatSchema>();

  constructor(
    private readonly lookup: Lookup,
    private readonly effort: Effort,
  ) {}

  flatten(schema: unknown, depth = 0): FlatSchema {
    if (!isObject(schema)) return NOTHING;
    const known = this.known.get(schema);
    if (known) return known;
    // Stands for itself until it is made: a schema that is part of its own `allOf` adds nothing.
    this.known.set(schema, NOTHING);
    const flat = this.make(schema, depth);
    this.known.set(schema, flat);
    return flat;
  }

  private make(schema: JsonObject, depth: number): FlatSchema {
    if (typeof schema.$ref === 'string') {
      const found = this.lookup.find(schema.$ref);
      const beside = Object.fromEntries(Object.entries(schema).filter(([key]) => !SAID_OF_THE_PLACE.has(key)));
      if (depth >= DEEPEST) return NOTHING;
      // The very same for all that refer to it, so that it is compared once. OpenAPI 3.1 lets keywords stand beside.
      return Object.keys(beside).length === 0 ? this.flatten(found, depth + 1) : this.merge([found, beside], depth);
    }
    const { allOf, ...own } = schema;
    const parts = arrayOf(allOf);
    if (parts.length > 0) {
      const named = [...parts.map((part) => [nameOf(part), part] as const), ['', own] as const];
      const flat = new Map(named.map(([name, part]) => [name, this.flatten(part, depth + 1)]));
      return { ...this.merge([...parts, own], depth), parts: flat };
    }
    return this.readChoices(own, depth) ?? this.read(own);
  }

  /** Forms that say a type each are a list of types, and one form beside `null` is that form, nullable. */
  private readChoices(own: JsonObject, depth: number): FlatSchema | null {
    if (own.type !== undefined) return null;
    for (const keyword of ['oneOf', 'anyOf']) {
      const { [keyword]: listed, ...beside } = own;
      const choices = arrayOf(listed);
      if (choices.length < 2 || !this.effort.spend(choices.length)) continue;
      const others = choices.filter((choice) => objectOf(choice).type !== 'null');
      if (others.length === 1 && choices.length === 2) {
        return { ...this.merge([others[0], beside], depth), isNullable: true, written: this.read(own) };
      }
      if (choices.every(isOnlyType)) {
        const type = choices.map((choice) => objectOf(choice).type);
        return { ...this.read({ ...beside, type }), isTypeList: true, written: this.read(own) };
      }
    }
    return null;
  }

  private merge(parts: readonly unknown[], depth: number): FlatSchema {
    if (depth >= DEEPEST) return NOTHING;
    const flat = parts.map((part) => this.flatten(part, depth + 1));
    const size = flat.reduce((sum, { properties, required }) => sum + properties.size + required.size + 1, 0);
    if (!this.effort.spend(size)) return NOTHING;
    const typed = flat.filter(({ types }) => types.size > 0);
    const limited = flat.flatMap((each) => (each.enum ? [each.enum] : []));
    return {
      keywords: mergeKeywords(flat.map(({ keywords }) => keywords)),
      properties: new Map(flat.flatMap(({ properties }) => [...properties])),
      required: new Set(flat.flatMap(({ required }) => [...required])),
      types: intersect(typed.map(({ types }) => types)) ?? new Set(),
      isNullable: typed.length > 0 && typed.every(({ isNullable }) => isNullable),
      enum: intersect(limited),
      isTypeList: false,
      written: null,
      parts: new Map(),
    };
  }

  private read(keywords: JsonObject): FlatSchema {
    const { type, nullable, required } = keywords;
    const types = new Set(
      (Array.isArray(type) ? type : [type]).filter((name): name is string => typeof name === 'string'),
    );
    const properties = Object.entries(objectOf(keywords.properties));
    const values = Array.isArray(keywords.enum) ? arrayOf(keywords.enum) : null;
    this.effort.spend(properties.length + (values?.length ?? 0) + 1);
    const isNullable = types.delete('null') || nullable === true || keywords['x-nullable'] === true;
    return {
      keywords,
      properties: new Map(properties),
      required: new Set(arrayOf(required).filter((name): name is string => typeof name === 'string')),
      types,
      isNullable,
      enum: values && new Set(values.filter((value) => value !== null).map((value) => JSON.stringify(value))),
      isTypeList: false,
      written: null,
      parts: new Map(),
    };
  }
}

/** The last one says it, but of limits the narrowest counts. */
function mergeKeywords(all: readonly JsonObject[]): JsonObject {
  const merged = Object.assign({}, ...all) as Record<string, unknown>;
  for (const keyword of Object.keys(BOUNDS)) {
    const limits = all.map((keywords) => keywords[keyword]).filter((value) => typeof value === 'number');
    if (limits.length > 1) merged[keyword] = /max/i.test(keyword) ? Math.min(...limits) : Math.max(...limits);
  }
  return merged;
}

/** What a choice goes by: the name it is referred to, its title, or what it says. */
export function nameOf(schema: unknown): string {
  const { $ref, title } = objectOf(schema);
  if (typeof $ref === 'string') return $ref.slice($ref.lastIndexOf('/') + 1);
  return readString(title) || readString(JSON.stringify(schema), 500);
}

function isOnlyType(schema: unknown): boolean {
  const { type, ...others } = objectOf(schema);
  return typeof type === 'string' && Object.keys(others).every((key) => SAID_OF_THE_PLACE.has(key) && key !== '$ref');
}

function intersect<T>(sets: readonly ReadonlySet<T>[]): ReadonlySet<T> | null {
  const [first, ...others] = sets;
  if (!first) return null;
  return new Set([...first].filter((value) => others.every((other) => other.has(value))));
}
