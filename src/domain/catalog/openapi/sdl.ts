import { SpecRefusal } from './refusal.js';

/** Words that a definition of the schema language begins with. */
const OF_SCHEMA = new Set([
  ...['schema', 'extend', 'directive', 'scalar', 'type', 'interface', 'union', 'enum', 'input'],
]);
const OF_QUERY = new Set(['query', 'mutation', 'subscription', 'fragment']);
const IGNORED = /(?:[\s,\uFEFF]|#[^\n\r]*)*/y;
const WORD = /[_A-Za-z]\w*|\.\.\./y;
const STRING = /"(?:[^"\\\n\r]|\\.)*"/y;

/** Whether a stored document is the text of a GraphQL schema: all others are JSON objects. */
export function isStoredSdl(document: string | Buffer): boolean {
  const first = typeof document === 'string' ? document.codePointAt(0) : document[0];
  return first !== 0x7b;
}

/**
 * Whether text is meant to be a GraphQL schema (SDL), by how it begins; JSON and YAML begin in other ways.
 * @throws SpecRefusal for a query, which is no schema
 */
export function looksLikeSdl(text: string): boolean {
  const start = endOf(IGNORED, text, 0);
  // YAML cannot begin so.
  if (text.startsWith('"""', start)) return true;
  const afterString = text[start] === '"' ? endOf(IGNORED, text, endOf(STRING, text, start)) : start;
  const isBraced = text[afterString] === '{';
  const wordAt = isBraced ? endOf(IGNORED, text, afterString + 1) : afterString;
  const wordEnd = endOf(WORD, text, wordAt);
  const word = text.slice(wordAt, wordEnd);
  // `type: object` is YAML, and `{type: object}` too.
  if (word === '' || text[endOf(IGNORED, text, wordEnd)] === ':') return false;
  if (isBraced || OF_QUERY.has(word)) throw aQuery();
  return OF_SCHEMA.has(word);
}

export function aQuery(): SpecRefusal {
  return new SpecRefusal(
    'This is a query of GraphQL, not a schema. Upload the schema (SDL, a file with "type Query"), or the result of an introspection query.',
  );
}

/** Where a sticky pattern ends that begins at `from`; `from` where it does not match. */
function endOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : from;
}
