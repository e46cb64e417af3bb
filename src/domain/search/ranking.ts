import { SEARCH_TYPES, type SearchType } from './search-entry.js';
import type { Choices } from './full-text.js';
import { placesOf, wellFormed, wordsOf } from './search-text.js';

/** What a term is worth by where it stands, as a whole word and as the beginning of one. */
const WORTH = { name: [12, 8], summary: [5, 3], elsewhere: 1 } as const;
/** Of a word that stands for a misspelt one. */
const GUESSED = 0.5;
const WHOLE_NAME = 20;
const BEGINS_NAME = 5;
/** How much of the name was asked for. */
const COVERAGE = 4;
const TYPE_STEP = 0.6;

interface Ranked {
  readonly id: number;
  readonly type: SearchType;
  readonly name: string;
  readonly summary: string;
}

/** The best first: names before summaries before texts, whole words before beginnings before guesses. Equal ones by name: the order of the
 * database depends on what others may see. */
export function rank<T extends Ranked>(candidates: readonly T[], terms: readonly Choices[]): T[] {
  const scored = candidates.map((candidate) => ({ candidate, score: scoreOf(candidate, terms) }));
  scored.sort((a, b) => b.score - a.score || compareNames(a.candidate, b.candidate));
  return scored.map(({ candidate }) => candidate);
}

function compareNames(a: Ranked, b: Ranked): number {
  if (a.name === b.name) return a.id - b.id;
  return a.name.length - b.name.length || (a.name < b.name ? -1 : 1);
}

function scoreOf({ type, name, summary }: Ranked, terms: readonly Choices[]): number {
  const [names, summaries] = [wordsOf(name), wordsOf(summary)];
  const worth = terms.reduce((sum, choices) => sum + worthOf(choices, names, summaries), 0);
  const asked = terms.map(([term]) => term);
  const isWhole = names.length === asked.length && asked.every((term, place) => names[place] === term);
  const begins = asked.every((term, place) => names[place]?.startsWith(term));
  const named = asked.filter((term) => names.some((word) => word.startsWith(term))).length;
  const bonus = (isWhole ? WHOLE_NAME : begins ? BEGINS_NAME : 0) + (COVERAGE * named) / Math.max(1, names.length);
  return worth + bonus + (SEARCH_TYPES.length - SEARCH_TYPES.indexOf(type)) * TYPE_STEP;
}

function worthOf(choices: Choices, names: readonly string[], summaries: readonly string[]): number {
  const [typed, ...guesses] = choices;
  const worth = worthOfWord(typed, names, summaries);
  return Math.max(worth, ...guesses.map((guess) => worthOfWord(guess, names, summaries) * GUESSED));
}

function worthOfWord(term: string, names: readonly string[], summaries: readonly string[]): number {
  for (const [words, [whole, beginning]] of [
    [names, WORTH.name],
    [summaries, WORTH.summary],
  ] as const) {
    if (words.includes(term)) return whole;
    if (words.some((word) => word.startsWith(term))) return beginning;
  }
  return WORTH.elsewhere;
}

/** A piece of a text; the found ones are marked. */
export interface Piece {
  readonly text: string;
  readonly isMarked: boolean;
}

/** The text in pieces. Whoever shows them escapes each: nothing here is markup. */
export function mark(text: string, terms: readonly Choices[]): Piece[] {
  const pieces: Piece[] = [];
  let done = 0;
  for (const { at, end, words } of placesOf(text)) {
    if (!isFound(words, terms)) continue;
    if (at > done) pieces.push({ text: text.slice(done, at), isMarked: false });
    pieces.push({ text: text.slice(at, end), isMarked: true });
    done = end;
  }
  if (done < text.length) pieces.push({ text: text.slice(done), isMarked: false });
  return pieces;
}

const AROUND = 70;
const LONGEST_SNIPPET = 220;

/** The part of a text around the first word that was found, or its beginning. */
export function snippetOf(text: string, terms: readonly Choices[]): Piece[] {
  let first = 0;
  for (const { at, words } of placesOf(text)) {
    if (!isFound(words, terms)) continue;
    first = at;
    break;
  }
  const start = first <= AROUND ? 0 : wordAfter(text, first - AROUND, first);
  const end = text.length <= start + LONGEST_SNIPPET ? text.length : wordBefore(text, start, start + LONGEST_SNIPPET);
  const part = wellFormed(text.slice(start, end).trim());
  return mark(`${start > 0 ? '… ' : ''}${part}${end < text.length ? ' …' : ''}`, terms);
}

function wordAfter(text: string, from: number, until: number): number {
  const space = text.indexOf(' ', from);
  return space < 0 || space >= until ? from : space + 1;
}

function wordBefore(text: string, from: number, until: number): number {
  const space = text.lastIndexOf(' ', until);
  return space <= from ? until : space;
}

function isFound(words: readonly string[], terms: readonly Choices[]): boolean {
  return words.some((word) => terms.some((choices) => choices.some((choice) => word.startsWith(choice))));
}
