import { placeholders, type Database, type SqlValue, type Transaction } from '../../database/index.js';
import { ACTIVITY_COLUMNS, ACTIVITY_DECODE, PEOPLE_JOIN, activityRecord, type ActivityRecord } from './activity.js';
import type { ChainedRow, ChainEnds } from './chain-hash.js';
import type { ActivityChanges } from '../../core/index.js';

const ACTIVITIES = `SELECT ${Object.entries(ACTIVITY_COLUMNS)
  .map(([name, sql]) => `${sql} AS ${name}`)
  .join(', ')} FROM portal_activities a ${PEOPLE_JOIN}`;

/** Activities as lists show them. @param rest SQL from WHERE on, with the aliases `a` and `p` */
export function findActivities(
  database: Database,
  rest: string,
  values: readonly SqlValue[],
): Promise<ActivityRecord[]> {
  return database.select<ActivityRecord>(`${ACTIVITIES} ${rest}`, values, { decode: ACTIVITY_DECODE });
}

/** A link of the chain with its personal part. */
export interface StoredRow extends ChainedRow {
  readonly previousHash: string;
  readonly hash: string;
  readonly actorName: string | null;
  readonly actorEmail: string | null;
  readonly ip: string | null;
  readonly userAgent: string | null;
  readonly actorSalt: string | null;
  readonly personalLabel: string | null;
  readonly personalChanges: ActivityChanges | null;
  readonly subjectSalt: string | null;
}

const LINKS_AT_ONCE = 1000;
const LINKS = `SELECT ${activityRecord.select()}, p.actor_name AS actorName,
  p.actor_email AS actorEmail, p.ip, p.user_agent AS userAgent, p.actor_salt AS actorSalt,
  p.subject_label AS personalLabel, p.subject_changes AS personalChanges, p.subject_salt AS subjectSalt
  FROM portal_activities a ${PEOPLE_JOIN}
  WHERE a.id > ? AND a.id <= ? ORDER BY a.id LIMIT ${LINKS_AT_ONCE}`;
const LINK_DECODE = { ...activityRecord.decode, personalChanges: 'json' } as const;

/** The next links of the chain after `id`, up to `lastId`, at most 1 000. */
export function findLinks(database: Database, id: number, lastId: number): Promise<StoredRow[]> {
  return database.select<StoredRow>(LINKS, [id, lastId], { decode: LINK_DECODE });
}

/** Writes where the chain starts and ends; its row must be locked. */
export async function writeEnds(
  database: Database,
  { lastId, lastHash, prunedId, prunedHash }: ChainEnds,
  seal: string,
  transaction: Transaction,
): Promise<void> {
  await database.execute(
    'UPDATE portal_activity_chain SET last_id = ?, last_hash = ?, pruned_id = ?, pruned_hash = ?, seal = ? WHERE id = 1',
    [lastId, lastHash, prunedId, prunedHash, seal],
    { transaction },
  );
}

interface OwnRow {
  readonly id: number;
  readonly isActor: number;
  readonly isSubject: number;
}

const IS_ACTOR = "(actor_type = 'visitor' OR (actor_type = 'developer' AND actor_id = ?))";

/** The activities after `afterId` by a developer, or about them, in their order. */
export function findActivitiesOf(
  database: Database,
  userId: number,
  afterId: number,
  transaction: Transaction,
): Promise<OwnRow[]> {
  const columns = `id, ${IS_ACTOR} AS isActor, (subject_type = 'user' AND subject_id = ?) AS isSubject`;
  const selectOwn = (condition: string) => `SELECT ${columns} FROM portal_activities WHERE ${condition} AND id > ?`;
  const values = [userId, String(userId), userId, afterId];
  return database.select<OwnRow>(
    `${selectOwn('owner_id = ?')} UNION ${selectOwn("actor_type = 'developer' AND actor_id = ?")} ORDER BY id`,
    [...values, ...values],
    { transaction },
  );
}

const ERASED_AT_ONCE = 500;
const PERSONAL = {
  actor: 'actor_name = NULL, actor_email = NULL, ip = NULL, user_agent = NULL, actor_salt = NULL',
  subject: 'subject_label = NULL, subject_changes = NULL, subject_salt = NULL',
} as const;

/** Erases who did it, or about whom it was, from activities. */
export async function erasePersonal(
  database: Database,
  part: keyof typeof PERSONAL,
  ids: readonly number[],
  transaction: Transaction,
): Promise<void> {
  for (let first = 0; first < ids.length; first += ERASED_AT_ONCE) {
    const batch = ids.slice(first, first + ERASED_AT_ONCE);
    const sql = `UPDATE portal_activity_people SET ${PERSONAL[part]} WHERE activity_id IN (${placeholders(batch)})`;
    await database.execute(sql, batch, { transaction });
  }
}
