import { isObject, type Lookup } from './lookup.js';
import { placeBelow, takesReferences, type FragmentPlace } from './places.js';
import { proseOf } from './prose.js';
import { SearchBuilder, type SearchParts } from './written/search-builder.js';

/**
 * Size limits of one fragment and of all, so that a document that references itself many times over cannot exhaust
 * memory.
 */
const LARGEST_PIECE = 2_000_000;
const MOST_BYTES = 96_000_000;

/** Position of a fragment in the bytes, followed by its prose, and the numbers of the schemas it refers to. */
export interface FragmentRow {
  readonly start: number;
  readonly end: number;
  readonly proseEnd: number;
  readonly needs: readonly number[];
}

export interface Fragments {
  readonly bytes: Uint8Array;
  readonly operations: readonly FragmentRow[];
  readonly schemas: readonly FragmentRow[];
  /** JSON pointer of each schema. */
  readonly pointers: readonly string[];
  readonly search: SearchParts;
}

/** Cuts a document into fragments that load separately: its operations, and every schema that one refers to. */
export class FragmentCutter {
  private readonly encoder = new TextEncoder();
  private readonly chunks: Uint8Array[] = [];
  private readonly operations: FragmentRow[] = [];
  private readonly schemas: FragmentRow[] = [];
  private readonly pointers: string[] = [];
  private readonly numbers = new Map<string, number>();
  private readonly search = new SearchBuilder();
  private size = 0;

  constructor(private readonly lookup: Lookup) {}

  /** @param names what the operation is called, for the search */
  add(operation: object, names: string): void {
    const owner = this.operations.length;
    this.search.addNames(owner, names);
    this.search.add(owner, operation);
    this.operations.push(this.addFragment(operation));
  }

  /** A schema of which the address is known, whether or not something refers to it. */
  addSchema(pointer: string): void {
    this.numberOf(pointer);
  }

  finish(): Fragments {
    // A schema may refer to others, which are appended to the list meanwhile.
    for (const pointer of this.pointers) {
      const schema = this.lookup.find(pointer);
      this.search.add(-1 - this.schemas.length, schema);
      this.schemas.push(this.addFragment(schema));
    }
    const bytes = new Uint8Array(this.size);
    let at = 0;
    for (const chunk of this.chunks) {
      bytes.set(chunk, at);
      at += chunk.length;
    }
    const { operations, schemas, pointers } = this;
    return { bytes, operations, schemas, pointers, search: this.search.finish() };
  }

  // Too large or missing fragments become an empty row, which the reference reports.
  private addFragment(value: unknown): FragmentRow {
    const start = this.size;
    const chunk = value === undefined ? null : this.encoder.encode(JSON.stringify(value));
    if (!chunk || chunk.length > LARGEST_PIECE || this.size + chunk.length > MOST_BYTES) {
      return { start, end: start, proseEnd: start, needs: [] };
    }
    // Without its brackets, so that the lists of several fragments can be joined.
    const prose = isObject(value) ? this.encoder.encode(JSON.stringify(proseOf(value)).slice(1, -1)) : new Uint8Array();
    this.chunks.push(chunk, prose);
    this.size += chunk.length + prose.length;
    return { start, end: start + chunk.length, proseEnd: this.size, needs: this.referencesIn(value) };
  }

  private referencesIn(value: unknown): number[] {
    const found = new Set<number>();
    const open: [value: unknown, place: FragmentPlace][] = [[value, 'keywords']];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const [present, place] = next;
      if (Array.isArray(present)) for (const item of present as unknown[]) open.push([item, place]);
      else if (isObject(present)) {
        if (typeof present.$ref === 'string' && takesReferences(place)) found.add(this.numberOf(present.$ref));
        for (const [key, item] of Object.entries(present)) {
          if (typeof item !== 'object' || item === null) continue;
          const below = placeBelow(place, key, item);
          if (below !== 'data') open.push([item, below]);
        }
      }
    }
    found.delete(-1);
    return [...found];
  }

  private numberOf(pointer: string): number {
    const known = this.numbers.get(pointer);
    if (known !== undefined) return known;
    if (this.lookup.find(pointer) === undefined) return -1;
    this.numbers.set(pointer, this.pointers.length);
    return this.pointers.push(pointer) - 1;
  }
}
