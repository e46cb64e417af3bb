import type { Database } from '../../../database/index.js';
import type { Clock } from '../../../core/index.js';
import type { Deprecation } from '../../catalog/index.js';
import { dayOf, DAY_MS, HOURS_OF_DAY, oldestOpenHour } from '../usage.js';
import { findCallingDays, findPartCallers, findProductCallers, type CallingApp } from './callers-queries.js';

/** Those who called within this many days count as callers. */
const DAYS = 30;

/** What the list is made of: calls of the part itself, or of the product it belongs to. */
export type CallersBasis = 'part' | 'product';

/** The apps that a change hits. */
export interface Callers {
  readonly basis: CallersBasis;
  /** Calls since then are told. */
  readonly since: Date;
  /** Those with most calls first. */
  readonly apps: readonly CallingApp[];
}

/** What of a deprecation decides who is hit by it. */
type Part = Pick<Deprecation, 'id' | 'productId' | 'version' | 'method' | 'createdAt'>;

/** Reads whom the change of a product hits. */
export class CallersReader {
  constructor(private readonly parts: { readonly database: Database; readonly clock: Clock }) {}

  /** Whoever called the product in the last 30 days. */
  async ofProduct(productId: number, deprecationId: number | null = null): Promise<Callers> {
    const days = this.days();
    const apps = await findProductCallers(this.parts.database, productId, days, deprecationId);
    return { basis: 'product', since: new Date(days.first * DAY_MS), apps };
  }

  /**
   * Whoever called the part of a deprecation. A version and an operation are counted from its draft on: for the first 30 days
   * all callers of the product are listed, because which of them call the part is not known yet.
   */
  async ofDeprecation(deprecation: Part): Promise<Callers> {
    const { id, productId } = deprecation;
    const { first } = this.days();
    if (!isPart(deprecation) || dayOf(deprecation.createdAt) > first) return this.ofProduct(productId, id);
    const apps = await findPartCallers(this.parts.database, productId, id, first);
    return { basis: 'part', since: new Date(first * DAY_MS), apps };
  }

  /** How many apps still called on each day, from the announcement on or for 180 days. */
  async burnDown(deprecation: Part): Promise<{ readonly day: Date; readonly apps: number; readonly calls: number }[]> {
    const { firstOpen } = this.days();
    const first = Math.max(dayOf(deprecation.createdAt), firstOpen - LONGEST_DAYS);
    const part = isPart(deprecation) ? deprecation.id : null;
    const rows = await findCallingDays(this.parts.database, deprecation.productId, part, { first, firstOpen });
    return rows.map(({ day, ...counts }) => ({ day: new Date(day * DAY_MS), ...counts }));
  }

  private days() {
    const now = this.parts.clock.now();
    return { first: dayOf(now) - DAYS, firstOpen: oldestOpenHour(now) / HOURS_OF_DAY };
  }
}

const LONGEST_DAYS = 180;

function isPart({ version, method }: Part): boolean {
  return version !== null || method !== null;
}
