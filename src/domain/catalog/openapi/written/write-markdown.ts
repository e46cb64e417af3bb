import type { Block, Inline, Item } from './blocks.js';

/** Blocks as Markdown. Descriptions keep their own marks; everything else is escaped, so that it reads as it was written. */
export function writeMarkdown(blocks: readonly Block[]): string {
  return `${blocks.map(writeBlock).join('\n\n')}\n`;
}

function writeBlock(block: Block): string {
  if (block.kind === 'heading') return `${'#'.repeat(block.level)} ${writeParts(block.parts)}`;
  if (block.kind === 'line') return writeParts(block.parts);
  if (block.kind === 'prose') return closeFences(block.text);
  if (block.kind === 'list') return block.items.map(writeItem).join('\n');
  return fenceCode(block.text, block.language);
}

/** A text as a block of code, which nothing in it ends. */
export function fenceCode(text: string, language: string): string {
  const fence = '`'.repeat(Math.max(3, measureLongestRun(text) + 1));
  return `${fence}${language}\n${text}\n${fence}`;
}

function writeItem({ head, inside }: Item): string {
  const more = inside.map((block) => `\n\n${indent(writeBlock(block))}`).join('');
  return `- ${writeParts(head)}${more}${more === '' ? '' : '\n'}`;
}

const indent = (text: string) => text.replace(/^(?=.)/gm, '  ');

function writeParts(parts: readonly Inline[]): string {
  return parts
    .map((part) => {
      if (typeof part === 'string') return escapeMarkdown(part);
      if ('code' in part) return codeSpan(part.code);
      if ('strong' in part) return `**${escapeMarkdown(part.strong)}**`;
      return `[${escapeMarkdown(part.text)}](${part.to.replace(/[()\s<>]/g, encodeURIComponent)})`;
    })
    .join('');
}

/** A text as it reads, on one line. */
export function escapeMarkdown(text: string): string {
  return text.replace(/[\r\n\u2028\u2029]+/g, ' ').replace(/[\\`*_[\]<>#|~]/g, '\\$&');
}

/** A text as code within a line. */
export function codeSpan(text: string): string {
  const plain = text.replace(/[\r\n\u2028\u2029]+/g, ' ');
  const marks = '`'.repeat(measureLongestRun(plain) + 1);
  const pad = /^`|`$/.test(plain) ? ' ' : '';
  return plain === '' ? '` `' : `${marks}${pad}${plain}${pad}${marks}`;
}

function measureLongestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
}

/** The text with an open code fence closed, so that it swallows nothing of what follows. */
export function closeFences(text: string): string {
  let open = '';
  for (const row of text.split('\n')) {
    const [, fence = ''] = /^ {0,3}(`{3,}|~{3,})/.exec(row) ?? [];
    if (fence === '') continue;
    if (open === '') open = fence;
    else if (fence.startsWith(open) && row.trim() === fence) open = '';
  }
  return open === '' ? text : `${text}\n${open}`;
}
