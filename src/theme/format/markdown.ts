import MarkdownIt from 'markdown-it';
import { safeLink } from './safe-links.js';

/** Maximum characters that are rendered, because rendering takes time; the rest of a longer text is dropped. */
const LONGEST = 100_000;

const markdown = new MarkdownIt({ html: false, linkify: true, typographer: false });
// No link starts with `//` (see safeLink), and searching for them takes quadratic time.
markdown.linkify.add('//', null);
markdown.validateLink = (address) => safeLink(address) !== null;
// Pictures could tell a third party who is reading, and the policy of the page blocks them anyway: only their text is
// kept.
markdown.disable('image');
const openLink = markdown.renderer.rules.link_open;
markdown.renderer.rules.link_open = (tokens, index, options, environment, self) => {
  tokens[index]?.attrSet('rel', 'noopener noreferrer nofollow');
  return openLink?.(tokens, index, options, environment, self) ?? self.renderToken(tokens, index, options);
};
// The page has headings of its own above: those of a text start one level below.
for (const rule of ['heading_open', 'heading_close'] as const) {
  markdown.renderer.rules[rule] = (tokens, index, options, _environment, self) => {
    const token = tokens[index];
    if (token) token.tag = `h${Math.min(6, Number(token.tag.slice(1)) + 1)}`;
    return self.renderToken(tokens, index, options);
  };
}

/** Markdown of products and categories as HTML. HTML inside of it is shown as text (S66). */
export function renderMarkdown(text: string): string {
  return markdown.render(text.slice(0, LONGEST));
}
