import type { SqlValue } from '../../database/index.js';
import { LIVE_KEY, OPEN_APP } from './app-queries.js';

/** What admins decide about: developers, apps, keys, products on keys, and other plans for those. */
export const WAITING_KINDS = ['developer', 'app', 'key', 'product', 'plan'] as const;
export type WaitingKind = (typeof WAITING_KINDS)[number];

/** Identifies a pending decision. */
export interface WaitingThing {
  readonly kind: WaitingKind;
  /** Id of the developer, the app or the key. */
  readonly subjectId: number;
  /** Id of the product on the key, of its plan too; 0 for other kinds. */
  readonly partId: number;
}

/** What determines which decisions are pending. */
export interface WaitingTerms {
  readonly now: Date;
  /** A developer who must confirm an address only waits once that is done. */
  readonly verifyEmail: boolean;
}

/** Where a page of the queue begins and in which direction it goes. */
export interface WaitingPage {
  readonly kinds: readonly WaitingKind[];
  readonly direction: 'ASC' | 'DESC';
  readonly after: WaitingPosition | null;
  readonly offset: number;
  readonly limit: number;
}

export interface WaitingPosition extends WaitingThing {
  readonly since: Date;
}

interface Statement {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

interface Source {
  readonly subject: string;
  readonly part: string;
  readonly since: string;
  /** Tables with their condition. Each is read along an index of state and creation. */
  readonly rows: Statement;
}

/** Every pending decision: `kind`, `subject_id` and `part_id`. */
export function selectWaiting(terms: WaitingTerms): Statement {
  return union(
    WAITING_KINDS.map((kind) => {
      const { subject, part, rows } = sourceOf(kind, terms);
      return {
        sql: `SELECT '${kind}' AS kind, ${subject} AS subject_id, ${part} AS part_id FROM ${rows.sql}`,
        values: rows.values,
      };
    }),
  );
}

/** `count` of pending decisions by `kind`. */
export function countWaiting(terms: WaitingTerms, kinds: readonly WaitingKind[]): Statement {
  return union(
    kinds.map((kind) => {
      const { rows } = sourceOf(kind, terms);
      return { sql: `SELECT '${kind}' AS kind, COUNT(*) AS count FROM ${rows.sql}`, values: rows.values };
    }),
  );
}

/**
 * The next decisions in the order of their creation, as `kind`, `subjectId`, `partId` and `since`. Each kind contributes
 * no more than the page may need, read along its index.
 */
export function selectWaitingPage(terms: WaitingTerms, page: WaitingPage): Statement {
  const { direction, offset, limit } = page;
  const order = ['since', 'position', 'subjectId', 'partId'].map((name) => `${name} ${direction}`).join(', ');
  const { sql, values } = union(page.kinds.map((kind) => selectNext(kind, terms, page)));
  return {
    sql: `SELECT kind, subjectId, partId, since FROM (${sql}) w ORDER BY ${order} LIMIT ? OFFSET ?`,
    values: [...values, limit, offset],
  };
}

function selectNext(
  kind: WaitingKind,
  terms: WaitingTerms,
  { direction, after, offset, limit }: WaitingPage,
): Statement {
  const { subject, part, since, rows } = sourceOf(kind, terms);
  const later = after ? laterThan(kind, after, direction, sourceOf(kind, terms)) : { sql: '', values: [] };
  const order = [since, subject, ...(part === '0' ? [] : [part])].map((column) => `${column} ${direction}`).join(', ');
  const sql = `SELECT * FROM (SELECT '${kind}' AS kind, ${WAITING_KINDS.indexOf(kind)} AS position,
    ${subject} AS subjectId, ${part} AS partId, ${since} AS since
    FROM ${rows.sql} ${later.sql} ORDER BY ${order} LIMIT ?) ${kind}_rows`;
  return { sql, values: [...rows.values, ...later.values, offset + limit] };
}

// Kinds have an order among themselves, so that things of one instant do not repeat on the next page.
function laterThan(
  kind: WaitingKind,
  after: WaitingPosition,
  direction: 'ASC' | 'DESC',
  { subject, part, since }: Source,
): Statement {
  const past = direction === 'ASC' ? '>' : '<';
  const distance = WAITING_KINDS.indexOf(kind) - WAITING_KINDS.indexOf(after.kind);
  if (distance !== 0) {
    const isLater = direction === 'ASC' ? distance > 0 : distance < 0;
    return { sql: `AND ${since} ${past}${isLater ? '=' : ''} ?`, values: [after.since] };
  }
  return {
    sql: `AND ${since} ${past}= ? AND (${since} ${past} ? OR ${subject} ${past} ? OR (${subject} = ? AND ${part} ${past} ?))`,
    values: [after.since, after.since, after.subjectId, after.subjectId, after.partId],
  };
}

function sourceOf(kind: WaitingKind, { now, verifyEmail }: WaitingTerms): Source {
  switch (kind) {
    case 'developer': {
      const proved = verifyEmail ? ' AND u.email_verified_at IS NOT NULL' : '';
      const rows = { sql: `portal_users u WHERE u.status = 'pending'${proved}`, values: [] };
      return { subject: 'u.id', part: '0', since: 'u.created_at', rows };
    }
    case 'app': {
      const rows = { sql: "portal_apps a WHERE a.status = 'pending' AND a.sync_state <> 'creating'", values: [] };
      return { subject: 'a.id', part: '0', since: 'a.created_at', rows };
    }
    case 'key': {
      const sql = `portal_credentials c JOIN portal_apps a ON a.id = c.app_id
        WHERE c.status = 'pending' AND ${LIVE_KEY} AND ${OPEN_APP}`;
      return { subject: 'c.id', part: '0', since: 'c.created_at', rows: { sql, values: [now] } };
    }
    case 'product': {
      // Compared, so that MariaDB does not begin with the keys, of which nearly all are alive.
      const sql = `portal_credential_products g WHERE g.status = 'pending' AND EXISTS (SELECT 1 FROM portal_credentials c
        JOIN portal_apps a ON a.id = c.app_id WHERE c.id = g.credential_id AND ${LIVE_KEY} AND ${OPEN_APP}) = 1`;
      return { subject: 'g.credential_id', part: 'g.product_id', since: 'g.created_at', rows: { sql, values: [now] } };
    }
    case 'plan': {
      const sql = `portal_credential_products g WHERE g.next_plan_status = 'pending' AND g.status <> 'revoked' AND EXISTS (
        SELECT 1 FROM portal_credentials c JOIN portal_apps a ON a.id = c.app_id
        WHERE c.id = g.credential_id AND ${LIVE_KEY} AND ${OPEN_APP}) = 1`;
      const since = 'g.next_plan_asked_at';
      return { subject: 'g.credential_id', part: 'g.product_id', since, rows: { sql, values: [now] } };
    }
  }
}

function union(parts: readonly Statement[]): Statement {
  return { sql: parts.map(({ sql }) => sql).join(' UNION ALL '), values: parts.flatMap(({ values }) => values) };
}
