import {
  buildASTSchema,
  buildClientSchema,
  GraphQLError,
  Lexer,
  parse,
  printSchema,
  Source,
  TokenKind,
  validateSchema,
  visit,
  visitInParallel,
  type DocumentNode,
  type GraphQLSchema,
  type IntrospectionQuery,
} from 'graphql';
import { specifiedSDLRules } from 'graphql/validation/specifiedRules.js';
import { SDLValidationContext } from 'graphql/validation/ValidationContext.js';
import { isObject, type JsonObject } from '../lookup.js';
import { MAX_DEPTH, refuseDepth } from '../parse-text.js';
import { SpecRefusal } from '../refusal.js';
import { aQuery } from '../sdl.js';
import { toStoredSpec, type StoredSpec } from '../stored-spec.js';

/** Seven times what GitHub's schema has. Each takes some 300 bytes while it is read. */
const MOST_TOKENS = 1_000_000;
const LONGEST_FAULT = 300;
/**
 * Rules that real schemas break without anybody taking harm: GitHub's says a field twice (the last counts), those of federated
 * services use directives that their gateway declares.
 */
const NOT_HELD = new Set([
  ...['UniqueFieldDefinitionNamesRule', 'KnownDirectivesRule', 'UniqueDirectivesPerLocationRule'],
  ...['KnownArgumentNamesOnDirectivesRule', 'ProvidedRequiredArgumentsOnDirectivesRule'],
]);
const RULES = specifiedSDLRules.filter(({ name }) => !NOT_HELD.has(name));
const OPENING: ReadonlySet<TokenKind> = new Set([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L]);
const CLOSING: ReadonlySet<TokenKind> = new Set([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R]);

/**
 * Reads the text of a GraphQL schema, which is stored as it is. Runs in a worker (S48).
 * @param maxBytes of the text
 * @throws SpecRefusal with line and column
 */
export function readSchema(text: string, maxBytes: number): StoredSpec {
  const document = text.replace(/^\uFEFF/, '');
  if (Buffer.byteLength(document) > maxBytes) {
    throw new SpecRefusal(`The document is larger than ${maxBytes} bytes once it is written as a schema.`);
  }
  parseSchema(document);
  return toStoredSpec(document);
}

/**
 * Reads the result of an introspection query; the schema that it describes is what gets stored.
 * @throws SpecRefusal
 */
export function readIntrospection(result: JsonObject, maxBytes: number): StoredSpec {
  const data = isObject(result.data) ? result.data : result;
  let text: string;
  try {
    text = printSchema(buildClientSchema(data as unknown as IntrospectionQuery, { assumeValid: true }));
  } catch (error) {
    if (error instanceof RangeError) throw error;
    const said = (error as Error).message.slice(0, LONGEST_FAULT);
    throw new SpecRefusal(`The result of the introspection query cannot be read: ${said}`);
  }
  return readSchema(text, maxBytes);
}

/** A schema in which every name has one meaning. @throws SpecRefusal with line and column */
export function parseSchema(text: string): GraphQLSchema {
  try {
    refuseDeep(text);
    const document = parse(text, { maxTokens: MOST_TOKENS });
    refuseQueries(document);
    refuseInvalid(document);
    const schema = buildASTSchema(document, { assumeValidSDL: true });
    const [fault] = validateSchema(schema);
    if (fault) throw fault;
    return schema;
  } catch (error) {
    throw error instanceof GraphQLError ? refusalOf(error) : error;
  }
}

// Token by token, because the parser recurses for every level.
function refuseDeep(text: string): void {
  const lexer = new Lexer(new Source(text));
  let depth = 0;
  for (let count = 0; lexer.advance().kind !== TokenKind.EOF; count += 1) {
    const { kind } = lexer.token;
    if (OPENING.has(kind)) depth += 1;
    else if (CLOSING.has(kind)) depth -= 1;
    if (depth > MAX_DEPTH) throw refuseDepth();
    if (count > MOST_TOKENS) throw new SpecRefusal(`The document has more than ${MOST_TOKENS} words and signs.`);
  }
}

function refuseQueries({ definitions }: DocumentNode): void {
  const isQuery = definitions.some(({ kind }) => kind === 'OperationDefinition' || kind === 'FragmentDefinition');
  if (isQuery) throw aQuery();
}

/** Ends with the first fault: each costs more to tell of than to find. */
function refuseInvalid(document: DocumentNode): void {
  const context = new SDLValidationContext(document, null, (fault) => {
    throw fault;
  });
  visit(document, visitInParallel(RULES.map((rule) => rule(context))));
}

function refusalOf({ message, locations }: GraphQLError): SpecRefusal {
  const [at] = locations ?? [];
  const said = message.slice(0, LONGEST_FAULT).replace(/[.]$/, '');
  const where = at ? ` at line ${at.line}, column ${at.column}` : '';
  return new SpecRefusal(`The document is not a GraphQL schema: ${said}${where}.`);
}
