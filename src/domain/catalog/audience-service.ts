import { UniqueViolationError } from '../../database/index.js';
import { NotFoundError, ValidationError } from '../../kernel/index.js';
import { audienceModel, type Audience, type AudienceRecord } from './audience.js';
import { AudienceCreatedEvent, AudienceMembersAddedEvent } from './events.js';
import { CATALOG_TABLES } from './product-list.js';
import type { CatalogParts } from './contracts.js';

/** Groups of developers; a private product is shown to the members of its audiences. */
export class AudienceService {
  constructor(private readonly parts: CatalogParts) {}

  /** @throws NotFoundError */
  async findByName(name: string): Promise<AudienceRecord> {
    return recordOf(await audienceModel(this.parts.database).findOne({ where: { name } }));
  }

  /** @throws ValidationError for a taken name */
  async create(input: { readonly name: string; readonly description?: string }): Promise<AudienceRecord> {
    const { database, events, clock } = this.parts;
    return database.transaction(async (transaction) => {
      const now = clock.now();
      const columns = { name: input.name, description: input.description ?? '' };
      const row = await audienceModel(database)
        .create({ ...columns, createdAt: now, updatedAt: now }, { transaction })
        .catch(refuseTakenName);
      const audience = { id: Number(row.id), ...columns };
      await events.emit(new AudienceCreatedEvent({ audience, occurredAt: now }), transaction);
      return audience;
    });
  }

  /**
   * Adds developers to an audience; who is a member stays one.
   * @returns the ids that were not members before
   * @throws NotFoundError for the audience, ForeignKeyViolationError for a developer that does not exist
   */
  async addMembers(name: string, userIds: readonly number[]): Promise<number[]> {
    const { database, events, versions, clock } = this.parts;
    return database.transaction(async (transaction) => {
      const lock = { transaction, lock: transaction.LOCK.UPDATE };
      const audience = recordOf(await audienceModel(database).findOne({ where: { name }, ...lock }));
      const members = await database.select<{ userId: number }>(
        'SELECT user_id AS userId FROM portal_audience_users WHERE audience_id = ?',
        [audience.id],
        { transaction },
      );
      const added = [...new Set(userIds)].filter((id) => !members.some(({ userId }) => userId === id));
      if (added.length === 0) return added;
      for (const id of added) {
        const sql = 'INSERT INTO portal_audience_users (audience_id, user_id) VALUES (?, ?)';
        await database.execute(sql, [audience.id, id], { transaction });
      }
      const event = new AudienceMembersAddedEvent({ audience, userIds: added, occurredAt: clock.now() });
      await events.emit(event, transaction);
      await versions.touch(CATALOG_TABLES, transaction);
      return added;
    });
  }
}

function recordOf(row: Audience | null): AudienceRecord {
  if (!row) throw new NotFoundError();
  return { id: Number(row.id), name: row.name, description: row.description };
}

function refuseTakenName(error: unknown): never {
  if (!(error instanceof UniqueViolationError)) throw error;
  throw new ValidationError({ name: ['This value is already taken by another audience.'] }, { cause: error });
}
