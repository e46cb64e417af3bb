import { BoundedCache } from '../../core/index.js';

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
/** Written without spaces: words are pairs of characters. */
const UNSPACED =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]+$/u;
const ASCII = /^[a-zA-Z0-9]+$/;
const LONGEST_WORD = 40;
const KEPT_WORDS = 20_000;

/** Letters that Arabic and Persian keyboards write in several ways; NFKD has taken alef forms apart already. */
const ALIKE: Readonly<Record<string, string>> = {
  ...{ '\u0671': '\u0627', '\u0649': '\u064a', '\u0629': '\u0647', '\u06a9': '\u0643', '\u06cc': '\u064a' },
};
const LETTERS = new RegExp(`[${Object.keys(ALIKE).join('')}]`, 'gu');
const ARTICLE = '\u0627\u0644';
/** Of Arabic digits, the plain and the extended ones. */
const DIGITS = /[\u0660-\u0669\u06f0-\u06f9]/gu;

/** Too frequent to tell texts apart. Names of records keep them. */
const STOP_WORDS = new Set(
  (
    'a an and are as at be by for from has in is it its of on or that the this to was were will with ' +
    'في من على الي عن او ان هذا هذه التي الذي مع كل ما لا'
  ).split(' '),
);

const known = new BoundedCache<string>({ entries: KEPT_WORDS });

/**
 * A word as the index knows it: small letters without marks, Arabic without tashkeel and tatweel and with one form of alef,
 * ya and ta marbuta, digits of the Latin script.
 */
function normaliseWord(word: string): string {
  if (ASCII.test(word)) return word.toLowerCase().slice(0, LONGEST_WORD);
  const before = known.get(word);
  if (before !== undefined) return before;
  const plain = word
    .normalize('NFKD')
    .replaceAll(/[\p{M}\u0640]/gu, '')
    .toLowerCase()
    .replaceAll(LETTERS, (letter) => ALIKE[letter] ?? letter)
    .replaceAll(DIGITS, (digit) => String(digit.charCodeAt(0) & 0xf))
    .slice(0, LONGEST_WORD);
  known.set(word, plain);
  return plain;
}

/** Text without halves of surrogate pairs, which databases refuse. */
export function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}

/** The words of a text in order, repeated ones too, names by their parts as well: `pullRequest`, `pull`, `request`. */
export function wordsOf(text: string): string[] {
  const found: string[] = [];
  for (const [word] of text.matchAll(WORD)) {
    found.push(...withoutArticle(normaliseWord(word)));
    const parts = partsOf(word);
    if (parts.length > 1) for (const part of parts) found.push(normaliseWord(part));
  }
  return found.filter((word) => word !== '');
}

/** Words without those that say nothing. */
export function tellingWordsOf(text: string): string[] {
  return wordsOf(text).filter((word) => !STOP_WORDS.has(word));
}

/** Words with where they stand, for marks. */
export function* placesOf(
  text: string,
): Generator<{ readonly at: number; readonly end: number; readonly words: readonly string[] }> {
  for (const match of text.matchAll(WORD)) {
    const [word] = match;
    const parts = partsOf(word);
    const words = [...withoutArticle(normaliseWord(word)), ...(parts.length > 1 ? parts.map(normaliseWord) : [])];
    yield { at: match.index, end: match.index + word.length, words };
  }
}

const MOST_TERMS = 8;

/** What somebody looks for, each word once; those that say nothing only when there is no other. */
export function termsOf(question: string): string[] {
  const words = [...question.matchAll(WORD)].flatMap(([word]) => partsOf(word).map(normaliseWord));
  const terms = [...new Set(words.map((word) => withoutArticle(word).at(-1) ?? word))].filter((word) => word !== '');
  const telling = terms.filter((word) => !STOP_WORDS.has(word));
  return (telling.length > 0 ? telling : terms).slice(0, MOST_TERMS);
}

/** `createPayment` → `create`, `Payment`; pairs of characters of scripts without spaces. */
function partsOf(word: string): string[] {
  if (UNSPACED.test(word)) {
    const letters = [...word];
    return letters.length < 3 ? [word] : letters.slice(1).map((letter, place) => `${letters[place]}${letter}`);
  }
  return word.split(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/u);
}

/** The word, and behind the Arabic article the one without it. */
function withoutArticle(word: string): string[] {
  return word.startsWith(ARTICLE) && word.length > ARTICLE.length + 2 ? [word, word.slice(ARTICLE.length)] : [word];
}

/** Its trigrams, the first of them with its beginning marked. */
export function gramsOf(word: string): string[] {
  const marked = `^${word}`;
  const grams = Array.from({ length: Math.max(0, marked.length - 2) }, (_, at) => marked.slice(at, at + 3));
  return [...new Set(grams)];
}

/** How many letters may be wrong. */
export function toleranceOf(term: string): number {
  if (term.length < 4 || /^\d+$/.test(term)) return 0;
  return term.length < 8 ? 1 : 2;
}

/**
 * Letters to add, remove, replace or swap to turn one word into the beginning of another.
 * @returns Infinity beyond `most`
 */
export function distanceToBeginning(term: string, word: string, most: number): number {
  const beginning = word.slice(0, term.length + most);
  const rows: number[][] = [Array.from({ length: beginning.length + 1 }, (_, at) => at)];
  for (let at = 1; at <= term.length; at += 1) {
    const row = [at];
    for (let to = 1; to <= beginning.length; to += 1) row.push(cheapest(rows, row, [term, beginning], [at, to]));
    if (Math.min(...row) > most) return Infinity;
    rows.push(row);
  }
  const best = Math.min(...(rows.at(-1) ?? []));
  return best > most ? Infinity : best;
}

function cheapest(
  rows: readonly number[][],
  row: readonly number[],
  [term, word]: readonly [string, string],
  [at, to]: readonly [number, number],
): number {
  const cell = (line: readonly number[] | undefined, place: number) => line?.[place] ?? Infinity;
  const above = rows[at - 1];
  const isSame = term[at - 1] === word[to - 1];
  const isSwapped = at > 1 && to > 1 && term[at - 1] === word[to - 2] && term[at - 2] === word[to - 1];
  return Math.min(
    cell(above, to) + 1,
    cell(row, to - 1) + 1,
    cell(above, to - 1) + (isSame ? 0 : 1),
    isSwapped ? cell(rows[at - 2], to - 2) + 1 : Infinity,
  );
}
