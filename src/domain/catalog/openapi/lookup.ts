export type JsonObject = Readonly<Record<string, unknown>>;

/** Longest chain of references before it counts as a cycle. */
const MOST_HOPS = 16;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

export function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

/** A string of a document, truncated to `longest`; empty for anything else. */
export function readString(value: unknown, longest = 500): string {
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

  /** The object itself, or the target of its `$ref`; empty for a cycle or a missing target. */
  object(value: unknown): JsonObject {
    let present = objectOf(value);
    for (let hop = 0; typeof present.$ref === 'string'; hop += 1) {
      if (hop === MOST_HOPS) return {};
      present = objectOf(this.find(present.$ref));
    }
    return present;
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
