import {
  defineRecord,
  fieldOf,
  findByReference,
  joinedIds,
  type Database,
  type JoinRows,
  type RowOf,
  type Transaction,
} from '../../database/index.js';
import { ConflictError, currentActorContext, type Clock, type EventBus } from '../../core/index.js';
import {
  AudienceCreatedEvent,
  AudienceDeletedEvent,
  AudienceUpdatedEvent,
  CategoryDeletedEvent,
} from '../catalog/index.js';
import { ManagedRecordsChangedEvent } from './events.js';

const managedRecord = defineRecord({
  name: 'ManagedRecord',
  table: 'portal_managed_records',
  alias: 'm',
  fields: {
    /** As the resources of the API are called: `products`. */
    kind: fieldOf.text(40).key(),
    recordId: fieldOf.reference().key(),
    /** Name that the files give themselves. */
    managedBy: fieldOf.text(100),
    /** Address of the files, for people. */
    source: fieldOf.text(500).nullable(),
    /** Never deleted by its manager. */
    isProtected: fieldOf.boolean(),
    updatedAt: fieldOf.time(),
  },
});

const OF_AUDIENCE: JoinRows = { table: 'portal_audience_products', owner: 'audience_id', key: 'product_id' };
const OF_CATEGORY: JoinRows = { table: 'portal_category_products', owner: 'category_id', key: 'product_id' };
const PRODUCT_NAMES = { table: 'portal_products', name: 'slug' };

export type ManagedRecord = RowOf<typeof managedRecord>;

/** `managedBy` null: nobody manages it any more. */
export interface ManagedMark {
  readonly id: number;
  readonly managedBy: string | null;
  readonly source: string | null;
  readonly isProtected: boolean;
}

interface ManagedParts {
  readonly database: Database;
  readonly events: EventBus<Transaction>;
  readonly clock: Clock;
  /** Admins cannot change what files manage; machines can. */
  readonly isForbidden: boolean;
}

/** Which records are described by files in a repository, so that the console can say so and files delete no others. */
export class ManagedRecords {
  constructor(private readonly parts: ManagedParts) {}

  /** Whether admins are refused changes of managed records. */
  get isForbidden(): boolean {
    return this.parts.isForbidden;
  }

  /** @throws ConflictError for a managed record, where admins may not change those */
  async requireFree(kind: string, recordId: number): Promise<void> {
    if (!this.isForbidden) return;
    const found = await this.find(kind, recordId);
    if (found) throw refusalOf(found, 'this record');
  }

  /** Refuses admins what changes a managed product from the other side: files say which audiences and categories it has. */
  listen(): void {
    if (!this.isForbidden) return;
    const { events, database } = this.parts;
    for (const event of [AudienceCreatedEvent, AudienceDeletedEvent])
      events.within(event, async ({ audience: { id } }, transaction) =>
        this.requireFreeProducts(await joinedIds(database, OF_AUDIENCE, id, transaction), transaction),
      );
    events.within(CategoryDeletedEvent, async ({ category: { id } }, transaction) =>
      this.requireFreeProducts(await joinedIds(database, OF_CATEGORY, id, transaction), transaction),
    );
    events.within(AudienceUpdatedEvent, async ({ changes }, transaction) => {
      const [before, after] = (changes.products ?? [[], []]) as readonly [readonly string[], readonly string[]];
      const differing = [...before, ...after].filter((slug) => before.includes(slug) !== after.includes(slug));
      const rows = await findByReference(database, PRODUCT_NAMES, differing, transaction);
      await this.requireFreeProducts(
        rows.map(({ id }) => id),
        transaction,
      );
    });
  }

  private async requireFreeProducts(ids: readonly number[], transaction: Transaction): Promise<void> {
    // Machines and the command line carry out what the files say.
    if (ids.length === 0 || currentActorContext().person.type !== 'admin') return;
    const where = { kind: 'products', recordId: ids };
    const [found] = await managedRecord.findAll(this.parts.database, where, { limit: 1, transaction });
    if (found) throw refusalOf(found, 'a product of it');
  }

  /** Those of a kind, or all. @param ids of records, where not all of the kind are wanted */
  list(kind?: string, ids?: readonly number[]): Promise<ManagedRecord[]> {
    const where = { ...(kind !== undefined && { kind }), ...(ids && { recordId: ids }) };
    return managedRecord.findAll(this.parts.database, where, { order: 'm.kind, m.record_id' });
  }

  /** @returns null for a record that nobody manages */
  find(kind: string, recordId: number): Promise<ManagedRecord | null> {
    return managedRecord.find(this.parts.database, { kind, recordId });
  }

  /** Says who manages records of a kind from now on. */
  async mark(kind: string, marks: readonly ManagedMark[]): Promise<void> {
    const { database, events, clock } = this.parts;
    if (marks.length === 0) return;
    await database.transaction(async (transaction) => {
      const updatedAt = clock.now();
      await managedRecord.remove(database, { kind, recordId: marks.map(({ id }) => id) }, transaction);
      const rows = marks.flatMap(({ id: recordId, managedBy, ...mark }) =>
        managedBy === null ? [] : [{ kind, recordId, managedBy, ...mark, updatedAt }],
      );
      await managedRecord.insertAll(database, rows, transaction);
      const names = [...new Set(marks.map(({ managedBy }) => managedBy))];
      const fact = { kind, records: marks.map(({ id }) => id), managedBy: names, occurredAt: updatedAt };
      await events.emit(new ManagedRecordsChangedEvent(fact), transaction);
    });
  }
}

function refusalOf({ managedBy, source }: ManagedRecord, what: string): ConflictError {
  const place = source === null ? managedBy : `${managedBy}, ${source}`;
  return new ConflictError({ errors: { managed_by: [`Files manage ${what} (${place}): change it there.`] } });
}
