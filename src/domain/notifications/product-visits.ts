import { defineRecord, fieldOf, mergeRows, type Database } from '../../database/index.js';
import type { Clock } from '../../core/index.js';
import type { ChangelogService, ProductRecord } from '../catalog/index.js';

const productVisitRecord = defineRecord({
  name: 'ProductVisit',
  table: 'portal_product_visits',
  alias: 'pv',
  fields: {
    userId: fieldOf.reference().key(),
    productId: fieldOf.reference().key(),
    /** The last page of the visit that goes on, exact to some minutes. */
    lookedAt: fieldOf.time(),
    /** The end of the visit before; null of a first one. */
    previousAt: fieldOf.time().nullable(),
  },
});

const MINUTE = 60_000;
/** A longer break ends a visit, in minutes. */
const BREAK = 30;
/** Pages that follow each other faster are not written down. */
const EXACT = 5;

interface VisitsParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly changelog: Pick<ChangelogService, 'listPublished'>;
}

/** Since when the changes of a product are new to a developer: since the end of their last visit to its pages. */
export class ProductVisits {
  constructor(private readonly parts: VisitsParts) {}

  /** @returns null for somebody who was never here before, to whom nothing is new */
  async since(userId: number, productId: number): Promise<Date | null> {
    return (await this.read(userId, productId))?.previousAt ?? null;
  }

  /** The same, and a page of the product is looked at. */
  async visit(userId: number, productId: number): Promise<Date | null> {
    const known = await this.read(userId, productId);
    const now = this.parts.clock.now();
    const minutes = known ? (now.getTime() - known.lookedAt.getTime()) / MINUTE : Infinity;
    if (known && minutes < EXACT) return known.previousAt;
    const previousAt = known && minutes < BREAK ? known.previousAt : (known?.lookedAt ?? null);
    await this.write({ userId, productId, lookedAt: now, previousAt });
    return previousAt;
  }

  /** Nothing that was published until now is new any more. */
  async settle(userId: number, productId: number): Promise<Date> {
    const now = this.parts.clock.now();
    await this.write({ userId, productId, lookedAt: now, previousAt: now });
    return now;
  }

  /** How many published changes are new since then. */
  async count(product: Pick<ProductRecord, 'id'>, since: Date | null, locale: string): Promise<number> {
    if (since === null) return 0;
    const filters = [{ field: 'published_at', operator: 'gt', value: since }] as const;
    const query = { page: 1, perPage: 1, orderBy: 'published_at', direction: 'DESC', with: [], filters } as const;
    return (await this.parts.changelog.listPublished(product, query, locale)).total ?? 0;
  }

  private async read(userId: number, productId: number) {
    const [known] = await productVisitRecord.findAll(this.parts.database, { userId, productId });
    return known;
  }

  private async write(row: { userId: number; productId: number; lookedAt: Date; previousAt: Date | null }) {
    const { database } = this.parts;
    await database.transaction((transaction) =>
      mergeRows(database, productVisitRecord, [row], { lookedAt: 'replace', previousAt: 'replace' }, transaction),
    );
  }
}
