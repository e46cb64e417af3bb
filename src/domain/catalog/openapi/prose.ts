import MarkdownIt from 'markdown-it';
import { LONGEST_TEXT, type JsonObject } from './lookup.js';
import { placeBelow, type FragmentPlace } from './places.js';
import { proseTreeOf, type ProseNode } from './prose-tree.js';

/** A description and its tree. */
export type Prose = readonly [text: string, tree: readonly ProseNode[]];

/** Characters with a meaning in Markdown. Most descriptions have none and skip the parser. */
const MARKS = /[`*_[\]<>|~\\&\n]|:\/\/|^\s*(?:[-+#]|\d{1,9}[.)])/;

/** Keys that hold Markdown. */
const TEXTS = new Set(['description', 'pathDescription']);

const markdown = new MarkdownIt({ html: true, linkify: true });
// Only URLs with a scheme: other kinds are guesses, and `//` takes quadratic time.
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
for (const scheme of ['ftp:', '//', 'mailto:']) markdown.linkify.add(scheme, null);
markdown.validateLink = () => true;

/** The Markdown of every description in a fragment, as trees; plain paragraphs are omitted. */
export function proseOf(piece: unknown): Prose[] {
  const found = new Map<string, Prose>();
  const open: [value: unknown, place: FragmentPlace][] = [[piece, 'keywords']];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [value, place] = next;
    for (const [key, inner] of Object.entries(value as JsonObject)) {
      if (typeof inner === 'object' && inner !== null) {
        const below = Array.isArray(value) ? place : placeBelow(place, key, inner);
        if (below !== 'data') open.push([inner, below]);
      }
      if (!TEXTS.has(key) || typeof inner !== 'string') continue;
      const text = inner.slice(0, LONGEST_TEXT);
      if (found.has(text) || !MARKS.test(text)) continue;
      const tree = proseTreeOf(markdown.parse(text, {}));
      if (!isPlain(tree, text)) found.set(text, [text, tree]);
    }
  }
  return [...found.values()];
}

/** The Markdown of one description as a tree. */
export function proseTree(text: string): ProseNode[] {
  return proseTreeOf(markdown.parse(text.slice(0, LONGEST_TEXT), {}));
}

function isPlain([first, ...more]: readonly ProseNode[], text: string): boolean {
  return (
    more.length === 0 && Array.isArray(first) && first.length === 2 && first[0] === 'p' && first[1] === text.trim()
  );
}
