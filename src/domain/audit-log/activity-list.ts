import { defineList, type ListScope } from '../../database/index.js';
import { ValidationError, type ListFilter, type ListQuery } from '../../core/index.js';
import { ACTIVITY_COLUMNS, ACTIVITY_DECODE, PEOPLE_JOIN, type ActivityRecord } from './activity.js';

const c = ACTIVITY_COLUMNS;
const createdAt = { column: c.createdAt, type: 'date' } as const;
const text = (column: string, nullable = false) => ({ column, type: 'string', nullable }) as const;

/** Filters that stand for others: `actor` and `subject` in one word, and the two ends of a time. */
const SHORTHANDS = ['actor', 'subject', 'from', 'to'];

/** The log, newest first. Sorts are those that an index gives for any number of rows. */
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

/** The same log for the developer whom it concerns; what would name an admin cannot be asked for. */
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

/** The query in plain filters. @throws ValidationError on `filters` for a shorthand that is not a single value */
export function expandFilters(query: ListQuery): ListQuery {
  return { ...query, filters: query.filters.flatMap(expand) };
}

/** People are joined for choosing rows only where one of them is looked for: the index of the order then still serves. */
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

// `admin:7`, `admin`, or the address of a person.
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
