import { randomUUID } from 'node:crypto';
import { Composer, Lexer, LineCounter, Parser, visit, type CST, type Document, type YAMLParseError } from 'yaml';
import { SpecRefusal } from './refusal.js';

/** Bounds of S64. */
export const MAX_DEPTH = 64;
const MAX_ALIASES = 100;
/** The parser also stacks the document and the scalar being read. */
const MAX_STACK = MAX_DEPTH + 4;
/** `paths`, a path, an operation; `components`, `schemas`, a schema. */
const PIECE_LEVELS = 3;
const OPTIONS = { version: '1.2', schema: 'core', logLevel: 'silent' } as const;

/** The value of JSON or YAML text (one document, YAML 1.2). @throws SpecRefusal */
export function parseText(text: string): unknown {
  const plain = text.replace(/^\uFEFF/, '');
  if (/^\s*[{[]/.test(plain)) {
    try {
      return JSON.parse(plain) as unknown;
    } catch {
      // A YAML flow mapping starts like JSON; for broken JSON the YAML parser reports the line.
    }
  }
  return parseYaml(plain);
}

function parseYaml(text: string): unknown {
  const lines = new LineCounter();
  lines.addNewLine(0);
  const pieces = new Pieces(lines);
  const [document, ...others] = compose(text, lines, pieces);
  if (!document) throw new SpecRefusal('The document is empty.');
  refuseFaulty(document.errors[0] ?? others[0]?.errors[0], lines);
  if (others.length > 0) throw new SpecRefusal('The file holds more than one YAML document.');
  refuseManyAliases(document);
  try {
    // The library multiplies: nested aliases count for all that they expand to, which stops a billion-laughs attack.
    return pieces.putInto(document.toJS({ maxAliasCount: MAX_ALIASES }));
  } catch (error) {
    if (error instanceof ReferenceError) throw refuseAliases();
    throw error;
  }
}

// Token by token, because the composer recurses for every level: 100 000 levels do not throw a RangeError there but
// abort the whole process (V8 cannot compile a regular expression on the last bytes of a stack).
function compose(text: string, lines: LineCounter, pieces: Pieces): Document.Parsed[] {
  const parser = new Parser(lines.addNewLine);
  const composer = new Composer(OPTIONS);
  const documents: Document.Parsed[] = [];
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) documents.push(...composer.next(token));
    if (parser.stack.length > MAX_STACK) throw refuseDepth();
    pieces.look(parser.stack, lexeme);
  }
  for (const token of parser.end()) documents.push(...composer.next(token));
  documents.push(...composer.end(false, text.length));
  return documents;
}

/**
 * Tokens take thirty times the room of what they say. So what is complete, down to single operations and schemas, becomes a
 * value while the rest is still read, and a word stands in its place.
 */
class Pieces {
  private readonly values: unknown[] = [];
  private readonly word = randomUUID();
  /** For each level: its map, how many of its items are done with, and how many anchors were seen before the present one. */
  private readonly levels: { map: CST.BlockMap; done: number; anchors: number }[] = [];
  private anchors = 0;
  private isOff = false;

  constructor(private readonly lines: LineCounter) {}

  /** @param stack of the parser after that lexeme */
  look(stack: readonly CST.Token[], lexeme: string): void {
    // What they point at may stand in another piece. Directives change how all is read.
    if (lexeme.startsWith('&') || lexeme.startsWith('*')) this.anchors += 1;
    if (lexeme.startsWith('%') && stack.length === 0) this.isOff = true;
    if (this.isOff) return;
    for (let level = 0; level < PIECE_LEVELS; level += 1) {
      const map = stack[level + 1];
      if (map?.type !== 'block-map') break;
      const known = this.levels[level];
      if (known?.map !== map) this.levels.splice(level, PIECE_LEVELS, { map, done: 0, anchors: this.anchors });
      else if (map.items.length > known.done + 1) {
        if (known.anchors === this.anchors) this.take(map.items[known.done]);
        this.levels[level] = { map, done: map.items.length - 1, anchors: this.anchors };
      }
    }
  }

  private take(item: CST.BlockMap['items'][number] | undefined): void {
    const value = item?.value;
    if (value?.type !== 'block-map' && value?.type !== 'block-seq') return;
    const { offset, indent } = value;
    const [document] = new Composer(OPTIONS).compose([{ type: 'document', offset, start: [], value }], true, offset);
    refuseFaulty(document?.errors[0], this.lines);
    const source = `${this.word}:${this.values.length}`;
    // The word ends where the value does: keys too far from what went before count as faults.
    const end = document?.contents?.range[2] ?? 0;
    if (end - offset < source.length) return;
    this.values.push(document?.toJS());
    (item as { value: CST.Token }).value = { type: 'scalar', offset: end - source.length, indent, source };
  }

  /** The document with the values where the words are. */
  putInto(value: unknown, level = 0): unknown {
    if (typeof value === 'string' && value.startsWith(this.word)) {
      return this.putInto(this.values[Number(value.slice(this.word.length + 1))], level);
    }
    if (level < PIECE_LEVELS && typeof value === 'object' && value !== null && !Array.isArray(value)) {
      const map = value as Record<string, unknown>;
      for (const [key, item] of Object.entries(map)) map[key] = this.putInto(item, level + 1);
    }
    return value;
  }
}

function refuseFaulty(fault: YAMLParseError | undefined, lines: LineCounter): void {
  if (!fault) return;
  const { line, col } = lines.linePos(fault.pos[0]);
  throw new SpecRefusal(
    `The document is neither JSON nor YAML: ${fault.message.slice(0, 200)} at line ${line}, column ${col}.`,
  );
}

function refuseManyAliases(document: Document.Parsed): void {
  let aliases = 0;
  visit(document, {
    Alias: () => {
      aliases += 1;
      if (aliases > MAX_ALIASES) throw refuseAliases();
    },
  });
}

export function refuseDepth(): SpecRefusal {
  return new SpecRefusal(`The document nests deeper than ${MAX_DEPTH} levels.`);
}

function refuseAliases(): SpecRefusal {
  return new SpecRefusal(`The document uses more than ${MAX_ALIASES} YAML aliases.`);
}
