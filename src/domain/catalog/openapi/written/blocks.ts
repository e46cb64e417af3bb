import { readString } from '../lookup.js';

/** A part of a line: plain text, code, something strong, or a link within the page. */
export type Inline = string | { readonly code: string } | { readonly strong: string } | InnerLink;

export interface InnerLink {
  readonly text: string;
  /** An address of our own, or `#` and the id of a heading. */
  readonly to: string;
}

/** A piece of a written page. Texts of the document are data here; each writer escapes them by the rules of its form. */
export type Block =
  | { readonly kind: 'heading'; readonly level: 1 | 2 | 3 | 4; readonly parts: readonly Inline[]; readonly id?: string }
  | { readonly kind: 'line'; readonly parts: readonly Inline[] }
  /** Markdown of the document. */
  | { readonly kind: 'prose'; readonly text: string }
  | { readonly kind: 'code'; readonly language: string; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly Item[] };

export interface Item {
  readonly head: readonly Inline[];
  readonly inside: readonly Block[];
}

/** Words of the reader's language by key, as the reference's script has them. */
export type ReferenceMessages = Readonly<Record<string, string>>;

/** @returns the message with its values filled in, or the key if there is none */
export function speaker(messages: ReferenceMessages) {
  return (key: string, values: Readonly<Record<string, string | number>> = {}): string => {
    const text = Object.hasOwn(messages, key) ? (messages[key] ?? key) : key;
    return text.replace(/\{(\w+)\}/g, (all, name: string) =>
      Object.hasOwn(values, name) ? String(values[name]) : all,
    );
  };
}

export type Say = ReturnType<typeof speaker>;

export const heading = (level: 1 | 2 | 3 | 4, text: string, id?: string): Block => ({
  ...{ kind: 'heading', level, parts: [text] },
  ...(id !== undefined && { id }),
});

export const line = (...parts: readonly Inline[]): Block => ({ kind: 'line', parts });

export const code = (text: unknown): Inline => ({ code: readString(text, LONGEST_CODE) });

/** Description as a block; nothing for an empty one. */
export function prose(text: unknown): Block[] {
  const read = readString(text, LONGEST_PROSE).trim();
  return read === '' ? [] : [{ kind: 'prose', text: read }];
}

export function listBlock(items: readonly Item[]): Block[] {
  return items.length === 0 ? [] : [{ kind: 'list', items }];
}

/** A value of the document as JSON, or as it is when it is text. */
export function valueBlock(value: unknown): Block {
  const text = typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');
  const shown = text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}\n…` : text;
  return { kind: 'code', language: typeof value === 'string' ? '' : 'json', text: shown };
}

const LONGEST_CODE = 50_000;
const LONGEST_PROSE = 50_000;
const LONGEST_VALUE = 100_000;
