import type { EventBus } from '../../core/index.js';
import type { Database, Transaction } from '../../database/index.js';
import {
  ChangeDeletedEvent,
  changelogEntryRecord,
  ChangePublishedEvent,
  ChangeUpdatedEvent,
  ProductDeletedEvent,
  type ChangelogService,
  type Viewer,
} from '../catalog/index.js';
import type { Sql } from './full-text.js';
import type { SearchScope } from './search-entry.js';
import { writeInEachLocale, ofVisibleProduct, type Mark, type SearchSource } from './source.js';

interface ChangeSourceParts {
  readonly database: Database;
  readonly changelog: ChangelogService;
  readonly locales: readonly string[];
}

/** What changed in products, as far as it is published. */
export class ChangeSource implements SearchSource {
  readonly name = 'change';

  constructor(private readonly parts: ChangeSourceParts) {}

  listen(events: EventBus<Transaction>, mark: Mark): void {
    for (const event of [ChangePublishedEvent, ChangeUpdatedEvent, ChangeDeletedEvent]) {
      events.within(event, ({ entry }, transaction) => mark(this.name, entry.id, transaction));
    }
    // The database removes its entries with it, without an event for each.
    events.within(ProductDeletedEvent, async ({ product }, transaction) => {
      const where = { productId: product.id, status: 'published' } as const;
      const entries = await changelogEntryRecord.findAll(this.parts.database, where, { only: ['id'], transaction });
      for (const { id } of entries) await mark(this.name, id, transaction);
    });
  }

  list() {
    const options = { only: ['id', 'updatedAt'], order: 'ce.id' } as const;
    return changelogEntryRecord.findAll(this.parts.database, { status: 'published' }, options);
  }

  async read(id: number): Promise<SearchScope | null> {
    const entry = await this.parts.changelog.findForIndex(id);
    if (!entry) return null;
    const rest = { type: 'change', place: String(id), keywords: entry.version ?? '' } as const;
    return {
      productId: entry.productId,
      updatedAt: entry.updatedAt,
      documents: writeInEachLocale(entry, this.parts.locales, rest),
    };
  }

  visible(viewer: Viewer, alias: string): Sql {
    const { sql, values } = ofVisibleProduct(viewer, alias);
    return {
      sql: `${sql} AND EXISTS (SELECT 1 FROM portal_changelog_entries ce
        WHERE ce.id = ${alias}.record_id AND ce.status = 'published')`,
      values,
    };
  }
}
