import { ValidationError } from '../../core/index.js';
import type { SqlValue } from '../driver.js';
import { joinConditions, type Condition } from './conditions.js';
import type { ListColumn } from './list.js';

export type Direction = 'ASC' | 'DESC';

/** The order of a page: one column, then the id in the same direction unless the column is unique. */
export interface Order {
  list: string;
  sort: string;
  column: ListColumn;
  id: string;
  direction: Direction;
}

/** The end of the last page: its last row's value in the order's column, and the id. */
export interface Position {
  value: SqlValue;
  id: number;
}

const LONGEST_CURSOR = 4096;
const LATEST_DATE = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** Opaque to clients. Bound to the list and its order, but not secret: it only repeats what the client has seen. */
export function encodeCursor({ list, sort, direction }: Order, { value, id }: Position): string {
  const plain = value instanceof Date ? value.getTime() : value;
  return Buffer.from(JSON.stringify([list, sort, direction, plain, id])).toString('base64url');
}

/** @throws ValidationError on `cursor` unless it was made by {@link encodeCursor} for this order */
export function decodeCursor(cursor: string, order: Order): Position {
  const parts = cursor.length <= LONGEST_CURSOR ? parse(cursor) : null;
  if (!Array.isArray(parts) || parts.length !== 5) throw refuseCursor();
  const [list, sort, direction, plain, id] = parts as unknown[];
  if (list !== order.list || sort !== order.sort || direction !== order.direction) throw refuseCursor();
  if (!Number.isSafeInteger(id)) throw refuseCursor();
  return { value: readValue(plain, order.column), id: id as number };
}

/**
 * The rows after a position. Null sorts before every value on both dialects. Written as `a <= x AND (a < x OR id < y)`,
 * whose first half is an index range; `id + 0` keeps MariaDB from scanning the primary key for the rest.
 */
export function startAfter(
  position: Position,
  { column: { column, nullable, unique }, id, direction }: Order,
): Condition {
  const [past, upTo] = direction === 'ASC' ? ['>', '>='] : ['<', '<='];
  const laterId: Condition = { sql: `${id} ${past} ?`, values: [position.id] };
  if (column === id) return laterId;
  if (unique) return { sql: `${column} ${past} ?`, values: [position.value] };
  const laterAmongEqual: Condition = { sql: `${id} + 0 ${past} ?`, values: [position.id] };
  const isNull: Condition = { sql: `${column} IS NULL`, values: [] };
  if (position.value === null) {
    const sameNull = joinConditions([isNull, laterAmongEqual], 'AND');
    return direction === 'ASC'
      ? joinConditions([{ sql: `${column} IS NOT NULL`, values: [] }, sameNull], 'OR')
      : sameNull;
  }
  const { value } = position;
  const later = joinConditions(
    [
      { sql: `${column} ${upTo} ?`, values: [value] },
      joinConditions([{ sql: `${column} ${past} ?`, values: [value] }, laterAmongEqual], 'OR'),
    ],
    'AND',
  );
  return nullable && direction === 'DESC' ? joinConditions([later, isNull], 'OR') : later;
}

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    return null;
  }
}

function readValue(plain: unknown, { type, nullable }: ListColumn): SqlValue {
  if (plain === null && nullable) return null;
  switch (type) {
    case 'string':
      if (typeof plain === 'string') return plain;
      break;
    case 'integer':
    case 'boolean':
      if (Number.isSafeInteger(plain)) return plain as number;
      break;
    case 'date':
      if (Number.isSafeInteger(plain) && Math.abs(plain as number) <= LATEST_DATE) return new Date(plain as number);
  }
  throw refuseCursor();
}

function refuseCursor(): ValidationError {
  return new ValidationError({
    cursor: ['The cursor does not belong to this list and order. Start again without one.'],
  });
}
