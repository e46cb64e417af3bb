import { Op } from 'sequelize';
import type { SqlValue } from './driver.js';
import { placeholders } from './placeholders.js';
import type { Fields } from './record-field.js';

/** Conditions on a row, by field; of those under `Op.or` one must hold. */
export type Where<C extends Fields> = { readonly [K in keyof C]?: Condition<C[K]['value']> } & {
  readonly [Op.or]?: readonly Where<C>[];
};

/** A value, an array of which one must match, or comparisons, written as for Sequelize. */
type Condition<T> = T | readonly T[] | Comparisons<T>;

interface Comparisons<T> {
  readonly [Op.gt]?: T;
  readonly [Op.gte]?: T;
  readonly [Op.lt]?: T;
  readonly [Op.lte]?: T;
  readonly [Op.ne]?: T | null;
  readonly [Op.or]?: readonly Condition<T>[];
}

export interface SqlCondition {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

const OPERATORS = new Map<symbol, string>([
  [Op.gt, '>'],
  [Op.gte, '>='],
  [Op.lt, '<'],
  [Op.lte, '<='],
  [Op.ne, '<>'],
]);

/** The condition on one column; written for Sequelize it has the same meaning. */
export function sqlOf(name: string, condition: unknown): SqlCondition {
  if (condition === null) return { sql: `${name} IS NULL`, values: [] };
  if (Array.isArray(condition)) {
    // SQL has no empty list.
    if (condition.length === 0) return { sql: '1 = 0', values: [] };
    return { sql: `${name} IN (${placeholders(condition)})`, values: condition };
  }
  const operators = typeof condition === 'object' ? Object.getOwnPropertySymbols(condition) : [];
  if (operators.length === 0) return { sql: `${name} = ?`, values: [condition as SqlValue] };
  const comparisons = condition as Readonly<Record<symbol, unknown>>;
  return combine(
    operators.map((operator) => compare(name, operator, comparisons[operator])),
    ' AND ',
  );
}

function compare(name: string, operator: symbol, value: unknown): SqlCondition {
  if (operator === Op.or) {
    const { sql, values } = anyOf((value as readonly unknown[]).map((choice) => sqlOf(name, choice)));
    return { sql: `(${sql})`, values };
  }
  if (operator === Op.ne && value === null) return { sql: `${name} IS NOT NULL`, values: [] };
  const sign = OPERATORS.get(operator);
  if (!sign) throw new Error(`a condition cannot use ${String(operator)}`);
  return { sql: `${name} ${sign} ?`, values: [value as SqlValue] };
}

function combine(terms: readonly SqlCondition[], word: ' AND ' | ' OR '): SqlCondition {
  return { sql: terms.map(({ sql }) => sql).join(word), values: terms.flatMap(({ values }) => values) };
}

export function anyOf(terms: readonly SqlCondition[]): SqlCondition {
  return combine(terms, ' OR ');
}

export function allOf(terms: readonly SqlCondition[]): SqlCondition {
  return combine(terms, ' AND ');
}
