import { arrayOf, isObject, objectOf, type Lookup, type JsonObject } from '../lookup.js';

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
}

const NOTHING: FlatSchema = {
  keywords: {},
  properties: new Map(),
  required: new Set(),
  types: new Set(),
  isNullable: false,
  enum: null,
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
    return parts.length === 0 ? this.read(own) : this.merge([...parts, own], depth);
  }

  private merge(parts: readonly unknown[], depth: number): FlatSchema {
    if (depth >= DEEPEST) return NOTHING;
    const flat = parts.map((part) => this.flatten(part, depth + 1));
    const size = flat.reduce((sum, { properties, required }) => sum + properties.size + required.size + 1, 0);
    if (!this.effort.spend(size)) return NOTHING;
    const typed = flat.filter(({ types }) => types.size > 0);
    const limited = flat.flatMap((each) => (each.enum ? [each.enum] : []));
    return {
      keywords: Object.assign({}, ...flat.map(({ keywords }) => keywords)) as JsonObject,
      properties: new Map(flat.flatMap(({ properties }) => [...properties])),
      required: new Set(flat.flatMap(({ required }) => [...required])),
      types: intersect(typed.map(({ types }) => types)) ?? new Set(),
      isNullable: typed.length > 0 && typed.every(({ isNullable }) => isNullable),
      enum: intersect(limited),
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
    };
  }
}

function intersect<T>(sets: readonly ReadonlySet<T>[]): ReadonlySet<T> | null {
  const [first, ...others] = sets;
  if (!first) return null;
  return new Set([...first].filter((value) => others.every((other) => other.has(value))));
}
