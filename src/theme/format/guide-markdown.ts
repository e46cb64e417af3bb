import { escapeMarkup } from '../../core/index.js';
import {
  createGuideParser,
  readEmbedded,
  guidePath,
  headingsOf,
  resolveGuideLink,
  LONGEST_GUIDE,
  type EmbeddedOperation,
  type GuideHeading,
  type GuideKind,
} from '../../domain/content/index.js';
import type { Token } from 'markdown-it';
import { safeLink } from './safe-links.js';

export interface RenderedGuide {
  readonly html: string;
  readonly headings: readonly GuideHeading[];
}

interface GuideRendering {
  /** Words by key: `note`, `copy` … */
  readonly messages: Readonly<Record<string, string>>;
  /** The page that a link to another Markdown file leads to; null for any other link. */
  readonly pageOf: (link: string) => string | null;
  /** What is shown of the operations, in their order; an empty one is left out. */
  readonly operations: readonly string[];
  /** Where several texts share a page: stands before the ids of this one. */
  readonly within?: string;
}

/** What rendering keeps while it goes through a text. */
interface RenderContext extends GuideRendering {
  readonly all: readonly GuideHeading[];
  /** Those of the table of contents. */
  readonly headings: GuideHeading[];
  readonly open: string[];
  heading: number;
  operation: number;
  tabs: number;
}

/** More tabs than the style sheet knows stand below each other. */
const MOST_TABS = 8;
/** Beside those of `highlight.js`; what is not here is read like JavaScript. */
const LANGUAGES: Readonly<Record<string, string>> = {
  ...{ sh: 'shell', bash: 'shell', console: 'shell', zsh: 'shell', js: 'code', ts: 'code', py: 'python', rb: 'ruby' },
  ...{ jsonc: 'json', yaml: 'ruby', yml: 'ruby' },
};
const PLAIN = new Set(['', 'text', 'txt', 'plain']);
const TITLE = /(?:title="([^"]{1,100})"|\[([^\]]{1,100})\])/;

const parser = createGuideParser();
parser.validateLink = (address) => safeLink(address) !== null || isFileLink(address);

/** Another guide, as authors link to it: `quickstart.md#keys`, `../products/payments/refunds.md`. */
function isFileLink(address: string): boolean {
  return /^(?:\.{0,2}\/)*[A-Za-z0-9][A-Za-z0-9/_.-]{0,200}\.md(?:#[^\s]{0,200})?$/.test(address);
}

/** The operations that a guide shows, in their order. */
export function findEmbeddedOperations(text: string): EmbeddedOperation[] {
  return parser.parse(text.slice(0, LONGEST_GUIDE), {}).flatMap((token) => readEmbedded(token) ?? []);
}

/** A guide as HTML. HTML inside of it is shown as text (S66). */
export function renderGuide(text: string, rendering: GuideRendering): RenderedGuide {
  const tokens = parser.parse(text.slice(0, LONGEST_GUIDE), {});
  const all = headingsOf(tokens);
  const context: RenderContext = { ...rendering, all, headings: [], open: [], heading: 0, operation: 0, tabs: 0 };
  const html = parser.renderer.render(tokens, parser.options, { context });
  return { html, headings: context.headings };
}

interface DraftedGuide extends Pick<GuideRendering, 'messages' | 'within'> {
  readonly kind: GuideKind | undefined;
  readonly product: string | null;
  /** Path of the portal's pages; null where it has none. */
  readonly portal: string | null;
}

/** A guide as authors see it in the console: its operations by name, as nobody reads their documents there. */
export function renderDraft(text: string, { kind, product, portal, ...rest }: DraftedGuide): string {
  const pageOf = (link: string) => {
    if (!isFileLink(link)) return null;
    const linked = kind === undefined || portal === null ? null : resolveGuideLink(link, { kind, product });
    return linked ? portal + guidePath(linked) + linked.anchor : '#content';
  };
  const operations = findEmbeddedOperations(text).map(
    (one) =>
      `<p class="guide-operation card"><code dir="ltr">${escapeMarkup([one.product, one.operation].filter(Boolean).join(' '))}</code></p>`,
  );
  return renderGuide(text, { ...rest, pageOf, operations }).html;
}

const { rules } = parser.renderer;
const contextOf = (environment: unknown) => (environment as { context: RenderContext }).context;
const tokenAt = (tokens: readonly Token[], index: number) => tokens[index] as Token;

rules.heading_open = (_tokens, _index, _options, environment) => {
  const context = contextOf(environment);
  const heading = context.all[context.heading] ?? { id: '', text: '', level: 2 };
  // What stands in a tab may not be shown when somebody goes there.
  if (heading.level <= 3 && !context.open.includes('tab')) context.headings.push(heading);
  const { level } = heading;
  const id = (context.within ?? '') + heading.id;
  return `<h${level} id="${escapeMarkup(id)}"><a class="guide-anchor" href="#${escapeMarkup(encodeURIComponent(id))}">`;
};
rules.heading_close = (_tokens, _index, _options, environment) => {
  const context = contextOf(environment);
  const level = context.all[context.heading]?.level ?? 2;
  context.heading += 1;
  return `</a></h${level}>\n`;
};
rules.link_open = (tokens, index, options, environment, self) => {
  const token = tokenAt(tokens, index);
  const href = String(token.attrGet('href') ?? '');
  const page = contextOf(environment).pageOf(href);
  if (page !== null) token.attrSet('href', page);
  else if (!href.startsWith('/') && !href.startsWith('#')) token.attrSet('rel', 'noopener noreferrer nofollow');
  return self.renderToken(tokens, index, options);
};
rules.image = (tokens, index) => {
  const token = tokenAt(tokens, index);
  const source = String(token.attrGet('src') ?? '');
  // Pictures of others could tell a third party who is reading; the policy of the page would block them anyway.
  if (!source.startsWith('/') || source.startsWith('//')) return escapeMarkup(token.content);
  return `<img src="${escapeMarkup(source)}" alt="${escapeMarkup(token.content)}" loading="lazy">`;
};
rules.fence = (tokens, index, _options, environment) => {
  const context = contextOf(environment);
  const box = codeBox(tokenAt(tokens, index), context, context.open.at(-1) !== 'code-group');
  return context.open.at(-1) === 'code-group' ? `<div class="tab-panel">${box}</div>` : box;
};
rules.code_block = (tokens, index, _options, environment) =>
  codeBox(tokenAt(tokens, index), contextOf(environment), false);
rules.guide_operation = (_tokens, _index, _options, environment) => {
  const context = contextOf(environment);
  const html = context.operations[context.operation] ?? '';
  context.operation += 1;
  return html;
};
rules.guide_open = (tokens, index, _options, environment) => openContainer(tokens, index, contextOf(environment));
rules.guide_close = (_tokens, _index, _options, environment) => closeContainer(contextOf(environment));
rules.table_open = () => '<div class="guide-table" tabindex="0"><table>\n';
rules.table_close = () => '</table></div>\n';

function openContainer(tokens: readonly Token[], index: number, context: RenderContext): string {
  const { info, meta } = tokenAt(tokens, index);
  const title = String((meta as { title?: string } | null)?.title ?? '');
  const around = context.open.at(-1);
  context.open.push(info);
  if (info === 'tabs' || info === 'code-group') return tabList(titlesOf(tokens, index), context);
  // A tab alone is a part like any other.
  if (info === 'tab') return around === 'tabs' ? '<div class="tab-panel">' : '<div>';
  if (info === 'steps') return '<div class="guide-steps">';
  const word = title === '' ? (context.messages[info] ?? info) : title;
  return `<div class="callout callout-${info}" role="note"><p class="callout-title"><bdi>${escapeMarkup(word)}</bdi></p>`;
}

function closeContainer(context: RenderContext): string {
  context.open.pop();
  return '</div>\n';
}

/** Buttons that choose among the parts that follow, which work without a script. */
function tabList(titles: readonly string[], context: RenderContext): string {
  if (titles.length === 0 || titles.length > MOST_TABS) return '<div class="guide-parts">';
  context.tabs += 1;
  const group = `${context.within ?? ''}tabs-${context.tabs}`;
  const choices = titles.map((title, at) => {
    const id = `${group}-${at}`;
    const checked = at === 0 ? ' checked' : '';
    return `<input type="radio" name="${group}" id="${id}"${checked}><label for="${id}"><bdi>${escapeMarkup(title)}</bdi></label>`;
  });
  return `<div class="guide-tabs">${choices.join('')}`;
}

/** Of the parts directly within a container. */
function titlesOf(tokens: readonly Token[], index: number): string[] {
  const isCode = tokenAt(tokens, index).info === 'code-group';
  const titles: string[] = [];
  let depth = 0;
  for (const token of tokens.slice(index + 1)) {
    if (token.type === 'guide_close' && depth === 0) break;
    if (depth === 0 && isCode && token.type === 'fence')
      titles.push(titleOfCode(token) || token.info.split(/\s/, 1)[0] || '…');
    if (depth === 0 && !isCode && token.type === 'guide_open' && token.info === 'tab')
      titles.push(String((token.meta as { title?: string } | null)?.title ?? '') || '…');
    if (token.type === 'guide_open') depth += 1;
    if (token.type === 'guide_close') depth -= 1;
  }
  return titles;
}

function titleOfCode({ info }: Token): string {
  const [, quoted, bracketed] = TITLE.exec(info.slice(0, 300)) ?? [];
  return quoted ?? bracketed ?? '';
}

function codeBox(token: Token, { messages }: RenderContext, withTitle: boolean): string {
  const text = token.content.replace(/\n$/, '');
  const name = token.info.trim().split(/\s/, 1)[0]?.toLowerCase() ?? '';
  const language = LANGUAGES[name] ?? name;
  const coloured = PLAIN.has(language) ? '' : ` data-language="${escapeMarkup(language)}"`;
  const title = withTitle ? titleOfCode(token) : '';
  const button =
    `<button class="button button-small copy" type="button" data-copy="${escapeMarkup(text)}"` +
    ` data-copied="${escapeMarkup(messages.copied ?? '')}" data-not-copied="${escapeMarkup(messages['not-copied'] ?? '')}">` +
    `${escapeMarkup(messages.copy ?? '')}</button>`;
  const head = title === '' ? '' : `<p class="guide-file"><bdi>${escapeMarkup(title)}</bdi></p>`;
  const code = `<pre class="code" dir="ltr" tabindex="0"${coloured}>${escapeMarkup(text)}</pre>`;
  return `<div class="guide-code">${head}<div class="code-dark code-box">${code}${button}</div></div>\n`;
}
