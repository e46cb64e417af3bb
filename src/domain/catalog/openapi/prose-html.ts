import MarkdownIt from 'markdown-it';

/** A piece of HTML in a description. Nothing of it is ever read by a browser: it becomes text, or an element of our own. */
export type HtmlPiece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'open'; readonly tag: string; readonly address: string }
  | { readonly kind: 'close'; readonly tag: string };

/** Tag → what it means in ours; empty where only its content does. Others, like `<your-token>`, are text. */
const MEANINGS: Readonly<Record<string, string>> = {
  ...mapToThemselves(
    'p ul ol li dl dt dd blockquote pre code table thead tbody tr th td em strong s u sub sup kbd br hr a',
  ),
  ...mapToThemselves('h1 h2 h3 h4 h5 h6'),
  ...{
    b: 'strong',
    i: 'em',
    cite: 'em',
    dfn: 'em',
    var: 'code',
    samp: 'code',
    tt: 'code',
    del: 's',
    strike: 's',
    ins: 'u',
  },
  ...{
    div: 'p',
    section: 'p',
    article: 'p',
    center: 'p',
    details: 'p',
    summary: 'strong',
    caption: 'p',
    figcaption: 'p',
  },
  ...{
    span: '',
    font: '',
    small: '',
    big: '',
    mark: '',
    abbr: '',
    q: '',
    figure: '',
    tfoot: 'tbody',
    label: '',
    nobr: '',
  },
  ...{ colgroup: '', col: '', wbr: '' },
};
const TAG =
  /<!--[^]*?(?:-->|$)|<(\/?)([a-zA-Z][\w-]*)((?:\s+[^\s"'<>/=]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>`]+))?)*)\s*\/?>/g;
const { unescapeAll } = new MarkdownIt().utils;

export function readHtml(html: string): HtmlPiece[] {
  const pieces: HtmlPiece[] = [];
  let at = 0;
  for (const found of html.matchAll(TAG)) {
    pieces.push({ kind: 'text', text: decode(html.slice(at, found.index)) });
    pieces.push(...meaningOf(found));
    at = found.index + found[0].length;
  }
  pieces.push({ kind: 'text', text: decode(html.slice(at)) });
  return pieces;
}

function meaningOf([whole, slash, name, attributes = '']: RegExpMatchArray): HtmlPiece[] {
  // A comment.
  if (name === undefined) return [];
  const known = name.toLowerCase();
  // Images would let a third party track readers: only their text stays.
  if (known === 'img') return [{ kind: 'text', text: attribute(attributes, 'alt') }];
  if (!Object.hasOwn(MEANINGS, known)) return [{ kind: 'text', text: decode(whole) }];
  const tag = MEANINGS[known] ?? '';
  if (tag === '') return [];
  if (slash === '/') return [{ kind: 'close', tag }];
  return [{ kind: 'open', tag, address: tag === 'a' ? attribute(attributes, 'href').trim() : '' }];
}

function attribute(attributes: string, name: string): string {
  for (const [, key, ...values] of attributes.matchAll(
    /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/g,
  )) {
    if (key?.toLowerCase() === name) return decode(values.find((value) => value !== undefined) ?? '');
  }
  return '';
}

// Markdown's own reading of entities, which reads backslashes, too.
function decode(text: string): string {
  return text.includes('&') ? unescapeAll(text.replaceAll('\\', '\\\\')) : text;
}

function mapToThemselves(tags: string): Record<string, string> {
  return Object.fromEntries(tags.split(' ').map((tag) => [tag, tag]));
}
