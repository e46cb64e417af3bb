import { Composer, Lexer, LineCounter, Parser, type Document } from 'yaml';
import { findClosest } from '../../core/index.js';

/** What is wrong with a file of the content, and where. */
export interface ContentProblem {
  /** Below the host project, with slashes: `content/guides/quickstart.md`. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** What is wrong, and how to put it right. */
  readonly message: string;
}

export interface FrontMatter {
  readonly title?: string;
  readonly description?: string;
  readonly group?: string;
  readonly order?: number;
  readonly draft?: boolean;
  readonly audiences?: readonly string[];
  readonly date?: Date;
}

interface ReadFile {
  readonly front: FrontMatter;
  readonly body: string;
  /** Of the first line of the body in its file, from 1. */
  readonly bodyLine: number;
  readonly faults: readonly { readonly line: number; readonly message: string }[];
}

/** Deeper front matter is none that a person wrote. */
const MOST_OPEN = 12;
const LONGEST_FRONT = 8_000;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

type Check = (value: unknown) => unknown;

const line =
  (longest: number): Check =>
  (value) =>
    typeof value === 'string' && value.trim() !== '' && value.length <= longest && !/\p{Cc}/u.test(value)
      ? value.trim()
      : undefined;

/** Key → the value as it is kept, undefined for a wrong one; and what it has to be. */
const KEYS: Readonly<Record<string, readonly [check: Check, wanted: string]>> = {
  title: [line(200), 'one line of at most 200 characters; put it in quotes when it has a colon'],
  description: [line(500), 'one line of at most 500 characters; put it in quotes when it has a colon'],
  group: [line(100), 'one line of at most 100 characters'],
  order: [(value) => (Number.isSafeInteger(value) && Math.abs(value as number) < 1e6 ? value : undefined), 'a number'],
  draft: [(value) => (typeof value === 'boolean' ? value : undefined), 'true or false'],
  audiences: [readNames, 'a list of names of audiences such as [partners]'],
  date: [readDay, 'a day such as 2026-11-24'],
};
/** Those that a translation may have. */
const TEXTS = ['title', 'description', 'group'];

function readNames(value: unknown): unknown {
  const names = (Array.isArray(value) ? value : [value]) as unknown[];
  return names.length <= 100 && names.every((name) => typeof name === 'string' && name.length <= 100)
    ? names
    : undefined;
}

function readDay(value: unknown): unknown {
  if (typeof value !== 'string' || !DAY.test(value)) return undefined;
  const day = new Date(`${value}T00:00:00.000Z`);
  return Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== value ? undefined : day;
}

/**
 * The front matter and the text of a Markdown file. Without a title in the front matter, a heading of the first level
 * that the text begins with is the title.
 * @param isTranslation of another file, whose order and readers it has
 */
export function readMarkdownFile(text: string, isTranslation: boolean): ReadFile {
  const plain = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const lines = plain.split('\n');
  const end = lines[0]?.trimEnd() === '---' ? lines.findIndex((one, at) => at > 0 && one.trimEnd() === '---') : 0;
  if (end === -1)
    return reportBroken(1, 'The front matter has no end: put a line of three dashes (---) behind its last key.');
  const bodyLine = end === 0 ? 1 : end + 2;
  const body = lines.slice(bodyLine - 1).join('\n');
  const control = lines.findIndex((one) => CONTROL.test(one));
  if (control !== -1) return reportBroken(control + 1, 'The line has a control character: take it out.');
  const read = end === 0 ? { values: {}, faults: [] } : readYaml(lines.slice(1, end).join('\n'), isTranslation);
  return { ...withTitle(read.values, body, bodyLine), faults: read.faults };
}

function reportBroken(at: number, message: string): ReadFile {
  return { front: {}, body: '', bodyLine: 1, faults: [{ line: at, message }] };
}

function withTitle(front: FrontMatter, body: string, bodyLine: number): Omit<ReadFile, 'faults'> {
  const [whole, title] = /^\s*# ([^\n]{1,200})(?:\n|$)/.exec(body) ?? [];
  if (front.title !== undefined || whole === undefined || title === undefined) return { front, body, bodyLine };
  const rest = body.slice(whole.length);
  return { front: { ...front, title: title.trim() }, body: rest, bodyLine: bodyLine + whole.split('\n').length - 1 };
}

function readYaml(text: string, isTranslation: boolean) {
  const counter = new LineCounter();
  counter.addNewLine(0);
  // The first line of the file is the opening dashes.
  const lineAt = (offset: number) => counter.linePos(offset).line + 1;
  const document = text.length > LONGEST_FRONT ? null : compose(text, counter);
  if (document === null)
    return {
      values: {},
      faults: [{ line: 1, message: 'The front matter is too long or too deep: keep to its keys.' }],
    };
  const [error] = document?.errors ?? [];
  if (error) {
    const message = `The front matter is no YAML: ${error.message.split('\n', 1)[0] ?? ''} Put texts with special signs in quotes.`;
    return { values: {}, faults: [{ line: lineAt(error.pos[0]), message }] };
  }
  const values = valuesOf(document);
  if (typeof values !== 'object' || values === null || Array.isArray(values))
    return {
      values: {},
      faults: [{ line: 2, message: 'The front matter has to be keys with values: title: Quickstart' }],
    };
  return checkKeys(values as Record<string, unknown>, isTranslation, (key) => keyLine(text, key));
}

function valuesOf(document: Document.Parsed | undefined): unknown {
  try {
    return document?.toJS({ maxAliasCount: 0 }) ?? {};
  } catch {
    // Aliases, which may stand for any amount of text.
    return null;
  }
}

// Token by token: the composer recurses for every level.
function compose(text: string, counter: LineCounter): Document.Parsed | undefined | null {
  const parser = new Parser(counter.addNewLine);
  const composer = new Composer({ version: '1.2', schema: 'core', logLevel: 'silent' });
  const documents: Document.Parsed[] = [];
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) documents.push(...composer.next(token));
    if (parser.stack.length > MOST_OPEN) return null;
  }
  for (const token of parser.end()) documents.push(...composer.next(token));
  documents.push(...composer.end(false, text.length));
  return documents[0];
}

function keyLine(text: string, key: string): number {
  const at = text.split('\n').findIndex((one) => one.startsWith(`${key}:`));
  return at + 2;
}

function checkKeys(values: Readonly<Record<string, unknown>>, isTranslation: boolean, lineOf: (key: string) => number) {
  const faults: { line: number; message: string }[] = [];
  const kept: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(values)) {
    const [check, wanted] = (Object.hasOwn(KEYS, key) ? KEYS[key] : undefined) ?? [];
    const fault = (message: string) => faults.push({ line: lineOf(key), message });
    if (!check) {
      const near = findClosest(key, Object.keys(KEYS));
      fault(
        `There is no key ${key}. ${near ? `Did you mean ${near}?` : `Those there are: ${Object.keys(KEYS).join(', ')}.`}`,
      );
    } else if (isTranslation && !TEXTS.includes(key)) {
      fault(`A translation has no ${key}: it goes into the file of the default language.`);
    } else if (check(value) === undefined) {
      fault(`${key} has to be ${wanted ?? ''}.`);
    } else kept[key] = check(value);
  }
  return { values: kept as FrontMatter, faults };
}
