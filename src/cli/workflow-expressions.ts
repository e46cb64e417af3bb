/** Names with values, of a document or of a run. */
export type WorkflowValues = Readonly<Record<string, unknown>>;

/** What was sent and what came back, for expressions. Credentials that were added on the way are not in it. */
export interface Exchange {
  readonly url: string;
  readonly method: string;
  readonly status: number;
  readonly request: SaidMessage & { readonly query: WorkflowValues; readonly path: WorkflowValues };
  readonly response: SaidMessage;
}

interface SaidMessage {
  /** Names in small letters. */
  readonly headers: WorkflowValues;
  /** The value of JSON, the text of anything else. */
  readonly body: unknown;
}

/** What expressions of a step may refer to. */
export interface Scope {
  readonly inputs: WorkflowValues;
  /** Of workflows that a step ran. */
  readonly outputs: WorkflowValues;
  /** Outputs of steps. */
  readonly steps: WorkflowValues;
  /** `inputs` and `outputs` of finished workflows. */
  readonly workflows: WorkflowValues;
  readonly sources: WorkflowValues;
  /** Values of `components.parameters`. */
  readonly parameters: WorkflowValues;
  /** null before the call. */
  readonly exchange: Exchange | null;
}

/** An expression or a condition that cannot be evaluated, in a sentence. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
}

const ROOTS = [
  ...['$url', '$method', '$statusCode'],
  ...[
    '$request.',
    '$response.',
    '$inputs.',
    '$outputs.',
    '$steps.',
    '$workflows.',
    '$sourceDescriptions.',
    '$components.',
  ],
];
const WHOLE = 3;

/** Whether a text is a runtime expression of Arazzo: `$statusCode`, `$response.body#/id`. `$5.00` is none. */
export function isExpression(text: string): boolean {
  return ROOTS.some((root, at) => (at < WHOLE ? text === root : text.startsWith(root) && text.length > root.length));
}

/**
 * The value of an expression; undefined if there is none.
 * @throws ExpressionError for text that is not an expression
 */
export function evaluate(expression: string, scope: Scope): unknown {
  if (!isExpression(expression)) throw new ExpressionError(`"${expression}" is no runtime expression.`);
  const [root = '', rest = ''] = splitOnce(expression.slice(1), '.');
  const { exchange } = scope;
  switch (root) {
    case 'url':
      return exchange?.url;
    case 'method':
      return exchange?.method;
    case 'statusCode':
      return exchange?.status;
    case 'request':
      return exchange ? partOf(exchange.request, rest, expression) : undefined;
    case 'response':
      return exchange ? partOf(exchange.response, rest, expression) : undefined;
    case 'inputs':
      return valueIn(scope.inputs, rest);
    case 'outputs':
      return valueIn(scope.outputs, rest);
    case 'steps':
      return ofNamed(scope.steps, rest, ['outputs'], expression);
    case 'workflows':
      return ofNamed(scope.workflows, rest, ['inputs', 'outputs'], expression);
    case 'sourceDescriptions':
      return valueIn(scope.sources, rest);
    default: {
      const [kind, name] = splitOnce(rest, '.');
      if (kind !== 'parameters') throw new ExpressionError(`"${expression}" names no parameter.`);
      return valueIn(scope.parameters, name);
    }
  }
}

/**
 * A copy in which expressions have become their values: a text that is one becomes a value of any type, `{$…}` in a longer
 * one its text. Fields of an object without a value are left out.
 * @throws ExpressionError for what has no value, but for inputs that may be left out
 */
export function fillIn(value: unknown, scope: Scope): unknown {
  if (typeof value === 'string') return isExpression(value) ? required(value, scope) : fillText(value, scope);
  if (Array.isArray(value)) return value.map((item: unknown) => fillIn(item, scope) ?? null);
  if (typeof value !== 'object' || value === null) return value;
  const filled = Object.entries(value).map(([name, item]) => [name, fillIn(item, scope)] as const);
  return Object.fromEntries(filled.filter(([, item]) => item !== undefined));
}

/** The same for text that contains expressions but is not one itself. */
export function fillText(text: string, scope: Scope): string {
  return text.replaceAll(/\{(\$[^{}]{1,2000})\}/g, (whole, expression: string) => {
    return isExpression(expression) ? textOfValue(required(expression, scope) ?? '') : whole;
  });
}

function required(expression: string, scope: Scope): unknown {
  const value = evaluate(expression, scope);
  if (value === undefined && !expression.startsWith('$inputs.'))
    throw new ExpressionError(`${expression} has no value.`);
  return value;
}

/** The value as it is written into an address, a header or a text. */
export function textOfValue(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined ? '' : JSON.stringify(value);
}

/** The value at a JSON pointer; undefined where there is none, and for prototypes. */
export function follow(value: unknown, pointer: string): unknown {
  if (pointer === '') return value;
  if (!pointer.startsWith('/')) return undefined;
  return pointer.slice(1).split('/').map(unescape).reduce(own, value);
}

/** A step of a JSON pointer, as it was before it was escaped. */
export function unescape(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}

function own(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as WorkflowValues)[name];
}

function partOf(message: SaidMessage & Partial<Exchange['request']>, rest: string, expression: string): unknown {
  const [part, name] = splitOnce(rest, '.');
  if (part === 'header') return own(message.headers, name.toLowerCase());
  if (part === 'query' || part === 'path') return own(message[part], name);
  if (rest === 'body') return message.body;
  if (rest.startsWith('body#')) return readPointed(message.body, rest.slice('body#'.length));
  if (/^body[.[]/.test(rest)) return walk(message.body, rest.slice('body'.length));
  throw new ExpressionError(`"${expression}" is neither header, query, path nor body.`);
}

/** `step.outputs.name`. */
function ofNamed(map: WorkflowValues, rest: string, kinds: readonly string[], expression: string): unknown {
  const [name, below] = splitOnce(rest, '.');
  const [kind, path] = splitOnce(below, '.');
  if (!kinds.includes(kind)) throw new ExpressionError(`"${expression}" names neither ${kinds.join(' nor ')}.`);
  const found = own(map, name);
  return path === '' ? own(found, kind) : valueIn(own(found, kind), path);
}

/** `name`, `name#/pointer`, `name.field[0]`; names may hold dots themselves. */
function valueIn(map: unknown, rest: string): unknown {
  const [name, pointer] = splitOnce(rest, '#');
  const found = own(map, name);
  const value = found === undefined ? walk(map, name) : found;
  return pointer === '' ? value : readPointed(value, pointer);
}

/** A pointer, which conditions may follow by `[0].name`. */
function readPointed(value: unknown, pointer: string): unknown {
  const found = follow(value, pointer);
  const bracket = pointer.indexOf('[');
  if (found !== undefined || bracket < 0) return found;
  return walk(follow(value, pointer.slice(0, bracket)), pointer.slice(bracket));
}

function walk(value: unknown, path: string): unknown {
  return (path.match(/[^.[\]]+/g) ?? []).reduce(own, value);
}

/** The second part is empty where the sign is missing. */
function splitOnce(text: string, sign: string): [string, string] {
  const at = text.indexOf(sign);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + sign.length)];
}
