import { Op, type Database } from '../../database/index.js';
import { latestEnd } from '../../core/index.js';
import { webhookDeliveryRecord } from './webhook.js';

/** Longer than an attempt may take; afterwards another process takes over the work of a crashed one. */
export const CLAIM_S = 60;
/** Maximum pause that an endpoint may ask for. */
export const LONGEST_PAUSE_S = 86_400;

/** Condition of deliveries that no process has claimed. */
const DUE = `d.state = 'queued' AND d.due_at <= ? AND (d.claimed_until IS NULL OR d.claimed_until <= ? OR d.claimed_until > ?)`;
/** Condition of endpoints that get events now. */
const AWAKE = `e.status = 'active' AND (e.resume_at IS NULL OR e.resume_at <= ? OR e.resume_at > ?)`;

/** Condition of unclaimed rows: the claim has expired, or lies too far in the future because a clock was set back. */
export function isFree(now: Date): Free {
  return { [Op.or]: [null, { [Op.lte]: now }, { [Op.gt]: latestEnd(now, CLAIM_S) }] };
}

interface Free {
  readonly [Op.or]: readonly (null | { readonly [Op.lte]: Date } | { readonly [Op.gt]: Date })[];
}

/** How many deliveries were due at `dueBy` and still could be sent. */
export async function countSendable(database: Database, now: Date, dueBy: Date): Promise<number> {
  const late = (await findSendable(database, now)).filter(({ oldest }) => oldest <= dueBy);
  const due = { state: 'queued', dueAt: { [Op.lte]: dueBy }, claimedUntil: isFree(now) } as const;
  const ids = late.map(({ id }) => id);
  return ids.length === 0 ? 0 : webhookDeliveryRecord.count(database, { endpointId: ids, ...due });
}

/**
 * The endpoints to which something can be sent now, each with the time at which the oldest was due. It costs a few steps of
 * an index for each endpoint, however many messages wait for one that hangs.
 */
export async function findSendable(database: Database, now: Date): Promise<{ id: number; oldest: Date }[]> {
  const rows = await database.select<{ id: number; oldest: Date | null }>(
    `WITH RECURSIVE q (id) AS (
       SELECT MIN(f.endpoint_id) FROM portal_webhook_deliveries f WHERE f.state = 'queued'
       UNION ALL
       SELECT (SELECT MIN(n.endpoint_id) FROM portal_webhook_deliveries n
         WHERE n.state = 'queued' AND n.endpoint_id > q.id) FROM q WHERE q.id IS NOT NULL)
     SELECT e.id AS id, (SELECT d.due_at FROM portal_webhook_deliveries d
       WHERE d.endpoint_id = e.id AND ${DUE} ORDER BY d.due_at LIMIT 1) AS oldest
     FROM q JOIN portal_webhook_endpoints e ON e.id = q.id AND ${AWAKE}`,
    [now, now, latestEnd(now, CLAIM_S), now, latestEnd(now, LONGEST_PAUSE_S)],
    { decode: { oldest: 'date' } },
  );
  return rows.flatMap(({ id, oldest }) => (oldest === null ? [] : [{ id, oldest }]));
}

/** What is due for one endpoint, the oldest first. */
export async function findDue(database: Database, endpointId: number, now: Date, limit: number): Promise<number[]> {
  const due = { endpointId, state: 'queued', dueAt: { [Op.lte]: now }, claimedUntil: isFree(now) } as const;
  const next = { only: ['id'], order: 'd.due_at, d.id', limit } as const;
  return (await webhookDeliveryRecord.findAll(database, due, next)).map(({ id }) => id);
}

/**
 * What is due for an endpoint that wants an order: of each subject the earliest that was not sent yet, if it is due. So a
 * later one waits for as long as an earlier one is tried.
 */
export async function findDueInOrder(
  database: Database,
  endpointId: number,
  now: Date,
  limit: number,
): Promise<number[]> {
  const rows = await database.select<{ id: number }>(
    `SELECT d.id AS id FROM portal_webhook_deliveries d
     WHERE d.endpoint_id = ? AND ${DUE}
       AND (d.subject IS NULL OR NOT EXISTS (
         SELECT 1 FROM portal_webhook_deliveries p
         WHERE p.endpoint_id = d.endpoint_id AND p.subject = d.subject AND p.state = 'queued' AND p.id < d.id))
     ORDER BY d.due_at, d.id LIMIT ${Number(limit)}`,
    [endpointId, now, now, latestEnd(now, CLAIM_S)],
  );
  return rows.map(({ id }) => id);
}
