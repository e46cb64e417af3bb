import { Composer, Lexer, LineCounter, Parser, visit, type Document } from 'yaml';
import { SpecRefusal } from './refusal.js';

/** Bounds of S64. */
export const MAX_DEPTH = 64;
const MAX_ALIASES = 100;
/** The parser also stacks the document and the scalar being read. */
const MAX_STACK = MAX_DEPTH + 4;

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
  const [document, ...others] = compose(text, lines);
  if (!document) throw new SpecRefusal('The document is empty.');
  const fault = document.errors[0] ?? others[0]?.errors[0];
  if (fault) {
    const { line, col } = lines.linePos(fault.pos[0]);
    throw new SpecRefusal(
      `The document is neither JSON nor YAML: ${fault.message.slice(0, 200)} at line ${line}, column ${col}.`,
    );
  }
  if (others.length > 0) throw new SpecRefusal('The file holds more than one YAML document.');
  refuseManyAliases(document);
  try {
    // The library multiplies: nested aliases count for all that they expand to, which stops a billion-laughs attack.
    return document.toJS({ maxAliasCount: MAX_ALIASES }) as unknown;
  } catch (error) {
    if (error instanceof ReferenceError) throw tooManyAliases();
    throw error;
  }
}

// Token by token, because the composer recurses for every level: 100 000 levels do not throw a RangeError there but
// abort the whole process (V8 cannot compile a regular expression on the last bytes of a stack).
function compose(text: string, lines: LineCounter): Document.Parsed[] {
  lines.addNewLine(0);
  const parser = new Parser(lines.addNewLine);
  const composer = new Composer({ version: '1.2', schema: 'core', logLevel: 'silent' });
  const documents: Document.Parsed[] = [];
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) documents.push(...composer.next(token));
    if (parser.stack.length > MAX_STACK) throw tooDeep();
  }
  for (const token of parser.end()) documents.push(...composer.next(token));
  documents.push(...composer.end(false, text.length));
  return documents;
}

function refuseManyAliases(document: Document.Parsed): void {
  let aliases = 0;
  visit(document, {
    Alias: () => {
      aliases += 1;
      if (aliases > MAX_ALIASES) throw tooManyAliases();
    },
  });
}

export function tooDeep(): SpecRefusal {
  return new SpecRefusal(`The document nests deeper than ${MAX_DEPTH} levels.`);
}

function tooManyAliases(): SpecRefusal {
  return new SpecRefusal(`The document uses more than ${MAX_ALIASES} YAML aliases.`);
}
