import { ValidationError, type ListFilter } from '../../core/index.js';
import type { Dialect, SqlValue } from '../driver.js';
import type { ListColumn } from './list.js';
import { placeholders } from '../placeholders.js';

/** A part of a WHERE clause with the values for its placeholders. */
export interface Condition {
  sql: string;
  values: readonly SqlValue[];
}

const MOST_WORDS = 5;
const COMPARISONS = { eq: '=', gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

/** @throws ValidationError for a field that the list does not offer */
export function filterCondition(
  filter: ListFilter,
  columns: Readonly<Record<string, ListColumn>>,
  dialect: Dialect,
): Condition {
  const field = Object.hasOwn(columns, filter.field) ? columns[filter.field] : undefined;
  if (!field) throw refuseName('filters', filter.field, Object.keys(columns));
  return field.within === undefined
    ? compareColumn(filter, field, dialect)
    : relateTable(filter, field, field.within, dialect);
}

/** A row may have any number of related values, so `ne` and `null` are tested with EXISTS. */
function relateTable(filter: ListFilter, field: ListColumn, within: string, dialect: Dialect): Condition {
  const { operator, value } = filter;
  if (operator === 'null') return { sql: `${value ? 'NOT ' : ''}EXISTS (${within})`, values: [] };
  const differs = operator === 'ne';
  const { sql, values } = compareColumn(differs ? { ...filter, operator: 'eq' } : filter, field, dialect);
  return { sql: `${differs ? 'NOT ' : ''}EXISTS (${within} AND ${sql})`, values };
}

function compareColumn({ operator, value }: ListFilter, { column, nullable }: ListColumn, dialect: Dialect): Condition {
  switch (operator) {
    case 'null':
      return { sql: `${column} IS ${value ? '' : 'NOT '}NULL`, values: [] };
    case 'in': {
      const values = Array.isArray(value) ? (value as SqlValue[]) : [value as SqlValue];
      if (values.length === 0) return { sql: '1 = 0', values };
      return { sql: `${column} IN (${placeholders(values)})`, values };
    }
    case 'like':
      return contains(column, String(value), dialect);
    case 'ne':
      // Rows without a value differ from every value.
      return {
        sql: nullable ? `(${column} <> ? OR ${column} IS NULL)` : `${column} <> ?`,
        values: [value as SqlValue],
      };
    default:
      return { sql: `${column} ${COMPARISONS[operator]} ?`, values: [value as SqlValue] };
  }
}

/** Every word must occur in one of the columns. Null when `q` contains no word. */
export function searchCondition(q: string, columns: readonly string[], dialect: Dialect): Condition | null {
  const words = q.split(/\s+/).filter(Boolean).slice(0, MOST_WORDS);
  if (words.length === 0) return null;
  if (columns.length === 0) throw new ValidationError({ q: ['This list has no text search.'] });
  return joinConditions(
    words.map((word) =>
      joinConditions(
        columns.map((column) => contains(column, word, dialect)),
        'OR',
      ),
    ),
    'AND',
  );
}

export function joinConditions(conditions: readonly Condition[], operator: 'AND' | 'OR'): Condition {
  const [first] = conditions;
  if (conditions.length === 1 && first) return first;
  return {
    sql: `(${conditions.map(({ sql }) => sql).join(` ${operator} `)})`,
    values: conditions.flatMap(({ values }) => values),
  };
}

export function refuseName(field: string, name: string, allowed: readonly string[]): ValidationError {
  return new ValidationError({ [field]: [`${name} is not available. Use one of: ${allowed.join(', ')}.`] });
}

/**
 * Case-insensitive substring match. MySQL and MariaDB ignore accents too; SQLite's LIKE folds ASCII letters only, hence
 * three spellings for others.
 */
function contains(column: string, text: string, dialect: Dialect): Condition {
  if (dialect === 'mysql') return matchText(`${column} COLLATE utf8mb4_unicode_ci`, text);
  if (/^[\x00-\x7f]*$/.test(text)) return matchText(column, text);
  const lower = text.toLowerCase();
  const spellings = [lower, text.toUpperCase(), lower.charAt(0).toUpperCase() + lower.slice(1)];
  return joinConditions(
    spellings.map((spelling) => matchText(column, spelling)),
    'OR',
  );
}

// `!` instead of a backslash, which MySQL treats as an escape in literals and SQLite does not.
function matchText(column: string, text: string): Condition {
  return { sql: `${column} LIKE ? ESCAPE '!'`, values: [`%${text.replace(/[!%_]/g, '!$&')}%`] };
}
