import { isDeepStrictEqual } from 'node:util';
import { createContext, Script } from 'node:vm';
import type { Criterion } from '../portal.js';
import { evaluate, ExpressionError, isExpression, textOfValue, type Scope } from './workflow-expressions.js';

const LONGEST = 2_000;
const DEEPEST = 50;
/** Characters that a regular expression looks at. */
const LONGEST_LOOKED_AT = 100_000;
/** Time limit of a regular expression, against catastrophic backtracking. */
const LONGEST_MS = 250;

type Evaluated = (scope: Scope) => unknown;

/** Whether the condition holds. @throws ExpressionError if it cannot be evaluated */
export function holds(criterion: Criterion, scope: Scope): boolean {
  if (criterion.type === 'regex') return matches(criterion, scope);
  return Boolean(parseCondition(criterion.condition)(scope));
}

/** The condition as reports print it. */
export function criterionText({ type, context, condition }: Criterion): string {
  return type === 'regex' ? `${context ?? ''} matches /${condition}/` : condition;
}

/** Checks a criterion before anything is called. @throws ExpressionError for what cannot be evaluated */
export function checkCriterion({ type, context, condition }: Criterion): void {
  if (type === 'jsonpath' || type === 'xpath') {
    throw new ExpressionError(
      `criteria of type ${type} are not evaluated. Say it as a simple condition or as a regular expression.`,
    );
  }
  if (type !== 'simple' && type !== 'regex') throw new ExpressionError(`there are no criteria of type "${type}".`);
  if (condition.length > LONGEST) throw new ExpressionError(`a condition is longer than ${LONGEST} characters.`);
  if (type === 'simple') return void parseCondition(condition);
  if (context === null || !isExpression(context)) {
    throw new ExpressionError('a criterion of type regex needs a runtime expression as its context.');
  }
  try {
    new RegExp(condition);
  } catch {
    throw new ExpressionError(`"${condition}" is no regular expression.`);
  }
}

/** In a context of its own, because only there a search can be broken off. The expression gets there as a value, not as code. */
function matches({ context, condition }: Criterion, scope: Scope): boolean {
  const value = evaluate(context ?? '', scope);
  if (value === undefined || value === null) return false;
  const text = textOfValue(value).slice(0, LONGEST_LOOKED_AT);
  const search = new Script('expression.test(text)');
  try {
    const room = createContext({ expression: new RegExp(condition), text });
    return search.runInContext(room, { timeout: LONGEST_MS }) === true;
  } catch {
    throw new ExpressionError(`/${condition}/ takes longer than ${LONGEST_MS} ms.`);
  }
}

/**
 * A simple condition: literals, expressions, comparisons, `!`, `&&`, `||` and brackets. Texts are compared without regard to
 * capitals; a number and a text by what the text says as a number. What has no value is null.
 * @throws ExpressionError
 */
function parseCondition(condition: string): Evaluated {
  const parser = new ConditionParser(tokensOf(condition), condition);
  return parser.parse();
}

const TOKEN =
  /\s+|'(?:[^']|'')*'|&&|\|\||[=!<>]=|[<>!(){}]|-?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?(?![\w.])|\$[^\s=!<>&|(){}]+|(?:true|false|null)(?![\w.])/y;

function tokensOf(condition: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < condition.length) {
    const from = TOKEN.lastIndex;
    const [token] = TOKEN.exec(condition) ?? [];
    if (token === undefined)
      throw fault(condition, `what begins with "${condition.slice(from, from + 20)}" is unknown`);
    if (token.trim() !== '') tokens.push(token);
  }
  return tokens;
}

const COMPARE: Readonly<Record<string, (left: unknown, right: unknown) => boolean>> = {
  '==': isSame,
  '!=': (left, right) => !isSame(left, right),
  '<': (left, right) => order(left, right, (one, other) => one < other),
  '<=': (left, right) => order(left, right, (one, other) => one <= other),
  '>': (left, right) => order(left, right, (one, other) => one > other),
  '>=': (left, right) => order(left, right, (one, other) => one >= other),
};
const CLOSING: Readonly<Record<string, string>> = { '(': ')', '{': '}' };

class ConditionParser {
  private at = 0;
  private depth = 0;

  constructor(
    private readonly tokens: readonly string[],
    private readonly condition: string,
  ) {}

  parse(): Evaluated {
    const parsed = this.parseOr();
    if (this.at < this.tokens.length) throw fault(this.condition, `"${this.tokens[this.at] ?? ''}" is not expected`);
    return parsed;
  }

  private parseOr(): Evaluated {
    let left = this.readAnd();
    while (this.take('||')) {
      const [one, other] = [left, this.readAnd()];
      left = (scope) => Boolean(one(scope)) || Boolean(other(scope));
    }
    return left;
  }

  private readAnd(): Evaluated {
    let left = this.readNot();
    while (this.take('&&')) {
      const [one, other] = [left, this.readNot()];
      left = (scope) => Boolean(one(scope)) && Boolean(other(scope));
    }
    return left;
  }

  private readNot(): Evaluated {
    if (!this.take('!')) return this.comparison();
    const one = this.descend(() => this.readNot());
    return (scope) => !one(scope);
  }

  private comparison(): Evaluated {
    const left = this.operand();
    const compare = COMPARE[this.tokens[this.at] ?? ''];
    if (!compare) return left;
    this.at += 1;
    const right = this.operand();
    return (scope) => compare(left(scope), right(scope));
  }

  private operand(): Evaluated {
    const token = this.tokens[this.at];
    if (token === undefined) throw fault(this.condition, 'it ends too early');
    this.at += 1;
    const closing = CLOSING[token];
    if (closing !== undefined) {
      const inner = this.descend(() => this.parseOr());
      if (!this.take(closing)) throw fault(this.condition, `"${closing}" is missing`);
      return inner;
    }
    if (token.startsWith('$')) {
      if (!isExpression(token)) throw fault(this.condition, `"${token}" is no runtime expression`);
      return (scope) => evaluate(token, scope);
    }
    if (token.startsWith("'")) {
      const text = token.slice(1, -1).replaceAll("''", "'");
      return () => text;
    }
    if (!/^(?:-?\d|true$|false$|null$)/.test(token)) throw fault(this.condition, `"${token}" is not expected`);
    const literal: unknown = /\d/.test(token) ? Number(token) : JSON.parse(token);
    return () => literal;
  }

  private take(token: string): boolean {
    if (this.tokens[this.at] !== token) return false;
    this.at += 1;
    return true;
  }

  private descend<T>(parse: () => T): T {
    this.depth += 1;
    if (this.depth > DEEPEST) throw fault(this.condition, `it nests deeper than ${DEEPEST} levels`);
    const parsed = parse();
    this.depth -= 1;
    return parsed;
  }
}

function isSame(left: unknown, right: unknown): boolean {
  if (left == null || right == null) return left == null && right == null;
  if (typeof left === 'object' || typeof right === 'object') return isDeepStrictEqual(left, right);
  if (typeof left === 'number' || typeof right === 'number') {
    const [one, other] = [numberOf(left), numberOf(right)];
    if (one !== null && other !== null) return one === other;
  }
  return textOfValue(left).toLowerCase() === textOfValue(right).toLowerCase();
}

function order(
  left: unknown,
  right: unknown,
  compare: <T extends number | string>(one: T, other: T) => boolean,
): boolean {
  const [one, other] = [numberOf(left), numberOf(right)];
  if (one !== null && other !== null) return compare(one, other);
  const areTexts = typeof left === 'string' && typeof right === 'string';
  return areTexts && compare(left.toLowerCase(), right.toLowerCase());
}

function numberOf(value: unknown): number | null {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^-?\d+(?:\.\d+)?$/.test(value) ? Number(value) : null;
}

function fault(condition: string, reason: string): ExpressionError {
  return new ExpressionError(`the condition "${condition.slice(0, 200)}" cannot be read: ${reason}.`);
}
