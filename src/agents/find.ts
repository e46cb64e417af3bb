import type { DocumentIndex, OutlineOperation, ProductRecord } from '../domain/catalog/index.js';
import { ValidationError } from '../core/index.js';
import { productsByName, type Reading } from './reading.js';

/** Words of a question that are looked for; people and models write sentences. */
const MOST_WORDS = 5;
/** A question of more is a sentence: misspelt words are not looked for in it, as its words are looked for one by one. */
const MOST_TYPED = 4;
/** Products that each word may find. */
const OF_EACH_WORD = 25;
const LAST_PLACE = 1_000_000;
const PLACE = /^at-(\d{1,7})$/;

interface FoundApis {
  readonly items: readonly Pick<ProductRecord, 'slug' | 'name' | 'shortDescription'>[];
  readonly next: string | null;
}

/**
 * Products that the reader may see. The whole question comes first; where it finds nothing, its words do, and products
 * with more of them before the others.
 */
export async function findApis(
  reading: Reading,
  question: string,
  cursor: string,
  perPage: number,
): Promise<FoundApis> {
  const { services, viewer, locale } = reading;
  const ranked = await rankApis(reading, question, cursor, perPage);
  if (ranked) return ranked;
  const list = (q: string, most: number, from = '') =>
    services.catalog.products.list(
      { ...productsByName(1, most), ...(q !== '' && { q }), ...(from !== '' && { cursor: from }) },
      viewer,
      locale,
    );
  const whole = await list(question, perPage, cursor);
  const words = wordsOf(question);
  if (whole.items.length > 0 || cursor !== '' || words.length < 2)
    return { items: whole.items, next: whole.nextCursor };
  const found = new Map<number, { product: ProductRecord; count: number }>();
  const ofWords = await Promise.all(words.map((word) => list(word, OF_EACH_WORD)));
  for (const { items } of ofWords) {
    for (const product of items) {
      const known = found.get(product.id);
      found.set(product.id, { product, count: (known?.count ?? 0) + 1 });
    }
  }
  const best = [...found.values()].sort((a, b) => b.count - a.count).slice(0, perPage);
  return { items: best.map(({ product }) => product), next: null };
}

/** As the search of the portal ranks them, typos forgiven; null where it finds nothing or is off. */
async function rankApis(
  { services, viewer, locale }: Reading,
  q: string,
  cursor: string,
  perPage: number,
): Promise<FoundApis | null> {
  if (q === '' || (cursor !== '' && !PLACE.test(cursor))) return null;
  const page = readPlace(cursor) || 1;
  const mayGuess = q.trim().split(/\s+/).length <= MOST_TYPED;
  const request = { q, type: 'product', page, perPage, isDone: false, mayGuess, counts: false } as const;
  const { items, total } = await services.search.finder.search(request, viewer, locale);
  if (total === 0) return null;
  const found = items.map(({ place, name, summary }) => ({
    ...{ slug: place, name },
    shortDescription: summary.map(({ text }) => text).join(''),
  }));
  return { items: found, next: page * perPage < total ? writePlace(page + 1) : null };
}

/** Operations in which every word stands, best first; where there are none, those with the most of them. */
export function findOperations({ outline, search }: DocumentIndex, question: string): readonly OutlineOperation[] {
  const { operations } = outline;
  if (question === '') return operations;
  const pick = (numbers: readonly number[]) => numbers.flatMap((number) => operations[number] ?? []);
  const exact = search.find(question);
  if (exact.length > 0) return pick(exact.map(({ number }) => number));
  const counts = new Map<number, number>();
  for (const word of wordsOf(question)) {
    for (const [place, { number }] of search.find(word).entries()) {
      // Of two with as many words, the one that a word found earlier.
      counts.set(number, (counts.get(number) ?? 0) + 1 - place / 1_000);
    }
  }
  return pick([...counts].sort(([, a], [, b]) => b - a).map(([number]) => number));
}

function wordsOf(question: string): string[] {
  const words = question.toLowerCase().split(/[^\p{L}\p{N}\p{M}_-]+/u);
  // The longest say most; "the" and "of" are in every text.
  return [...new Set(words.filter((word) => word.length > 2))].sort((a, b) => b.length - a.length).slice(0, MOST_WORDS);
}

/** The place in a list that is not read from the database. */
export function writePlace(place: number): string {
  return `at-${place}`;
}

/** @throws ValidationError for a cursor of something else */
export function readPlace(cursor: string): number {
  if (cursor === '') return 0;
  const place = Number(PLACE.exec(cursor)?.[1] ?? Number.NaN);
  if (!Number.isInteger(place) || place > LAST_PLACE)
    throw new ValidationError({ cursor: ['cursor is not one of this list.'] });
  return place;
}
