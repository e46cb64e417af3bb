import type { Token } from 'markdown-it';
import { readHtml } from './prose-html.js';

/** A text, or an element: its tag and content. A link's address comes first; who shows it validates it. */
export type ProseNode = string | ProseElement;
type ProseElement = [tag: string, ...inside: ProseNode[]];

interface Open {
  readonly element: ProseElement;
  /** Opened by Markdown, which closes it itself; HTML inside cannot. */
  readonly isMarkdown: boolean;
}

/** What a tag ends that was left open, from the innermost on: HTML lets people leave these ends out. */
const ENDS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  li: [['li']],
  dt: [['dt', 'dd']],
  dd: [['dt', 'dd']],
  tr: [['td', 'th'], ['tr']],
  td: [['td', 'th']],
  th: [['td', 'th']],
};
/** What holds only elements of one kind: that of anything else. */
const PARTS: Readonly<Record<string, string>> = { ul: 'li', ol: 'li', dl: 'dd' };
const HOLDERS: Readonly<Record<string, string>> = { li: 'ul', dt: 'dl', dd: 'dl' };
const FRAMES = new Set(['ul', 'ol', 'dl', 'table', 'thead', 'tbody', 'tr']);
const BLOCKS = new Set([
  ...['p', 'ul', 'ol', 'dl', 'pre', 'blockquote', 'table', 'hr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6'],
]);

/** One tree of the tokens of a text and of the HTML in it. */
export function proseTreeOf(tokens: readonly Token[]): ProseNode[] {
  const builder = new TreeBuilder();
  builder.add(tokens);
  return paragraphs(builder.nodes);
}

class TreeBuilder {
  private readonly root: ProseElement = [''];
  private readonly open: Open[] = [{ element: this.root, isMarkdown: true }];

  get nodes(): ProseNode[] {
    return this.root.slice(1);
  }

  add(tokens: readonly Token[]): void {
    for (const token of tokens) {
      if (token.nesting < 0) this.closeMarkdown();
      else if (token.nesting > 0) this.openMarkdown(token);
      else if (token.type === 'inline') this.add(token.children ?? []);
      else if (token.type === 'html_block' || token.type === 'html_inline') this.addHtml(token.content);
      else this.push(leafOf(token));
    }
  }

  private get inside(): ProseElement {
    return this.open.at(-1)?.element ?? this.root;
  }

  private openMarkdown(token: Token): void {
    // A paragraph of a tight list is hidden: its text belongs directly to the item.
    if (token.hidden) this.open.push({ element: this.inside, isMarkdown: true });
    else this.enter(token.tag === 'a' ? ['a', String(token.attrGet('href'))] : [token.tag], true);
  }

  private closeMarkdown(): void {
    while (this.open.length > 1 && this.open.pop()?.isMarkdown !== true);
  }

  private addHtml(html: string): void {
    for (const piece of readHtml(html)) {
      if (piece.kind === 'text') this.push(piece.text);
      else if (piece.kind === 'close') this.leave([piece.tag]);
      else if (piece.tag === 'br' || piece.tag === 'hr') this.push([piece.tag]);
      else {
        for (const ended of ENDS[piece.tag] ?? []) this.leave(ended);
        this.enter(piece.tag === 'a' ? ['a', piece.address] : [piece.tag], false);
      }
    }
  }

  private enter(element: ProseElement, isMarkdown: boolean): void {
    const [tag] = element;
    if (BLOCKS.has(tag)) this.leave(['p']);
    const holder = HOLDERS[tag];
    if (holder !== undefined && PARTS[this.inside[0]] === undefined) this.enter([holder], false);
    this.push(element);
    this.open.push({ element, isMarkdown });
  }

  /** Closes the innermost of these, as far as HTML opened it. */
  private leave(tags: readonly string[]): void {
    for (let place = this.open.length - 1; place > 0; place -= 1) {
      const { element, isMarkdown } = this.open[place] as Open;
      if (isMarkdown) return;
      if (tags.includes(element[0])) {
        this.open.length = place;
        return;
      }
      if (element[0] === 'table' || PARTS[element[0]] !== undefined) return;
    }
  }

  private push(node: ProseNode): void {
    const [holder] = this.inside;
    if (typeof node === 'string' && FRAMES.has(holder) && node.trim() === '') return;
    const part = PARTS[holder];
    const isPart = typeof node !== 'string' && HOLDERS[node[0]] !== undefined;
    if (part !== undefined && !isPart) this.enter([part], false);
    add(this.inside, node);
  }
}

function add(inside: ProseElement, node: ProseNode): void {
  const last = inside.length - 1;
  const isText = last > (inside[0] === 'a' ? 1 : 0) && typeof inside[last] === 'string';
  if (typeof node === 'string' && isText) inside[last] += node;
  else if (node !== '') inside.push(node);
}

function leafOf({ type, tag, content }: Token): ProseNode {
  if (type === 'softbreak') return '\n';
  if (type === 'fence' || type === 'code_block') return ['pre', ['code', content.replace(/\n$/, '')]];
  if (type === 'code_inline') return ['code', content];
  // Images would let a third party track readers: only their text stays.
  return tag === 'br' || tag === 'hr' ? [tag] : content;
}

/** Text that stands between blocks becomes a paragraph. */
function paragraphs(nodes: readonly ProseNode[]): ProseNode[] {
  const whole: ProseNode[] = [];
  let paragraph: ProseElement | null = null;
  for (const node of nodes) {
    if (typeof node !== 'string' && BLOCKS.has(node[0])) {
      paragraph = null;
      whole.push(node);
    } else if (paragraph) paragraph.push(node);
    else if (typeof node !== 'string' || node.trim() !== '') {
      paragraph = ['p', typeof node === 'string' ? node.trimStart() : node];
      whole.push(paragraph);
    }
  }
  for (const node of whole) {
    const last = node.at(-1);
    if (typeof node !== 'string' && node[0] === 'p' && typeof last === 'string' && node.length > 1) {
      node[node.length - 1] = last.trimEnd();
    }
  }
  return whole.filter((node) => node[0] !== 'p' || node.length > 2 || (node[1] ?? '') !== '');
}
