import { createHash } from 'node:crypto';
import { mergeRows, type Database, type Transaction } from '../../database/index.js';
import type { FullText } from './full-text.js';
import { entryRecord, gramRecord, wordRecord, type SearchDocument, type SearchScope } from './search-entry.js';
import { gramsOf, tellingWordsOf, wellFormed } from './search-text.js';

/** How texts are taken apart. Another one has everything indexed anew. */
export const FORMAT = 2;
export const ROWS_PER_STATEMENT = 100;
const LONGEST = { place: 500, name: 300, summary: 600, body: 6_000 };
/** Words of one record that typos are compared with. */
const MOST_WORDS = 3_000;
const SHORTEST_WORD = 3;

/** A record of a source. */
export interface Place {
  readonly source: string;
  readonly recordId: number;
}

/** Writes what can be found of a record, and its words. The caller's transaction holds the record's row of the index. */
export class SearchWriter {
  constructor(
    private readonly database: Database,
    private readonly fullText: FullText,
  ) {}

  /** @param isForced writes what is unchanged, too */
  async writeEntries(
    place: Place,
    { productId, documents }: SearchScope,
    isForced: boolean,
    transaction: Transaction,
  ): Promise<void> {
    const { database, fullText } = this;
    const wanted = new Map(documents.map((document) => [digestOf(document, productId), document]));
    const options = { only: ['id', 'digest'], transaction } as const;
    const present = await entryRecord.findAll(database, place, options);
    const kept = new Set(isForced ? [] : present.map(({ digest }) => digest).filter((digest) => wanted.has(digest)));
    const old = present.filter(({ digest }) => !kept.has(digest)).map(({ id }) => id);
    await fullText.remove(old, transaction);
    for (const ids of batchesOf(old)) await entryRecord.remove(database, { id: ids }, transaction);
    const added = [...wanted].filter(([digest]) => !kept.has(digest));
    for (const batch of batchesOf(added)) {
      const rows = batch.map(([digest, document]) => ({ ...place, productId, digest, ...shown(document) }));
      await entryRecord.insertAll(database, rows, transaction);
    }
    const written = await entryRecord.findAll(database, place, options);
    const texts = written.flatMap(({ id, digest }) => {
      const document = kept.has(digest) ? undefined : wanted.get(digest);
      return document ? [{ ...place, productId, id, ...indexed(document) }] : [];
    });
    await fullText.insert(texts, transaction);
  }

  async writeWords(place: Place, { productId, documents }: SearchScope, transaction: Transaction): Promise<void> {
    const { database } = this;
    const texts = documents.map(({ name, summary, keywords = '' }) => `${name} ${summary} ${keywords}`);
    const words = new Set(texts.flatMap(tellingWordsOf).filter(isComparable));
    const wanted = new Set([...words].sort().slice(0, MOST_WORDS));
    const present = await wordRecord.findAll(database, place, { transaction });
    const isKept = (row: (typeof present)[number]) => wanted.has(row.word) && row.productId === productId;
    const kept = new Set(present.filter(isKept).map(({ word }) => word));
    const old = present.filter(({ word }) => !kept.has(word)).map(({ word }) => word);
    for (const batch of batchesOf(old)) await wordRecord.remove(database, { ...place, word: batch }, transaction);
    const added = [...wanted].filter((word) => !kept.has(word));
    for (const batch of batchesOf(added)) {
      await wordRecord.insertAll(
        database,
        batch.map((word) => ({ word, ...place, productId })),
        transaction,
      );
    }
    await this.writeGrams(added, transaction);
  }

  /** Of words that no record has had before. */
  private async writeGrams(words: readonly string[], transaction: Transaction): Promise<void> {
    const { database } = this;
    const fresh: string[] = [];
    for (const batch of batchesOf(words)) {
      const beginnings = [...new Set(batch.map((word) => `^${word.slice(0, 2)}`))];
      const options = { only: ['word'], transaction } as const;
      const rows = await gramRecord.findAll(database, { gram: beginnings, word: batch }, options);
      const known = new Set(rows.map(({ word }) => word));
      fresh.push(...batch.filter((word) => !known.has(word)));
    }
    const grams = fresh.flatMap((word) => gramsOf(word).map((gram) => ({ gram, word, length: word.length })));
    grams.sort((a, b) => (a.gram < b.gram || (a.gram === b.gram && a.word < b.word) ? -1 : 1));
    await mergeRows(database, gramRecord, grams, { length: 'replace' }, transaction);
  }
}

const isComparable = (word: string) => word.length >= SHORTEST_WORD && !/^\d+$/.test(word);

function shown({ type, place, locale, name, summary, body }: SearchDocument) {
  return {
    ...{ type, locale, place: place.slice(0, LONGEST.place), name: cut(name, LONGEST.name) },
    ...{ summary: cut(summary, LONGEST.summary), body: cut(body, LONGEST.body) },
  };
}

function indexed({ type, locale, name, summary, body, keywords = '' }: SearchDocument) {
  return { type, locale, name, summary: `${summary} ${keywords}`, body: cut(body, LONGEST.body) };
}

/** Never within a pair of surrogates, of which a database would refuse one half. */
function cut(text: string, most: number): string {
  return wellFormed(text.slice(0, most)).replace(/\ufffd$/, '');
}

function digestOf(document: SearchDocument, productId: number | null): string {
  const { type, place, locale, name, summary, body, keywords } = document;
  const facts = [FORMAT, productId, type, place, locale, name, summary, body, keywords];
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex');
}

function batchesOf<T>(rows: readonly T[]): T[][] {
  const count = Math.ceil(rows.length / ROWS_PER_STATEMENT);
  return Array.from({ length: count }, (_, at) => rows.slice(at * ROWS_PER_STATEMENT, (at + 1) * ROWS_PER_STATEMENT));
}
