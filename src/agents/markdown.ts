import { foldSpaces } from '../core/index.js';
import { closeFences, escapeMarkdown } from '../domain/catalog/index.js';

/** A text as one line of Markdown that reads as it was written. */
export function writeLine(text: string): string {
  return escapeMarkdown(foldSpaces(text));
}

/** The same, cut at a word. @param most characters */
export function shortenLine(text: string, most: number): string {
  const line = foldSpaces(text);
  if (line.length <= most) return escapeMarkdown(line);
  const cut = line.slice(0, most);
  const end = cut.lastIndexOf(' ');
  return `${escapeMarkdown(end > most / 2 ? cut.slice(0, end) : cut)} …`;
}

/** @param to an address of the portal's own, in which nothing ends the link */
export function linkTo(text: string, to: string): string {
  return `[${writeLine(text) || to}](${to})`;
}

/** Blocks with a line between them; what is empty is left out. */
export function blocksOf(...blocks: readonly (string | null | false | undefined)[]): string {
  return blocks.filter((block) => typeof block === 'string' && block !== '').join('\n\n');
}

/** Markdown that people wrote, which swallows nothing of what follows it. */
export function writeText(markdown: string): string {
  return closeFences(markdown.trim());
}
