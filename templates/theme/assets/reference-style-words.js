import { shapesOf } from './reference-serialize.js';

// How a parameter or a field is written, where that is not the usual way of its place: in words.

/** What each style is called, of lists and objects: [exploded, joined]. */
const WORDS = {
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
/** What single values show of, too. */
const ALWAYS = new Set(['label', 'matrix', 'cookie']);
const JOINED = new Set(['simple']);

/** Where a parameter goes, in the reader's language. */
export function placeWord(place, say) {
  const word = say(`in-${place}`);
  return word === `in-${place}` ? place : word;
}

/** @returns sentences; none for what is written as usual */
export function styleWords({ name, style, explode, allowReserved, schema, mediaType }, { say, store }) {
  const shapes = shapesOf(schema, store);
  const isDivided = shapes.has('array') || shapes.has('object');
  const isSaid = (isDivided && (!JOINED.has(style) || shapes.has('object'))) || ALWAYS.has(style);
  const word = isSaid && !mediaType && Object.hasOwn(WORDS, style) ? WORDS[style][explode ? 0 : 1] : null;
  return [...(word ? [say(word, { name })] : []), ...(allowReserved ? [say('style-reserved')] : [])];
}
