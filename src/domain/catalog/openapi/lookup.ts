export type JsonObject = Readonly<Record<string, unknown>>;

/** Longest chain of references before it counts as a cycle. */
const MOST_HOPS = 16;
/** Longest name, title or address. */
const LONGEST_NAME = 2_000;
/** Longest description. */
export const LONGEST_TEXT = 50_000;
/** What may stand beside a `$ref` and is said of this place. Only OpenAPI 3.1 knows it; people write it in all versions. */
const SAID_BESIDE = ['summary', 'description'];

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** The object of that name in a map; an empty one where the map has none of its own. */
export function ownOf(map: unknown, name: string): JsonObject {
  const found = objectOf(map);
  return Object.hasOwn(found, name) ? objectOf(found[name]) : {};
}

export function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

/** A string of a document, truncated to `longest`; empty for anything else. */
export function readString(value: unknown, longest = LONGEST_NAME): string {
  if (typeof value !== 'string') return typeof value === 'number' ? String(value) : '';
  return value.length > longest ? `${value.slice(0, longest)}…` : value;
}

/** Resolves references within a document; external ones are never fetched (S65). */
export class Lookup {
  constructor(private readonly document: JsonObject) {}

  /** The value at a local pointer (`#/components/…`); undefined if there is none. */
  find(pointer: string): unknown {
    if (pointer === '#') return this.document;
    if (!pointer.startsWith('#/')) return undefined;
    let place: unknown = this.document;
    for (const step of pointer.slice(2).split('/')) {
      const key = decodeStep(step);
      if (typeof place !== 'object' || place === null || !Object.hasOwn(place, key)) return undefined;
      place = (place as JsonObject)[key];
    }
    return place;
  }

  /** The object itself, or the target of its `$ref` with what is said beside it; empty for a cycle or a missing target. */
  object(value: unknown): JsonObject {
    return this.resolve(value, ([key, text]) => SAID_BESIDE.includes(key) && typeof text === 'string');
  }

  /** A path item, which may have operations of its own beside its `$ref`. */
  pathItem(value: unknown): JsonObject {
    return this.resolve(value, ([key]) => key !== '$ref');
  }

  private resolve(value: unknown, isKept: (entry: [string, unknown]) => boolean): JsonObject {
    let present = objectOf(value);
    let beside: JsonObject = {};
    for (let hop = 0; typeof present.$ref === 'string'; hop += 1) {
      if (hop === MOST_HOPS) return {};
      beside = { ...Object.fromEntries(Object.entries(present).filter(isKept)), ...beside };
      present = objectOf(this.find(present.$ref));
    }
    return { ...present, ...beside };
  }
}

function decodeStep(step: string): string {
  const plain = step.replaceAll('~1', '/').replaceAll('~0', '~');
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}
