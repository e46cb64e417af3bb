import { ValidationError } from '../../core/index.js';
import { WAITING_KINDS, type WaitingKind, type WaitingPosition } from './waiting-decisions.js';

type Direction = 'ASC' | 'DESC';

const LONGEST = 200;
const LATEST_DATE = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** Where the next page goes on; opaque to clients, but not secret: it only repeats what they have seen. */
export function encodeWaitingCursor({ since, kind, subjectId, partId }: WaitingPosition, direction: Direction): string {
  return Buffer.from(JSON.stringify(['waiting', direction, since.getTime(), kind, subjectId, partId])).toString(
    'base64url',
  );
}

/** @throws ValidationError on `cursor` unless {@link encodeWaitingCursor} made it for this direction */
export function decodeWaitingCursor(cursor: string, direction: Direction): WaitingPosition {
  const parts = cursor.length <= LONGEST ? parse(cursor) : null;
  if (Array.isArray(parts) && parts.length === 6) {
    const [list, way, since, kind, subjectId, partId] = parts as unknown[];
    const isOurs = list === 'waiting' && way === direction && WAITING_KINDS.includes(kind as WaitingKind);
    if (isOurs && isNumber(since) && since <= LATEST_DATE && isNumber(subjectId) && isNumber(partId)) {
      return { since: new Date(since), kind: kind as WaitingKind, subjectId, partId };
    }
  }
  throw new ValidationError({
    cursor: ['The cursor does not belong to this list and order. Start again without one.'],
  });
}

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    return null;
  }
}

function isNumber(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
