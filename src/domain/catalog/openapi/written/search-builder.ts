import { isObject, readString, type JsonObject } from '../lookup.js';
import { placeBelow, type FragmentPlace } from '../places.js';

/** Bounds of the words of one document; what comes after them is not found. */
const MOST_SPOTS = 400_000;
const MOST_POSTINGS = 4_000_000;
const MOST_TEXT = 24_000_000;
/** Of one description. */
const LONGEST_TEXT = 2_000;
const LONGEST_WORD = 64;
const MOST_KEPT_TEXTS = 100_000;

/**
 * Where words stand in a document. A spot is a name with its description: a parameter, a field, an answer. Its owner is
 * the number of an operation, or `-1 - number` of a schema.
 */
export interface SearchParts {
  /** In order, each followed by a line feed. */
  readonly vocabulary: string;
  /** Per word, where its spots begin in `postings`; one more at the end. */
  readonly starts: Uint32Array;
  readonly postings: Uint32Array;
  readonly owners: Int32Array;
  /** Per spot, where its text begins in `texts`; one more at the end. */
  readonly offsets: Uint32Array;
  /** Name, line feed, description. */
  readonly texts: Uint8Array;
}

/** Collects the words of a document while it is cut into fragments. */
export class SearchBuilder {
  private readonly encoder = new TextEncoder();
  private readonly words = new Map<string, number[]>();
  private readonly owners: number[] = [];
  private readonly offsets: number[] = [0];
  private readonly chunks: Uint8Array[] = [];
  private readonly known = new Map<string, readonly string[]>();
  private size = 0;
  private postings = 0;

  /** @param piece operation or schema, as its fragment holds it */
  add(owner: number, piece: unknown): void {
    if (isObject(piece)) this.walk(owner, '', piece, 'keywords');
  }

  /** What an operation is called: its first spot. */
  addNames(owner: number, text: string): void {
    this.addSpot(owner, '', text);
  }

  finish(): SearchParts {
    const words = [...this.words].sort(([a], [b]) => (a < b ? -1 : 1));
    const starts = new Uint32Array(words.length + 1);
    const postings = new Uint32Array(this.postings);
    let at = 0;
    for (const [place, [, spots]] of words.entries()) {
      starts[place] = at;
      postings.set(spots, at);
      at += spots.length;
    }
    starts[words.length] = at;
    const texts = new Uint8Array(this.size);
    for (const [place, chunk] of this.chunks.entries()) texts.set(chunk, this.offsets[place]);
    return {
      vocabulary: words.map(([word]) => `${word}\n`).join(''),
      ...{ starts, postings, texts, owners: Int32Array.from(this.owners), offsets: Uint32Array.from(this.offsets) },
    };
  }

  private walk(owner: number, path: string, piece: JsonObject, place: FragmentPlace): void {
    const own = place === 'names' ? '' : ownName(piece);
    const name = own === '' ? path : join(path, own);
    if (place === 'keywords') this.addSpot(owner, name, textOf(piece));
    for (const [key, value] of Object.entries(piece)) {
      if (typeof value !== 'object' || value === null) continue;
      const below = placeBelow(place, key, value);
      if (below === 'data' || below === 'example' || below === 'examples') continue;
      const inner = place === 'names' ? join(name, readString(key, 200)) : name;
      if (Array.isArray(value)) {
        for (const item of value as unknown[]) if (isObject(item)) this.walk(owner, inner, item, below);
      } else this.walk(owner, inner, value as JsonObject, below);
    }
  }

  private addSpot(owner: number, name: string, text: string): void {
    const isNamed = name !== '' && name !== this.readLastName(owner);
    if ((text === '' && !isNamed) || this.owners.length >= MOST_SPOTS) return;
    const chunk = this.encoder.encode(`${name}\n${text}`);
    if (this.size + chunk.length > MOST_TEXT) return;
    const spot = this.owners.push(owner) - 1;
    this.size += chunk.length;
    this.offsets.push(this.size);
    this.chunks.push(chunk);
    // The path above a name belongs to other spots.
    for (const word of new Set([...this.wordsIn(name.split('.').at(-1) ?? ''), ...this.wordsIn(text)])) {
      const spots = this.words.get(word);
      if (this.postings >= MOST_POSTINGS) return;
      this.postings += 1;
      if (spots) spots.push(spot);
      else this.words.set(word, [spot]);
    }
    this.last = { owner, name };
  }

  private last = { owner: 0, name: '' };

  // `schema` and `items` below a field are the field.
  private readLastName(owner: number): string {
    return this.last.owner === owner ? this.last.name : '';
  }

  private wordsIn(text: string): readonly string[] {
    const known = this.known.get(text);
    if (known) return known;
    const words = wordsOf(text);
    if (this.known.size < MOST_KEPT_TEXTS) this.known.set(text, words);
    return words;
  }
}

const join = (path: string, name: string) => (path === '' ? name : `${path}.${name}`);

/** Parameters, answers, media types and headers are lists of what has a name. */
function ownName(piece: JsonObject): string {
  return readString(piece.name, 200) || readString(piece.status, 20);
}

function textOf({ title, summary, description, enum: values }: JsonObject): string {
  const texts = [title, summary, description].map((text) => readString(text, LONGEST_TEXT));
  const choices = Array.isArray(values) ? values.slice(0, 200).map((value) => readString(value, 100)) : [];
  return [...texts, choices.join(' ')]
    .filter((text) => text !== '')
    .join('\n')
    .slice(0, LONGEST_TEXT);
}

/** Words of a text in lower case, names also by their parts: `pull_requestId` is found by `request`. */
function wordsOf(text: string): string[] {
  const found = new Set<string>();
  for (const [word] of text.matchAll(/[\p{L}\p{N}\p{M}_-]+/gu)) {
    const parts = word.replace(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/gu, '-').split(/[_-]+/u);
    for (const part of [word, ...parts]) if (part !== '') found.add(part.toLowerCase().slice(0, LONGEST_WORD));
  }
  return [...found];
}
