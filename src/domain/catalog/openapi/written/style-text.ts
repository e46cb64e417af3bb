import { isObject } from '../lookup.js';
import type { IndexedStyle } from '../style.js';
import type { Say } from './blocks.js';

/** What each style is called: [exploded, joined]. */
const WORDS: Readonly<Record<string, readonly [exploded: string | null, joined: string | null]>> = {
  form: [null, 'style-commas'],
  spaceDelimited: [null, 'style-spaces'],
  tabDelimited: ['style-tabs', 'style-tabs'],
  pipeDelimited: [null, 'style-pipes'],
  simple: ['style-pairs', null],
  label: ['style-label-each', 'style-label'],
  matrix: ['style-matrix', 'style-matrix'],
  deepObject: ['style-deep', 'style-deep'],
  cookie: ['style-cookie', 'style-cookie'],
};
const ALWAYS = new Set(['label', 'matrix', 'cookie']);
const SCALARS = new Set(['string', 'number', 'integer', 'boolean']);

/** Where a parameter goes, in the reader's language. */
export function describePlace(place: string, say: Say): string {
  const word = say(`in-${place}`);
  return word === `in-${place}` ? place : word;
}

interface Styled extends IndexedStyle {
  readonly name: string;
  readonly schema: unknown;
  readonly mediaType?: string;
}

/** How a parameter or a field is written, in sentences; none for what is written as usual in its place. */
export function describeStyle({ name, style, explode, allowReserved, schema, mediaType }: Styled, say: Say): string[] {
  const isSaid = ALWAYS.has(style) || mayBeDivided(schema, style === 'simple');
  const word = isSaid && !mediaType ? WORDS[style]?.[explode ? 0 : 1] : null;
  return [...(word ? [say(word, { name })] : []), ...(allowReserved ? [say('style-reserved')] : [])];
}

// A schema that is named elsewhere may be a list or an object.
function mayBeDivided(schema: unknown, isOnlyOfObjects: boolean): boolean {
  if (!isObject(schema)) return false;
  const types = [schema.type].flat().filter((type) => type !== 'null' && type !== undefined);
  if (isOnlyOfObjects) return types.includes('object') || isObject(schema.properties);
  return types.length === 0 || types.some((type) => !SCALARS.has(String(type)));
}
