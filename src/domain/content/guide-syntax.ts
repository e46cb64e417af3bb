import MarkdownIt, { type MarkdownIt as Parser, type StateBlock, type Token } from 'markdown-it';

/** What a container may be: `:::note`, up to a line of three colons. */
const CALLOUTS = ['note', 'tip', 'warning', 'danger'];
const CONTAINERS: ReadonlySet<string> = new Set([...CALLOUTS, 'tabs', 'tab', 'steps', 'code-group']);

/** `:::warning Keys are shown once`; more colons do the same. */
const OPENING = /^:{3,12}[ \t]*([a-z][a-z-]{0,19})(?:[ \t]+([^ \t\n][^\n]{0,199})?)?$/;
const CLOSING = /^:{3,12}[ \t]*$/;
/** `::operation payments createPayment`, or the operation alone in a guide of the product. */
const OPERATION = /^::operation[ \t]+([^\s:]{1,200})(?:[ \t]+([^\s:]{1,200}))?[ \t]*$/;
const FENCE = /^(?:`{3,}|~{3,})/;
const COLON = 0x3a;
/** Containers within containers; what is deeper is text, so that no text takes quadratic time. */
const DEEPEST = 6;
/** Rendered characters, because rendering takes time; the rest of a longer text is dropped. */
export const LONGEST_GUIDE = 100_000;

/** An operation that a guide shows. */
export interface EmbeddedOperation {
  /** Slug; null: of the guide's own product. */
  readonly product: string | null;
  /** `operationId`, or the anchor of the operation in the reference. */
  readonly operation: string;
}

/** A parser of guides: Markdown without HTML, with containers and embedded operations, which renderers draw. */
export function createGuideParser(): Parser {
  const markdown = new MarkdownIt({ html: false, linkify: true, typographer: false, maxNesting: 40 });
  // No link starts with `//` (see safeLink), and searching for them takes quadratic time.
  markdown.linkify.add('//', null);
  markdown.block.ruler.before('fence', 'guide_operation', readOperation, {
    alt: ['paragraph', 'reference', 'blockquote', 'list'],
  });
  markdown.block.ruler.before('fence', 'guide_container', readContainer, {
    alt: ['paragraph', 'reference', 'blockquote', 'list'],
  });
  return markdown;
}

/** The operation that a token shows; null for another token. */
export function readEmbedded({ type, meta }: Token): EmbeddedOperation | null {
  return type === 'guide_operation' ? (meta as unknown as EmbeddedOperation) : null;
}

function lineOf(state: StateBlock, line: number): string {
  return state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line]);
}

function beginsWithColon(state: StateBlock, line: number): boolean {
  const start = (state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0);
  return (state.sCount[line] ?? 0) - state.blkIndent < 4 && state.src.charCodeAt(start) === COLON;
}

function readOperation(state: StateBlock, line: number, _end: number, silent: boolean): boolean {
  if (!beginsWithColon(state, line)) return false;
  const [whole, first = '', second] = OPERATION.exec(lineOf(state, line)) ?? [];
  if (whole === undefined) return false;
  if (silent) return true;
  const token = state.push('guide_operation', '', 0);
  token.block = true;
  token.map = [line, line + 1];
  token.meta = second === undefined ? { product: null, operation: first } : { product: first, operation: second };
  state.line = line + 1;
  return true;
}

function readContainer(state: StateBlock, line: number, end: number, silent: boolean): boolean {
  if (!beginsWithColon(state, line)) return false;
  const [, name = '', title = ''] = OPENING.exec(lineOf(state, line)) ?? [];
  const depth = Number((state.env as { depth?: number }).depth ?? 0);
  if (!CONTAINERS.has(name) || depth >= DEEPEST) return false;
  if (silent) return true;
  const last = findClosing(state, line + 1, end);
  const opening = state.push('guide_open', '', 1);
  opening.block = true;
  opening.info = name;
  opening.map = [line, last];
  opening.meta = { title: title.trim() };
  const { parentType, lineMax } = state;
  Object.assign(state.env, { depth: depth + 1 });
  state.parentType = 'container';
  // What is within ends where the container does.
  state.lineMax = last;
  state.md.block.tokenize(state, line + 1, last);
  state.parentType = parentType;
  state.lineMax = lineMax;
  Object.assign(state.env, { depth });
  const closing = state.push('guide_close', '', -1);
  closing.block = true;
  closing.info = name;
  state.line = Math.min(last + 1, end);
  return true;
}

/** Line of the closing colons, those within counted; the end of what is around without any. */
function findClosing(state: StateBlock, from: number, end: number): number {
  let open = 1;
  let fence: string | null = null;
  for (let line = from; line < end; line += 1) {
    const isShallow = (state.sCount[line] ?? 0) < state.blkIndent && !state.isEmpty(line);
    if (isShallow) return line;
    const text = lineOf(state, line);
    const [mark] = FENCE.exec(text) ?? [];
    if (fence !== null) fence = mark?.startsWith(fence) && text.trim() === mark ? null : fence;
    else if (mark !== undefined) fence = mark;
    else if (CLOSING.test(text)) open -= 1;
    else if (CONTAINERS.has(OPENING.exec(text)?.[1] ?? '')) open += 1;
    if (open === 0) return line;
  }
  return end;
}

/** A heading of a guide. */
export interface GuideHeading {
  readonly id: string;
  readonly text: string;
  /** 2 for the first level of the text: the page has a heading of its own above. */
  readonly level: number;
}

/** The headings of a text, in its order, with the ids that its page gives them. */
export function headingsOf(tokens: readonly Token[]): GuideHeading[] {
  const taken = new Set(TAKEN);
  return tokens.flatMap((token, at) => {
    const inline = tokens[at + 1];
    return token.type === 'heading_open' && inline ? [headingOf(token, inline, taken)] : [];
  });
}

/** Ids of the page itself. */
const TAKEN = ['content', 'guide-menu', 'helpful'];

function headingOf({ tag }: Token, { children }: Token, taken: Set<string>): GuideHeading {
  const text = (children ?? [])
    .map(({ type, content }) => (type === 'softbreak' ? ' ' : content))
    .join('')
    .trim();
  return { id: idOf(text, taken), text, level: Math.min(6, Math.max(2, Number(tag.slice(1)))) };
}

function idOf(text: string, taken: Set<string>): string {
  const plain =
    text
      .toLowerCase()
      .normalize('NFC')
      .replace(/[^\p{L}\p{N}\p{M}]+/gu, '-')
      .slice(0, 80)
      .replace(/^-+|(?<!-)-+$/g, '') || 'part';
  let id = plain;
  for (let count = 2; taken.has(id); count += 1) id = `${plain}-${count}`;
  taken.add(id);
  return id;
}
