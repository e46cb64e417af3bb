import { placeholders, type Database, type Lists } from '../../database/index.js';
import { NotFoundError, type ListQuery, type ListPage } from '../../core/index.js';
import { activityList, expandFilters, ownActivityList, peopleScope } from './activity-list.js';
import { ACTIVITY_COLUMNS, ACTIVITY_DECODE, PEOPLE_JOIN, type ActivityRecord } from './activity.js';

interface ReaderParts {
  readonly database: Database;
  readonly lists: Lists;
}

/** Rows per batch of an export. */
const EXPORT_BATCH = 500;
const SELECT_ACTIVITY = `SELECT ${Object.entries(ACTIVITY_COLUMNS)
  .map(([name, sql]) => `${sql} AS ${name}`)
  .join(', ')} FROM portal_activities a ${PEOPLE_JOIN}`;

/** Reads the activity log. */
export class ActivityReader {
  constructor(private readonly parts: ReaderParts) {}

  /** @throws ValidationError as `Lists.run` */
  list(query: ListQuery): Promise<ListPage<ActivityRecord>> {
    const expanded = expandFilters(query);
    return this.parts.lists.run(activityList, expanded, { scope: peopleScope(expanded) });
  }

  /** What a developer did, and what was done to their account and apps. @throws as {@link list} */
  listOwn(userId: number, query: ListQuery): Promise<ListPage<ActivityRecord>> {
    const scope = { where: 'a.owner_id = ?', values: [userId] };
    return this.parts.lists.run(ownActivityList, expandFilters(query), { scope });
  }

  /**
   * The latest entries of a developer's own log, without a total.
   * @param actions only these
   * @param limit how many
   */
  recentOwn(userId: number, actions: readonly string[], limit: number): Promise<ActivityRecord[]> {
    const sql = `${SELECT_ACTIVITY} WHERE a.owner_id = ? AND a.action IN (${placeholders(actions)})
      ORDER BY a.created_at DESC, a.id DESC LIMIT ?`;
    return this.parts.database.select<ActivityRecord>(sql, [userId, ...actions, limit], { decode: ACTIVITY_DECODE });
  }

  /** Every activity that matches the query, in its order and regardless of its page, in batches of a few hundred. */
  async *walk(query: ListQuery): AsyncGenerator<ActivityRecord[]> {
    const expanded = expandFilters(query);
    yield* this.parts.lists.walk(
      activityList,
      { ...expanded, perPage: EXPORT_BATCH },
      { scope: peopleScope(expanded) },
    );
  }

  /** @throws NotFoundError */
  async find(id: number): Promise<ActivityRecord> {
    const sql = `${SELECT_ACTIVITY} WHERE a.id = ?`;
    const [activity] = await this.parts.database.select<ActivityRecord>(sql, [id], { decode: ACTIVITY_DECODE });
    if (!activity) throw new NotFoundError();
    return activity;
  }
}
