import { defineList, type ListScope } from '../../database/index.js';
import { ValidationError, type ListFilter, type ListQuery } from '../../core/index.js';
import { ACTIVITY_COLUMNS, ACTIVITY_DECODE, PEOPLE_JOIN, type ActivityRecord } from './activity.js';

const c = ACTIVITY_COLUMNS;
const createdAt = { column: c.createdAt, type: 'date' } as const;
const text = (column: string, nullable = false) => ({ column, type: 'string', nullable }) as const;

/** Shorthand filters: `actor` and `subject` as one word, and the bounds of a time range. */
const SHORTHANDS = ['actor', 'subject', 'from', 'to'];

/** The log, newest first. Only sorts that an index supports at any size. */
export const activityList = defineList<ActivityRecord>({
  name: 'activities',
  table: 'portal_activities',
  alias: 'a',
  columns: c,
  join: PEOPLE_JOIN,
  decode: ACTIVITY_DECODE,
  sorts: { created_at: createdAt, id: { column: c.id, type: 'integer' } },
  filters: {
    id: { column: c.id, type: 'integer' },
    action: text(c.action),
    actor: text(c.actorEmail, true),
    actor_type: text(c.actorType),
    actor_id: { column: c.actorId, type: 'integer', nullable: true },
    actor_email: text(c.actorEmail, true),
    subject: text(c.subjectId, true),
    subject_type: text(c.subjectType, true),
    subject_id: text(c.subjectId, true),
    request_id: text(c.requestId, true),
    created_at: createdAt,
    from: createdAt,
    to: createdAt,
  },
});

/** A developer's own log; filters that would identify an admin are not available. */
export const ownActivityList = defineList<ActivityRecord>({
  name: 'own-activities',
  table: 'portal_activities',
  alias: 'a',
  columns: c,
  join: PEOPLE_JOIN,
  decode: ACTIVITY_DECODE,
  sorts: { created_at: createdAt, id: { column: c.id, type: 'integer' } },
  filters: {
    id: { column: c.id, type: 'integer' },
    action: text(c.action),
    subject: text(c.subjectId, true),
    subject_type: text(c.subjectType, true),
    subject_id: text(c.subjectId, true),
    created_at: createdAt,
    from: createdAt,
    to: createdAt,
  },
});

/**
 * Expands shorthands into plain filters. @throws ValidationError on `filters` for a shorthand that is not a single
 * value
 */
export function expandFilters(query: ListQuery): ListQuery {
  return { ...query, filters: query.filters.flatMap(expand) };
}

/** Joins people only when the query filters by them, so that the index of the sort order is used otherwise. */
export function peopleScope(query: ListQuery): ListScope | undefined {
  const asks = query.filters.some(({ field }) => field === 'actor_email');
  return asks ? { where: '1 = 1', values: [], join: PEOPLE_JOIN } : undefined;
}

function expand(filter: ListFilter): ListFilter[] {
  const { field, operator, value } = filter;
  if (!SHORTHANDS.includes(field)) return [filter];
  if (operator !== 'eq') {
    throw new ValidationError({ filters: [`filters.${field} takes one value: {"${field}": …}.`] });
  }
  if (field === 'from') return [{ field: 'created_at', operator: 'gte', value }];
  if (field === 'to') return [{ field: 'created_at', operator: 'lt', value }];
  return expandName(field, String(value));
}

// `admin:7`, `admin`, or a person's address.
function expandName(field: string, value: string): ListFilter[] {
  if (field === 'actor' && value.includes('@')) return [{ field: 'actor_email', operator: 'eq', value }];
  const at = value.indexOf(':');
  const type: ListFilter = { field: `${field}_type`, operator: 'eq', value: at < 0 ? value : value.slice(0, at) };
  if (at < 0) return [type];
  const id = value.slice(at + 1);
  if (field === 'subject') return [type, { field: 'subject_id', operator: 'eq', value: id }];
  if (!/^\d{1,15}$/.test(id))
    throw new ValidationError({ filters: ['filters.actor is a type, type:id or an e-mail address.'] });
  return [type, { field: 'actor_id', operator: 'eq', value: Number(id) }];
}
