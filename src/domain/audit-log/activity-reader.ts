import { placeholders, type Database, type Lists } from '../../database/index.js';
import { NotFoundError, type ListQuery, type ListPage } from '../../core/index.js';
import { activityList, expandFilters, ownActivityList, peopleScope } from './activity-list.js';
import { findActivities } from './activity-queries.js';
import type { ActivityRecord } from './activity.js';

interface ReaderParts {
  readonly database: Database;
  readonly lists: Lists;
}

/** Rows per batch of an export. */
const EXPORT_BATCH = 500;

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
    const rest = `WHERE a.owner_id = ? AND a.action IN (${placeholders(actions)})
      ORDER BY a.created_at DESC, a.id DESC LIMIT ?`;
    return findActivities(this.parts.database, rest, [userId, ...actions, limit]);
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
    const [activity] = await findActivities(this.parts.database, 'WHERE a.id = ?', [id]);
    if (!activity) throw new NotFoundError();
    return activity;
  }
}
