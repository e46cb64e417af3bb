import {
  changeJoinRows,
  changeRecord,
  countRows,
  joinedIds,
  lockRecord,
  touchRecords,
  type Transaction,
} from '../../database/index.js';
import { ConflictError, nextVersion, type ExpectedVersion, type PortalEvent } from '../../core/index.js';
import { normaliseEmail } from '../accounts/index.js';
import {
  AUDIENCE_PRODUCTS,
  AUDIENCE_USERS,
  audienceRecord,
  type AudienceInput,
  type AudienceRecord,
} from './audience.js';
import { AudienceReader } from './audience-reader.js';
import {
  AudienceCreatedEvent,
  AudienceDeletedEvent,
  AudienceMembersAddedEvent,
  AudienceMembersRemovedEvent,
  AudienceUpdatedEvent,
} from './events.js';
import { replaceJoinRows, type JoinTableChange, type JoinTable } from './join-table.js';
import { PLAN_AUDIENCES } from './plans/plan.js';
import { productRecord } from './products/product.js';
import { CATALOG_TABLES } from './products/product-list.js';

const USERS: JoinTable = {
  ...AUDIENCE_USERS,
  target: { table: 'portal_users', name: 'email' },
  what: 'developer',
  canonical: normaliseEmail,
};

const PRODUCTS: JoinTable = {
  ...AUDIENCE_PRODUCTS,
  target: { table: 'portal_products', name: 'slug' },
  what: 'product',
};

interface JoinedSets {
  readonly members: JoinTableChange | null;
  readonly shown: JoinTableChange | null;
}

/** Reads and changes audiences. */
export class AudienceService extends AudienceReader {
  /** @throws ValidationError for a taken name, unknown developers and products */
  create(input: AudienceInput): Promise<AudienceRecord> {
    const { database, events } = this.parts;
    return this.change(async (transaction, now) => {
      const { name, description } = input;
      const id = await audienceRecord.insert(
        database,
        { name, description, createdAt: now, updatedAt: now },
        transaction,
      );
      const { members } = await this.link(id, input, now, transaction);
      const audience = await this.record({ id }, transaction);
      await events.emit(new AudienceCreatedEvent({ audience, occurredAt: now }), transaction);
      await this.announce(memberEvents(audience, members, now), transaction);
      return audience;
    });
  }

  /**
   * Changes the given fields; lists are replaced as a whole. Equal values are no change and emit no event.
   * @throws NotFoundError, PreconditionFailedError, and ValidationError as {@link create}
   */
  update(
    id: number,
    { users, products, ...values }: Partial<AudienceInput>,
    expected?: ExpectedVersion,
  ): Promise<AudienceRecord> {
    return this.change((transaction) => {
      let joined: JoinedSets = { members: null, shown: null };
      return changeRecord(audienceRecord, this.parts, transaction, {
        id,
        expected,
        plan: async (_, now) => {
          joined = await this.link(id, { users, products }, now, transaction);
          const { members, shown } = joined;
          return { values, elsewhere: shown && { products: shown.names }, isTouched: members !== null };
        },
        read: () => this.record({ id }, transaction),
        announce: (audience, changes, occurredAt) => [
          ...(Object.keys(changes).length > 0 ? [new AudienceUpdatedEvent({ audience, changes, occurredAt })] : []),
          ...memberEvents(audience, joined.members, occurredAt),
        ],
      });
    });
  }

  /**
   * Deletes an audience; its private products become hidden from its members.
   * @throws NotFoundError, PreconditionFailedError
   * @throws ConflictError while plans are for this audience: without one they would be for everybody
   */
  delete(id: number, expected?: ExpectedVersion): Promise<void> {
    return this.change(async (transaction, now) => {
      const { database, events } = this.parts;
      await lockRecord(audienceRecord, database, id, expected, transaction);
      const plans = await countRows(database, { ...PLAN_AUDIENCES, owner: 'audience_id' }, id, transaction);
      if (plans > 0)
        throw new ConflictError({ errors: { plans: ['Plans are for this audience. Change those first.'] } });
      const audience = await this.record({ id }, transaction);
      await events.emit(new AudienceDeletedEvent({ audience, occurredAt: now }), transaction);
      await audienceRecord.remove(database, { id }, transaction);
    });
  }

  /**
   * Adds developers to an audience; existing members are unaffected.
   * @returns the ids that were not members before
   * @throws NotFoundError for the audience, ForeignKeyViolationError for a developer that does not exist
   */
  async addMembers(name: string, userIds: readonly number[]): Promise<number[]> {
    const { database } = this.parts;
    return this.change(async (transaction, now) => {
      const before = await audienceRecord.require(database, { name }, { transaction, lock: true });
      const { id } = before;
      const members = new Set(await joinedIds(database, USERS, id, transaction));
      const added = [...new Set(userIds)].filter((userId) => !members.has(userId));
      if (added.length === 0) return added;
      await changeJoinRows(database, USERS, id, { added }, transaction);
      await audienceRecord.update(database, { id }, { updatedAt: nextVersion(now, before) }, transaction);
      const audience = await this.record({ id }, transaction);
      await this.announce(memberEvents(audience, { added, removed: [] }, now), transaction);
      return added;
    });
  }

  // Membership changes what developers see of the catalog, and its totals.
  private change<T>(run: (transaction: Transaction, now: Date) => Promise<T>): Promise<T> {
    const { database, versions, clock } = this.parts;
    return database.transaction(async (transaction) => {
      const result = await run(transaction, clock.now());
      await versions.touch(CATALOG_TABLES, transaction);
      return result;
    });
  }

  private async link(
    id: number,
    { users, products }: Pick<AudienceInput, 'users' | 'products'>,
    now: Date,
    transaction: Transaction,
  ): Promise<JoinedSets> {
    const { database } = this.parts;
    const members = users ? await replaceJoinRows(database, USERS, 'users', id, users, transaction) : null;
    const shown = products ? await replaceJoinRows(database, PRODUCTS, 'products', id, products, transaction) : null;
    const touched = [...(shown?.added ?? []), ...(shown?.removed ?? [])];
    await touchRecords(productRecord, database, touched, now, transaction);
    return { members, shown };
  }

  private async announce(events: readonly PortalEvent[], transaction: Transaction): Promise<void> {
    for (const event of events) await this.parts.events.emit(event, transaction);
  }
}

function memberEvents(
  audience: AudienceRecord,
  members: Pick<JoinTableChange, 'added' | 'removed'> | null,
  occurredAt: Date,
): PortalEvent[] {
  const { added = [], removed = [] } = members ?? {};
  return [
    ...(added.length > 0 ? [new AudienceMembersAddedEvent({ audience, userIds: added, occurredAt })] : []),
    ...(removed.length > 0 ? [new AudienceMembersRemovedEvent({ audience, userIds: removed, occurredAt })] : []),
  ];
}
