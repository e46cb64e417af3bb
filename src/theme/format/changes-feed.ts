import { escapeMarkup, foldSpaces } from '../../core/index.js';
import type { PublishedEntry } from '../../domain/catalog/index.js';
import { renderMarkdown } from './markdown.js';

/** What a feed or a file of changes says of itself. */
export interface ChangesOrigin {
  /** Address of the page with the changes. */
  readonly address: string;
  /** Of the page, in the reader's language. */
  readonly title: string;
  /** Name of the portal. */
  readonly author: string;
  readonly locale: string;
  /** Name of a kind of change in the reader's language. */
  readonly kindOf: (kind: string) => string;
  /** When the feed changed if it has no entries. */
  readonly since: Date;
}

/** An entry of a feed: of a changelog, or news. */
export interface FeedEntry extends Pick<
  PublishedEntry,
  'version' | 'name' | 'shortDescription' | 'description' | 'publishedAt' | 'updatedAt'
> {
  /** Last part of its address. */
  readonly id: number | string;
  readonly kind: string;
  /** Its description as HTML, where that is not plain Markdown. */
  readonly html?: string;
}

/** What XML has no place for, not even as an entity: one of them, and no reader takes the feed. Markdown writes some as `&#12;`. */
const NOT_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

/** Entries as Atom (RFC 4287). What people wrote is text, or the HTML that pages show of it. */
export function changesAsAtom(origin: ChangesOrigin, entries: readonly FeedEntry[]): string {
  const { address, title, author, locale, kindOf } = origin;
  const changed = Math.max(...entries.map(({ updatedAt }) => updatedAt.getTime()), origin.since.getTime());
  const rows = entries.map((entry) => {
    const link = escapeXml(`${address}/${entry.id}`);
    const summary = entry.shortDescription && `<summary>${escapeXml(entry.shortDescription)}</summary>`;
    const html = entry.description && (entry.html ?? renderMarkdown(entry.description));
    const content = html && `<content type="html">${escapeXml(html)}</content>`;
    return (
      `<entry><id>${link}</id><title>${escapeXml(titleOf(entry))}</title><link rel="alternate" href="${link}"/>` +
      `<published>${entry.publishedAt.toISOString()}</published><updated>${entry.updatedAt.toISOString()}</updated>` +
      `<category term="${entry.kind}" label="${escapeXml(kindOf(entry.kind))}"/>${summary}${content}</entry>`
    );
  });
  const head =
    `<id>${escapeXml(address)}</id><title>${escapeXml(title)}</title><updated>${new Date(changed).toISOString()}</updated>` +
    `<author><name>${escapeXml(author)}</name></author><link rel="alternate" href="${escapeXml(address)}"/>` +
    `<link rel="self" type="application/atom+xml" href="${escapeXml(`${address}.atom`)}"/>`;
  const opened = `<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${escapeXml(locale)}" xml:base="${escapeXml(address)}">`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n${[opened, head, ...rows].join('\n')}\n</feed>\n`;
}

/** Entries as Markdown, as they were written, below headings. */
export function changesAsMarkdown(
  { title, address, kindOf }: ChangesOrigin,
  entries: readonly PublishedEntry[],
): string {
  const parts = entries.map((entry) => {
    const day = entry.publishedAt.toISOString().slice(0, 10);
    const facts = `${day} · ${kindOf(entry.kind)} · <${address}/${entry.id}>`;
    const texts = [entry.shortDescription, entry.description].filter((text) => text !== '');
    return [`## ${foldSpaces(titleOf(entry))}`, facts, ...texts].join('\n\n');
  });
  return `${[`# ${foldSpaces(title)}`, ...parts].join('\n\n')}\n`;
}

function titleOf({ version, name }: FeedEntry): string {
  return version === null ? name : `${version}: ${name}`;
}

function escapeXml(text: string): string {
  return escapeMarkup(text.replaceAll(NOT_XML, ''));
}
