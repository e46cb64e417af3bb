import { escapeMarkup } from '../../../../core/index.js';
import { proseTree } from '../prose.js';
import type { ProseNode } from '../prose-tree.js';
import type { Block, Inline, Item } from './blocks.js';

const SCHEMES = new Set(['http:', 'https:', 'mailto:']);
const TAGS = new Set([
  ...['p', 'ul', 'ol', 'li', 'blockquote', 'pre', 'code', 'table', 'thead', 'tbody', 'tr', 'th', 'td'],
  ...['em', 'strong', 's', 'u', 'sub', 'sup', 'kbd', 'dl', 'dt', 'dd', 'br', 'hr'],
]);
const VOID = new Set(['br', 'hr']);

/** Blocks as HTML. Tags are those of this file only; everything that the document says is escaped (S66). */
export function writeHtml(blocks: readonly Block[]): string {
  return blocks.map(writeBlock).join('\n');
}

function writeBlock(block: Block): string {
  if (block.kind === 'heading') {
    // The page has a heading of its own above.
    const tag = `h${Math.min(6, block.level + 1)}`;
    const id = block.id === undefined ? '' : ` id="${escapeMarkup(block.id)}"`;
    return `<${tag}${id}>${writeParts(block.parts)}</${tag}>`;
  }
  if (block.kind === 'line') return `<p>${writeParts(block.parts)}</p>`;
  if (block.kind === 'prose')
    return `<div class="prose" dir="auto">${proseTree(block.text).map(writeNode).join('')}</div>`;
  if (block.kind === 'list') {
    return `<ul class="reference-properties">${block.items.map(writeItem).join('')}</ul>`;
  }
  return `<pre class="code" dir="ltr" tabindex="0">${escapeMarkup(block.text)}</pre>`;
}

function writeItem({ head, inside }: Item): string {
  return `<li><div class="reference-facts">${writeParts(head)}</div>${inside.map(writeBlock).join('')}</li>`;
}

function writeParts(parts: readonly Inline[]): string {
  return parts
    .map((part) => {
      if (typeof part === 'string') return writeWords(part);
      if ('code' in part) return `<code class="break" dir="ltr">${escapeMarkup(part.code)}</code>`;
      if ('strong' in part) return `<strong>${escapeMarkup(part.strong)}</strong>`;
      return `<a href="${escapeMarkup(part.to)}">${escapeMarkup(part.text)}</a>`;
    })
    .join('');
}

// What stands between words belongs to the line, not to them: else it would be on the wrong side of Latin words in Arabic.
function writeWords(text: string): string {
  const start = text.length - text.replace(/^[\s:,·]+/, '').length;
  let end = text.length;
  while (end > start && ' :,·'.includes(text.charAt(end - 1))) end -= 1;
  const content = end > start ? `<bdi>${escapeMarkup(text.slice(start, end))}</bdi>` : '';
  return text.slice(0, start) + content + text.slice(end);
}

function writeNode(node: ProseNode): string {
  if (typeof node === 'string') return escapeMarkup(node);
  const [tag, ...inside] = node;
  if (tag === 'a') {
    const [address, ...content] = inside;
    const text = content.map(writeNode).join('');
    const href = safeAddress(address);
    return href === null ? text : `<a href="${escapeMarkup(href)}" rel="noopener noreferrer nofollow">${text}</a>`;
  }
  const content = inside.map(writeNode).join('');
  // The page has its own headings.
  if (/^h[1-6]$/.test(tag)) return `<p class="reference-heading">${content}</p>`;
  const name = TAGS.has(tag) ? tag : 'span';
  return VOID.has(name) ? `<${name}>` : `<${name}>${content}</${name}>`;
}

function safeAddress(address: unknown): string | null {
  if (typeof address !== 'string' || /[\u0000-\u0020\u007f\\]/.test(address)) return null;
  try {
    return SCHEMES.has(new URL(address).protocol) ? address : null;
  } catch {
    return null;
  }
}
