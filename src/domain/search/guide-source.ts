import { NotFoundError, type EventBus } from '../../core/index.js';
import type { Database, Transaction } from '../../database/index.js';
import { ProductDeletedEvent, type Viewer } from '../catalog/index.js';
import {
  GuideCreatedEvent,
  GuideDeletedEvent,
  GuidePublishedEvent,
  guideRecord,
  GuideUpdatedEvent,
  selectVisibleGuides,
  type AdminGuide,
  type ContentServices,
} from '../content/index.js';
import type { Sql } from './full-text.js';
import type { SearchScope } from './search-entry.js';
import { writeInEachLocale, type Mark, type SearchSource } from './source.js';

interface GuideSourceParts {
  readonly database: Database;
  readonly guides: Pick<ContentServices['guides'], 'findForAdmin'>;
  readonly locales: readonly string[];
}

/** Guides and news, drafts too: those only admins find. */
export class GuideSource implements SearchSource {
  readonly name = 'guide';

  constructor(private readonly parts: GuideSourceParts) {}

  listen(events: EventBus<Transaction>, mark: Mark): void {
    for (const event of [GuideCreatedEvent, GuideUpdatedEvent, GuidePublishedEvent, GuideDeletedEvent]) {
      events.within(event, ({ guide }, transaction) => mark(this.name, guide.id, transaction));
    }
    // The database removes its guides with it, without an event for each.
    events.within(ProductDeletedEvent, async ({ product }, transaction) => {
      const options = { only: ['id'], transaction } as const;
      const guides = await guideRecord.findAll(this.parts.database, { productId: product.id }, options);
      for (const { id } of guides) await mark(this.name, id, transaction);
    });
  }

  list() {
    return guideRecord.findAll(this.parts.database, {}, { only: ['id', 'updatedAt'], order: 'g.id' });
  }

  async read(id: number): Promise<SearchScope | null> {
    const guide = await this.find(id);
    if (!guide) return null;
    const { productId, updatedAt, kind, slug } = guide;
    const documents = writeInEachLocale(guide, this.parts.locales, {
      type: kind,
      place: slug,
      keywords: slug,
    });
    return { productId, updatedAt, documents };
  }

  visible(viewer: Viewer, alias: string): Sql {
    const { where, values } = selectVisibleGuides(viewer, 'sg');
    return {
      sql: `EXISTS (SELECT 1 FROM portal_guides sg WHERE sg.id = ${alias}.record_id AND ${where})`,
      values,
    };
  }

  private async find(id: number): Promise<AdminGuide | null> {
    try {
      return await this.parts.guides.findForAdmin(id);
    } catch (error) {
      if (error instanceof NotFoundError) return null;
      throw error;
    }
  }
}
