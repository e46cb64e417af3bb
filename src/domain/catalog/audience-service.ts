import { UniqueViolationError, type Transaction } from '../../database/index.js';
import { nextVersion, NotFoundError, requireVersion, ValidationError, type ExpectedVersion } from '../../core/index.js';
import { canonicalEmail } from '../accounts/index.js';
import { audienceModel, type AudienceModel, type AudienceInput, type AudienceRecord } from './audience.js';
import { AudienceReader } from './audience-reader.js';
import {
  AudienceCreatedEvent,
  AudienceDeletedEvent,
  AudienceMembersAddedEvent,
  AudienceMembersRemovedEvent,
  AudienceUpdatedEvent,
} from './events.js';
import { moveVersions, replaceLinks, type ValueChange, type JoinTableChange, type JoinTable } from './join-table.js';
import { CATALOG_TABLES } from './products/product-list.js';

const USERS: JoinTable = {
  link: 'portal_audience_users',
  owner: 'audience_id',
  target: 'portal_users',
  key: 'user_id',
  name: 'email',
  what: 'developer',
  canonical: canonicalEmail,
};

const PRODUCTS: JoinTable = {
  link: 'portal_audience_products',
  owner: 'audience_id',
  target: 'portal_products',
  key: 'product_id',
  name: 'slug',
  what: 'product',
};

/** Groups of developers, also for those who may change them. */
export class AudienceService extends AudienceReader {
  /** @throws ValidationError for a taken name, unknown developers and products */
  create(input: AudienceInput): Promise<AudienceRecord> {
    const { database, events } = this.parts;
    return this.changing(async (transaction, now) => {
      const columns = { name: input.name, description: input.description ?? '' };
      const row = await refuseTaken(
        audienceModel(database).create({ ...columns, createdAt: now, updatedAt: now }, { transaction }),
      );
      const id = Number(row.id);
      const { members } = await this.link(id, input, now, transaction);
      const audience = await this.record('a.id = ?', id, transaction);
      await events.emit(new AudienceCreatedEvent({ audience, occurredAt: now }), transaction);
      await this.tellOfMembers(audience, members, now, transaction);
      return audience;
    });
  }

  /**
   * Changes what the input names; lists are replaced whole. What is equal already is no change and no event.
   * @throws NotFoundError, PreconditionFailedError, and ValidationError as {@link create}
   */
  update(id: number, input: Partial<AudienceInput>, expected?: ExpectedVersion): Promise<AudienceRecord> {
    return this.changing(async (transaction, now) => {
      const row = await this.lock(id, expected, transaction);
      const changes: Record<string, ValueChange> = {};
      for (const field of ['name', 'description'] as const) {
        const after = input[field];
        if (after !== undefined && after !== row[field]) changes[field] = [row[field], after];
      }
      const changed = Object.fromEntries(Object.entries(changes).map(([field, [, after]]) => [field, after]));
      const { members, products } = await this.link(id, input, now, transaction);
      if (products) changes.products = products.names;
      if (!members && Object.keys(changes).length === 0) return this.record('a.id = ?', id, transaction);
      await refuseTaken(row.update({ ...changed, updatedAt: nextVersion(now, row) }, { transaction }));
      const audience = await this.record('a.id = ?', id, transaction);
      if (Object.keys(changes).length > 0) {
        await this.parts.events.emit(new AudienceUpdatedEvent({ audience, changes, occurredAt: now }), transaction);
      }
      await this.tellOfMembers(audience, members, now, transaction);
      return audience;
    });
  }

  /** Private products of it are hidden from its members. @throws NotFoundError, PreconditionFailedError */
  delete(id: number, expected?: ExpectedVersion): Promise<void> {
    return this.changing(async (transaction, now) => {
      const row = await this.lock(id, expected, transaction);
      const audience = await this.record('a.id = ?', id, transaction);
      await this.parts.events.emit(new AudienceDeletedEvent({ audience, occurredAt: now }), transaction);
      await row.destroy({ transaction });
    });
  }

  /**
   * Adds developers to an audience; who is a member stays one.
   * @returns the ids that were not members before
   * @throws NotFoundError for the audience, ForeignKeyViolationError for a developer that does not exist
   */
  async addMembers(name: string, userIds: readonly number[]): Promise<number[]> {
    const { database } = this.parts;
    return this.changing(async (transaction, now) => {
      const lock = { transaction, lock: transaction.LOCK.UPDATE };
      const row = await audienceModel(database).findOne({ where: { name }, ...lock });
      if (!row) throw new NotFoundError();
      const id = Number(row.id);
      const members = await database.select<{ userId: number }>(
        'SELECT user_id AS userId FROM portal_audience_users WHERE audience_id = ?',
        [id],
        { transaction },
      );
      const added = [...new Set(userIds)].filter((userId) => !members.some((member) => member.userId === userId));
      if (added.length === 0) return added;
      for (const userId of added) {
        const sql = 'INSERT INTO portal_audience_users (audience_id, user_id) VALUES (?, ?)';
        await database.execute(sql, [id, userId], { transaction });
      }
      await row.update({ updatedAt: nextVersion(now, row) }, { transaction });
      const audience = await this.record('a.id = ?', id, transaction);
      await this.tellOfMembers(audience, { names: [[], []], added, removed: [] }, now, transaction);
      return added;
    });
  }

  // Who is in an audience changes what they see of the catalog, and how much of it.
  private changing<T>(run: (transaction: Transaction, now: Date) => Promise<T>): Promise<T> {
    const { database, versions, clock } = this.parts;
    return database.transaction(async (transaction) => {
      const result = await run(transaction, clock.now());
      await versions.touch(CATALOG_TABLES, transaction);
      return result;
    });
  }

  private async link(id: number, { users, products }: Partial<AudienceInput>, now: Date, transaction: Transaction) {
    const { database } = this.parts;
    const members = users ? await replaceLinks(database, USERS, 'users', id, users, transaction) : null;
    const shown = products ? await replaceLinks(database, PRODUCTS, 'products', id, products, transaction) : null;
    const touched = [...(shown?.added ?? []), ...(shown?.removed ?? [])];
    await moveVersions(database, 'portal_products', touched, now, transaction);
    return { members, products: shown };
  }

  private async tellOfMembers(
    audience: AudienceRecord,
    members: JoinTableChange | null,
    occurredAt: Date,
    transaction: Transaction,
  ): Promise<void> {
    const { events } = this.parts;
    const { added = [], removed = [] } = members ?? {};
    if (added.length > 0) {
      await events.emit(new AudienceMembersAddedEvent({ audience, userIds: added, occurredAt }), transaction);
    }
    if (removed.length > 0) {
      await events.emit(new AudienceMembersRemovedEvent({ audience, userIds: removed, occurredAt }), transaction);
    }
  }

  private async lock(id: number, expected: ExpectedVersion, transaction: Transaction): Promise<AudienceModel> {
    const row = await audienceModel(this.parts.database).findByPk(id, { transaction, lock: transaction.LOCK.UPDATE });
    if (!row) throw new NotFoundError();
    requireVersion(expected, row);
    return row;
  }
}

async function refuseTaken<T>(write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    if (!(error instanceof UniqueViolationError)) throw error;
    throw new ValidationError({ name: ['This value is already taken by another audience.'] }, { cause: error });
  }
}
