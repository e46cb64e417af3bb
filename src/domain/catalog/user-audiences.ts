import type { Database } from '../../database/index.js';

/** An audience as other records name it. */
export interface AudienceReference {
  readonly id: number;
  readonly name: string;
}

/** The audiences that developers belong to. */
export class UserAudiences {
  constructor(private readonly database: Database) {}

  /** One query for any number of developers; the ones without an audience are not in the result. */
  async of(userIds: readonly number[]): Promise<ReadonlyMap<number, readonly AudienceReference[]>> {
    const audiences = new Map<number, AudienceReference[]>();
    if (userIds.length === 0) return audiences;
    const rows = await this.database.select<AudienceReference & { userId: number }>(
      `SELECT au.user_id AS userId, a.id AS id, a.name AS name
        FROM portal_audience_users AS au JOIN portal_audiences AS a ON a.id = au.audience_id
        WHERE au.user_id IN (${userIds.map(() => '?').join(', ')}) ORDER BY a.name, a.id`,
      userIds,
    );
    for (const { userId, id, name } of rows) audiences.set(userId, [...(audiences.get(userId) ?? []), { id, name }]);
    return audiences;
  }
}
