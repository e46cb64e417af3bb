import MarkdownIt, { type Token } from 'markdown-it';
import type { JsonObject } from './lookup.js';

/** A text, or an element: its tag and content. A link's address comes first; the script validates it. */
type Node = string | Element;
type Element = [tag: string, ...inside: Node[]];

/** A description and its tree. */
export type Prose = readonly [text: string, tree: readonly Node[]];

/** Maximum characters that are rendered; the script truncates there too. */
const LONGEST = 50_000;
/** Characters with a meaning in Markdown. Most descriptions have none and skip the parser. */
const MARKS = /[`*_[\]<>|~\\&\n]|:\/\/|^\s*(?:[-+#]|\d{1,9}[.)])/;

const markdown = new MarkdownIt({ html: false, linkify: true });
// Only URLs with a scheme: other kinds are guesses, and `//` takes quadratic time.
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
for (const scheme of ['ftp:', '//', 'mailto:']) markdown.linkify.add(scheme, null);
markdown.validateLink = () => true;

/** The Markdown of every description in a fragment, as trees; plain paragraphs are omitted. */
export function proseOf(piece: unknown): Prose[] {
  const found = new Map<string, Prose>();
  const open = [piece];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    for (const [key, inner] of Object.entries(value as JsonObject)) {
      if (typeof inner === 'object' && inner !== null) open.push(inner);
      if (key !== 'description' || typeof inner !== 'string') continue;
      const text = inner.slice(0, LONGEST);
      if (found.has(text) || !MARKS.test(text)) continue;
      const tree = treeOf(markdown.parse(text, {}));
      if (!isPlain(tree, text)) found.set(text, [text, tree]);
    }
  }
  return [...found.values()];
}

function treeOf(tokens: readonly Token[]): Node[] {
  const root: Node[] = [];
  const open = [root];
  for (const token of tokens) {
    const inside = open.at(-1) ?? root;
    if (token.nesting < 0) open.pop();
    // A paragraph of a tight list is hidden: its text belongs directly to the item.
    else if (token.nesting > 0 && token.hidden) open.push(inside);
    else if (token.nesting > 0) {
      const element: Element = token.tag === 'a' ? ['a', String(token.attrGet('href'))] : [token.tag];
      inside.push(element);
      open.push(element);
    } else
      for (const node of token.type === 'inline' ? treeOf(token.children ?? []) : [leafOf(token)]) add(inside, node);
  }
  return root;
}

function leafOf({ type, tag, content }: Token): Node {
  if (type === 'softbreak') return '\n';
  if (type === 'fence' || type === 'code_block') return ['pre', ['code', content.replace(/\n$/, '')]];
  if (type === 'code_inline') return ['code', content];
  // Images would let a third party track readers: only their text stays.
  return tag === 'br' || tag === 'hr' ? [tag] : content;
}

function add(inside: Node[], node: Node): void {
  const last = inside.length - 1;
  const isText = last > (inside[0] === 'a' ? 1 : 0) && typeof inside[last] === 'string';
  if (typeof node === 'string' && isText) inside[last] += node;
  else inside.push(node);
}

function isPlain([first, ...more]: readonly Node[], text: string): boolean {
  return (
    more.length === 0 && Array.isArray(first) && first.length === 2 && first[0] === 'p' && first[1] === text.trim()
  );
}
