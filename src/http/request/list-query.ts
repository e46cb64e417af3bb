import {
  FILTER_OPERATORS,
  ValidationError,
  type FieldErrors,
  type FilterOperator,
  type FilterType,
  type ListFilter,
  type ListOptions,
  type ListQuery,
} from '../../core/index.js';
import { nestsDeeperThan } from './body.js';

/** Limits of S53. */
const MAX_PAGE = 10_000;
const MAX_FILTERS = 10;
const MAX_RELATIONS = 5;
const MAX_IN = 100;
const MAX_TEXT = 200;

export interface PageSize {
  perPage: number;
  maxPerPage: number;
}

type RawQuery = Record<string, unknown>;

/**
 * The list parameters of a request, checked against the list's options; other names go no further.
 * @throws ValidationError naming each wrong parameter and, for names, the allowed ones
 */
export function parseListQuery(query: RawQuery, options: ListOptions, size: PageSize): ListQuery {
  const errors: FieldErrors = {};
  const attempt = <T>(name: string, fallback: T, read: (value: string) => T): T => {
    const value = query[name];
    if (value === undefined || value === '') return fallback;
    try {
      if (typeof value !== 'string') throw new Refusal(`${name} must be given once.`);
      return read(value);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      (errors[name] ??= []).push(error.message);
      return fallback;
    }
  };

  const result: ListQuery = {
    page: attempt('page', 1, readPage),
    perPage: attempt('per_page', size.perPage, (value) => Math.min(readPositive('per_page', value), size.maxPerPage)),
    direction: attempt<'ASC' | 'DESC'>('direction', 'DESC', readDirection),
    with: attempt<string[]>('with', [], (value) => readRelations(value, options.relations)),
    filters: attempt<ListFilter[]>('filters', [], (value) => readFilters(value, options.filters)),
  };
  const orderBy = attempt<string | undefined>('order_by', undefined, (value) =>
    oneOf('order_by', value, options.sorts),
  );
  const q = attempt<string | undefined>('q', undefined, (value) => readSearch(value, options.searchable));
  const cursor = attempt<string | undefined>('cursor', undefined, (value) => value);
  if (Object.keys(errors).length > 0) throw new ValidationError(errors);
  // Without a direction, a named column is sorted ascending, as in SQL; the default order is newest first.
  if (orderBy !== undefined && query.direction === undefined) result.direction = 'ASC';
  return {
    ...result,
    ...(orderBy === undefined ? {} : { orderBy }),
    ...(q === undefined ? {} : { q }),
    ...(cursor === undefined ? {} : { cursor }),
  };
}

class Refusal extends Error {}

function readPositive(name: string, value: string): number {
  if (!/^\d{1,9}$/.test(value) || Number(value) < 1) throw new Refusal(`${name} must be a whole number of at least 1.`);
  return Number(value);
}

function readPage(value: string): number {
  const page = readPositive('page', value);
  if (page > MAX_PAGE) throw new Refusal(`page must be at most ${MAX_PAGE}; use cursor to go further.`);
  return page;
}

function readDirection(value: string): 'ASC' | 'DESC' {
  const direction = value.toUpperCase();
  if (direction !== 'ASC' && direction !== 'DESC') throw new Refusal('direction must be one of ASC, DESC.');
  return direction;
}

function oneOf(name: string, value: string, allowed: readonly string[]): string {
  if (allowed.includes(value)) return value;
  throw new Refusal(
    allowed.length > 0 ? `${name} must be one of ${allowed.join(', ')}.` : `${name} is not supported here.`,
  );
}

function readRelations(value: string, allowed: readonly string[]): string[] {
  const names = [...new Set(value.split(',').map((name) => name.trim()))].filter((name) => name !== '');
  if (names.length > MAX_RELATIONS) throw new Refusal(`with takes at most ${MAX_RELATIONS} names.`);
  return names.map((name) => oneOf('with', name, allowed));
}

function readSearch(value: string, searchable: boolean): string {
  if (!searchable) throw new Refusal('q is not supported here.');
  if (value.length > MAX_TEXT) throw new Refusal(`q must be at most ${MAX_TEXT} characters.`);
  return value;
}

function readFilters(value: string, allowed: Readonly<Record<string, FilterType>>): ListFilter[] {
  const filters: ListFilter[] = [];
  for (const [field, condition] of Object.entries(parseObject(value))) {
    const type = Object.hasOwn(allowed, field) ? allowed[field] : undefined;
    if (!type) oneOf('filters', field, Object.keys(allowed));
    else if (isObject(condition)) {
      for (const [operator, operand] of Object.entries(condition))
        filters.push(readFilter(field, type, operator, operand));
    } else filters.push(readFilter(field, type, Array.isArray(condition) ? 'in' : 'eq', condition));
  }
  if (filters.length > MAX_FILTERS) throw new Refusal(`filters takes at most ${MAX_FILTERS} conditions.`);
  return filters;
}

function parseObject(value: string): Record<string, unknown> {
  const refusal = new Refusal('filters must be a JSON object, for example {"status":"active"}.');
  if (nestsDeeperThan(Buffer.from(value), 4)) throw refusal;
  try {
    const parsed: unknown = JSON.parse(value);
    if (isObject(parsed)) return parsed;
  } catch {
    throw refusal;
  }
  throw refusal;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function readFilter(field: string, type: FilterType, operator: string, operand: unknown): ListFilter {
  if (!isOperator(operator)) {
    throw new Refusal(`filters.${field} takes the operators ${FILTER_OPERATORS.join(', ')}.`);
  }
  if (operator === 'null') {
    if (typeof operand !== 'boolean') throw new Refusal(`filters.${field}.null must be true or false.`);
    return { field, operator, value: operand };
  }
  if (operator === 'in') {
    if (!Array.isArray(operand) || operand.length < 1 || operand.length > MAX_IN) {
      throw new Refusal(`filters.${field}.in must be a list of 1 to ${MAX_IN} values.`);
    }
    return {
      field,
      operator,
      value: operand.map((item) => readValue(field, type, item)) as (string | number | Date)[],
    };
  }
  if (operator === 'like' && type !== 'string') throw new Refusal(`filters.${field} does not take like.`);
  return { field, operator, value: readValue(field, type, operand) };
}

function isOperator(name: string): name is FilterOperator {
  return (FILTER_OPERATORS as readonly string[]).includes(name);
}

const DATE = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2})?)?$/;

function readValue(field: string, type: FilterType, value: unknown): string | number | boolean | Date {
  if (type === 'string' && typeof value === 'string' && value.length <= MAX_TEXT) return value;
  if (type === 'integer' && typeof value === 'number' && Number.isSafeInteger(value)) return value;
  if (type === 'boolean' && typeof value === 'boolean') return value;
  if (type === 'date' && typeof value === 'string' && DATE.test(value)) {
    const date = new Date(/[Zz]|[+-]\d{2}:\d{2}$/.test(value) || value.length === 10 ? value : `${value}Z`);
    if (!Number.isNaN(date.getTime())) return date;
  }
  const wanted = {
    string: `text of at most ${MAX_TEXT} characters`,
    integer: 'a whole number',
    boolean: 'true or false',
    date: 'an ISO 8601 date',
  };
  throw new Refusal(`filters.${field} must be ${wanted[type]}.`);
}
