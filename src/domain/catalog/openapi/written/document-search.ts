import type { FragmentRow } from '../fragments.js';
import type { SearchParts } from './search-builder.js';

/** Work that one question may cause, so that it takes milliseconds in any document. */
const MOST_WORDS = 6;
const MOST_MEANT = 500;
const MOST_SPOTS = 200_000;
const MOST_STEPS = 200_000;
const MOST_HITS = 50;
/** Characters around the word that was found. */
const AROUND = 60;

/** Scores: the names of an operation before its own texts, these before its schemas, whole words before parts. */
const SCORES = { names: 40, own: 20, schema: 10, whole: 8, start: 4 };

/** An operation, and where in it the words stand. */
export interface OperationHit {
  readonly number: number;
  /** Dotted name of the parameter or field, empty for the operation itself; and the text around the word. */
  readonly spots: readonly { readonly name: string; readonly text: string }[];
}

interface Found {
  readonly score: number;
  readonly spot: number;
}

/** Finds operations by words of their descriptions, fields and schemas, in milliseconds and without reading the document. */
export class DocumentSearch {
  private readonly usedBy: ReadonlyMap<number, readonly number[]>;
  private readonly texts: Buffer;

  constructor(
    private readonly parts: SearchParts,
    operations: readonly FragmentRow[],
    schemas: readonly FragmentRow[],
  ) {
    this.usedBy = usersOf(operations, schemas);
    const { buffer, byteOffset, byteLength } = parts.texts;
    this.texts = Buffer.from(buffer, byteOffset, byteLength);
  }

  /** Approximate memory use in bytes. */
  get size(): number {
    const { vocabulary, starts, postings, owners, offsets, texts } = this.parts;
    const lists = [starts, postings, owners, offsets, texts];
    return vocabulary.length + lists.reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  /** Operations in which every word stands, best first. */
  find(question: string): OperationHit[] {
    const words = [...new Set(question.toLowerCase().split(/[^\p{L}\p{N}\p{M}_-]+/u))].filter((word) => word !== '');
    const asked = words.slice(0, MOST_WORDS);
    if (asked.length === 0) return [];
    const [first, ...others] = asked.map((word) => this.operationsWith(word));
    const all = [...(first ?? [])].flatMap(([number, found]) => {
      const rest = others.map((one) => one.get(number));
      return rest.includes(undefined) ? [] : [{ number, found: [found, ...rest] as Found[] }];
    });
    const scoreOf = ({ found }: { found: Found[] }) => found.reduce((sum, { score }) => sum + score, 0);
    all.sort((a, b) => scoreOf(b) - scoreOf(a) || a.number - b.number);
    return all.slice(0, MOST_HITS).map(({ number, found }) => ({
      number,
      spots: [...new Map(found.map((one, place) => [one.spot, asked[place] ?? ''] as const))].map(([spot, word]) =>
        this.spotOf(spot, word),
      ),
    }));
  }

  /** What is said of each operation, and of schema `n` at `-1 - n`: names and descriptions of its parts, cut at `most` characters. */
  textsByOwner(most: number): ReadonlyMap<number, string> {
    const { owners, offsets } = this.parts;
    const found = new Map<number, string>();
    for (const [spot, owner] of owners.entries()) {
      const before = found.get(owner) ?? '';
      if (before.length >= most || this.isNames(spot)) continue;
      const [name = '', ...rest] = this.texts.toString('utf8', offsets[spot], offsets[spot + 1]).split('\n');
      const text = [name.split('.').at(-1), ...rest].filter((part) => part !== '').join(' ');
      found.set(owner, `${before}${before === '' ? '' : '\n'}${text}`.slice(0, most));
    }
    return found;
  }

  private operationsWith(word: string): Map<number, Found> {
    const operations = new Map<number, Found>();
    const schemas = new Map<number, Found>();
    for (const [spot, kind] of this.spotsWith(word)) {
      const owner = this.parts.owners[spot] ?? 0;
      const name = this.isNames(spot) ? SCORES.names : owner >= 0 ? SCORES.own : SCORES.schema;
      const target = owner >= 0 ? operations : schemas;
      keepBest(target, owner >= 0 ? owner : -1 - owner, { score: name + kind, spot });
    }
    this.climb(schemas, operations);
    return operations;
  }

  /** Adds the operations that use the schemas, near ones with a better score. */
  private climb(schemas: ReadonlyMap<number, Found>, operations: Map<number, Found>): void {
    const seen = new Set(schemas.keys());
    let level = [...schemas].sort(([, a], [, b]) => b.score - a.score);
    let steps = 0;
    for (let depth = 0; level.length > 0; depth += 1) {
      const next: [number, Found][] = [];
      for (const [schema, found] of level) {
        for (const user of this.usedBy.get(schema) ?? []) {
          steps += 1;
          if (steps > MOST_STEPS) return;
          const here = { ...found, score: found.score - Math.min(depth, SCORES.schema - 1) };
          if (user >= 0) keepBest(operations, user, here);
          else if (!seen.has(-1 - user)) {
            seen.add(-1 - user);
            next.push([-1 - user, found]);
          }
        }
      }
      level = next;
    }
  }

  /** Spots of the words that contain this one, with what that is worth. */
  private spotsWith(word: string): [spot: number, score: number][] {
    const { vocabulary, starts, postings } = this.parts;
    const found: [number, number][] = [];
    let [line, from, meant] = [0, 0, 0];
    for (let at = vocabulary.indexOf(word); at >= 0 && meant < MOST_MEANT; at = vocabulary.indexOf(word, from)) {
      // Lines are counted on from the last hit.
      for (let feed = vocabulary.indexOf('\n', from); feed >= 0 && feed < at; feed = vocabulary.indexOf('\n', from)) {
        line += 1;
        from = feed + 1;
      }
      const end = vocabulary.indexOf('\n', at);
      const score = at === from ? (end === at + word.length ? SCORES.whole : SCORES.start) : 0;
      for (let place = starts[line] ?? 0; place < (starts[line + 1] ?? 0); place += 1) {
        if (found.length >= MOST_SPOTS) return found;
        found.push([postings[place] ?? 0, score]);
      }
      meant += 1;
      line += 1;
      from = end + 1;
    }
    return found;
  }

  private isNames(spot: number): boolean {
    const { owners } = this.parts;
    return (owners[spot] ?? -1) >= 0 && owners[spot - 1] !== owners[spot];
  }

  private spotOf(spot: number, word: string): { name: string; text: string } {
    const { offsets } = this.parts;
    const [name = '', ...rest] = this.texts.toString('utf8', offsets[spot], offsets[spot + 1]).split('\n');
    const text = rest.join(' ').replaceAll('`', '');
    const at = Math.max(0, text.toLowerCase().indexOf(word));
    const start = at <= AROUND ? 0 : text.indexOf(' ', at - AROUND) + 1 || at - AROUND;
    const end = at + word.length + AROUND;
    return { name, text: `${start > 0 ? '… ' : ''}${text.slice(start, end)}${end < text.length ? ' …' : ''}` };
  }
}

function keepBest(found: Map<number, Found>, key: number, one: Found): void {
  const known = found.get(key);
  if (!known || known.score < one.score) found.set(key, one);
}

/** Schema → the operations, and as `-1 - number` the schemas, that refer to it. */
function usersOf(operations: readonly FragmentRow[], schemas: readonly FragmentRow[]): Map<number, number[]> {
  const users = new Map<number, number[]>();
  const add = (user: number, { needs }: FragmentRow) => {
    for (const schema of needs) {
      const known = users.get(schema);
      if (known) known.push(user);
      else users.set(schema, [user]);
    }
  };
  for (const [number, row] of operations.entries()) add(number, row);
  for (const [number, row] of schemas.entries()) add(-1 - number, row);
  return users;
}
