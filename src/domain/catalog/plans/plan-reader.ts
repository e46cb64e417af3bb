import { findJoined, type Transaction } from '../../../database/index.js';
import { NotFoundError, type ListPage, type ListQuery } from '../../../core/index.js';
import { audienceRecord } from '../audience.js';
import type { CatalogParts } from '../contracts.js';
import { byReference } from '../reference.js';
import { readTranslations } from '../translation.js';
import { PLAN_AUDIENCES, PLAN_TRANSLATIONS, planList, planRecord, type PlanRecord, type PlanRow } from './plan.js';
import { planVersionRecord } from './plan-version.js';

const ALL = ['audiences', 'translations'];

/** Reads plans, for admins. */
export class PlanReader {
  constructor(protected readonly parts: CatalogParts) {}

  /** @throws ValidationError naming what the list does not support */
  async list(query: ListQuery): Promise<ListPage<PlanRecord>> {
    const page = await this.parts.lists.run(planList, query);
    return { ...page, items: await this.complete(page.items, query.with) };
  }

  /** @param reference id or slug. @throws NotFoundError */
  find(reference: number | string): Promise<PlanRecord> {
    return this.record(reference);
  }

  protected async record(reference: number | string, transaction?: Transaction): Promise<PlanRecord> {
    const by = byReference(reference);
    if (!by) throw new NotFoundError();
    const where = by.column === 'id' ? { id: by.value } : { slug: by.value };
    const rows = await planRecord.findAll(this.parts.database, where, { transaction });
    const [plan] = await this.complete(rows, ALL, transaction);
    if (!plan) throw new NotFoundError();
    return plan;
  }

  /** @param relations those to read; the others are empty */
  private async complete(
    rows: readonly PlanRow[],
    relations: readonly string[],
    transaction?: Transaction,
  ): Promise<PlanRecord[]> {
    const { database } = this.parts;
    const ids = rows.map(({ id }) => id);
    const idsFor = (relation: string) => (relations.includes(relation) ? ids : []);
    const named = { only: ['id', 'name'], order: 'a.name, a.id', transaction } as const;
    const audiences = await findJoined(database, PLAN_AUDIENCES, audienceRecord, idsFor('audiences'), named);
    const translations = await readTranslations(database, PLAN_TRANSLATIONS, idsFor('translations'), transaction);
    const isActive = { planId: ids, status: 'active' } as const;
    const active = await planVersionRecord.findAll(database, isActive, { only: ['planId', 'number'], transaction });
    const numbers = new Map(active.map(({ planId, number }) => [planId, number]));
    const fallbackIds = [...new Set(rows.flatMap(({ fallbackPlanId }) => fallbackPlanId ?? []))];
    const fallbacks = await planRecord.findAll(database, { id: fallbackIds }, { only: ['id', 'slug'], transaction });
    const slugs = new Map(fallbacks.map(({ id, slug }) => [id, slug]));
    return rows.map((row) => ({
      ...row,
      fallbackPlan: row.fallbackPlanId === null ? null : (slugs.get(row.fallbackPlanId) ?? null),
      audiences: audiences.get(row.id) ?? [],
      translations: translations.get(row.id) ?? {},
      activeVersion: numbers.get(row.id) ?? null,
    }));
  }
}
