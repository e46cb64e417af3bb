import {
  ConflictError,
  requireLocales,
  type Changes,
  type ExpectedVersion,
  ValidationError,
} from '../../../core/index.js';
import { changeRecord, countRows, lockRecord, type Transaction, type Database } from '../../../database/index.js';
import { PlanCreatedEvent, PlanDeletedEvent, PlanUpdatedEvent } from '../events.js';
import { replaceJoinRows } from '../join-table.js';
import { byReference } from '../reference.js';
import { changeTranslations } from '../translation.js';
import { requireKeylessTerms } from './keyless-plan.js';
import { productPlanRecord } from './offers.js';
import { PlanReader } from './plan-reader.js';
import { planVersionRecord } from './plan-version.js';
import {
  PLAN_AUDIENCES,
  PLAN_TRANSLATIONS,
  planRecord,
  type PlanInput,
  type PlanRecord,
  type PlanRow,
} from './plan.js';

/**
 * The trial of a plan as it is to be. It ends with a plan that may be had and is none to try itself, so that nobody goes
 * from trial to trial.
 * @param before the plan as it is; null for a new one
 * @throws ValidationError on `trial_days` or `fallback_plan`
 */
async function planTrial(
  database: Database,
  before: PlanRow | null,
  { trialDays = before?.trialDays ?? null, fallbackPlan }: Partial<PlanInput>,
  transaction: Transaction,
): Promise<Pick<PlanRow, 'trialDays' | 'fallbackPlanId'>> {
  const fallback =
    fallbackPlan === undefined
      ? (before?.fallbackPlanId ?? null)
      : await findFallback(database, fallbackPlan, transaction);
  if ((trialDays === null) !== (fallback === null)) {
    throw new ValidationError({ fallback_plan: ['A trial needs both its days and the plan that comes then.'] });
  }
  if (fallback !== null && fallback === before?.id) {
    throw new ValidationError({ fallback_plan: ['A plan cannot come after its own trial.'] });
  }
  if (trialDays !== null && before && (await planRecord.has(database, { fallbackPlanId: before.id }, transaction))) {
    throw new ValidationError({ trial_days: ['Another plan falls back to this one, so it is none to try.'] });
  }
  return { trialDays, fallbackPlanId: fallback };
}

async function findFallback(
  database: Database,
  reference: string | number | null,
  transaction: Transaction,
): Promise<number | null> {
  if (reference === null) return null;
  const by = byReference(reference);
  const where = by?.column === 'id' ? { id: by.value } : { slug: by?.value ?? '' };
  const plan = await planRecord.find(database, where, { transaction });
  const isActive = { planId: plan?.id ?? 0, status: 'active' } as const;
  if (plan?.trialDays === null && !plan.isKeyless && (await planVersionRecord.has(database, isActive, transaction)))
    return plan.id;
  const name = JSON.stringify(reference);
  throw new ValidationError({ fallback_plan: [`${name} is no plan that was ever active and has no trial itself.`] });
}

/** Reads and changes plans. See `PlanVersionService` for what they allow. */
export class PlanService extends PlanReader {
  /** A draft without a version. @throws ValidationError for a taken slug, unknown audiences and locales */
  create(input: PlanInput): Promise<PlanRecord> {
    const { database, events, clock } = this.parts;
    requireLocales(input.translations, this.parts);
    requireKeylessTerms(null, input);
    return database.transaction(async (transaction) => {
      const now = clock.now();
      const { audiences: _, translations: __, fallbackPlan: ___, ...columns } = input;
      const trial = await planTrial(database, null, input, transaction);
      const values = { ...columns, ...trial, status: 'draft', createdAt: now, updatedAt: now } as const;
      const id = await planRecord.insert(database, values, transaction);
      await this.writeSets(id, input, transaction);
      const plan = await this.record(id, transaction);
      await events.emit(new PlanCreatedEvent({ plan, occurredAt: now }), transaction);
      return plan;
    });
  }

  /**
   * Changes the given fields; lists are replaced as a whole. Who has the plan keeps it, whatever its audiences.
   * @throws NotFoundError, PreconditionFailedError, and ValidationError as {@link create}
   */
  update(id: number, input: Partial<PlanInput>, expected?: ExpectedVersion): Promise<PlanRecord> {
    requireLocales(input.translations, this.parts);
    const { audiences, translations, fallbackPlan: _, ...values } = input;
    return this.change(id, expected, async (transaction, before) => {
      requireKeylessTerms(before, input);
      const trial = await planTrial(this.parts.database, before, input, transaction);
      const elsewhere = await this.writeSets(id, { audiences, translations }, transaction);
      return { values: { ...values, ...trial }, elsewhere };
    });
  }

  /**
   * Nobody new gets the plan; whoever has it keeps it.
   * @throws ConflictError for the default plan of a product
   */
  archive(id: number, expected?: ExpectedVersion): Promise<PlanRecord> {
    return this.change(id, expected, async (transaction, { status }) => {
      const where = { planId: id, isDefault: true };
      if (status === 'active' && (await productPlanRecord.has(this.parts.database, where, transaction))) {
        const fault = 'A product offers this plan as its default. Give it another default first.';
        throw new ConflictError({ errors: { products: [fault] } });
      }
      return { values: { status: 'archived' } };
    });
  }

  /** Takes back {@link archive}. @throws NotFoundError, PreconditionFailedError */
  restore(id: number, expected?: ExpectedVersion): Promise<PlanRecord> {
    return this.change(id, expected, async (transaction) => {
      const isActive = { planId: id, status: 'active' } as const;
      const hasVersion = await planVersionRecord.has(this.parts.database, isActive, transaction);
      return { values: { status: hasVersion ? 'active' : 'draft' } };
    });
  }

  /**
   * Deletes a plan with its versions.
   * @throws NotFoundError, PreconditionFailedError
   * @throws ConflictError while products offer it, or keys have it (from a listener)
   */
  async delete(id: number, expected?: ExpectedVersion): Promise<void> {
    const { database, events, clock } = this.parts;
    await database.transaction(async (transaction) => {
      await lockRecord(planRecord, database, id, expected, transaction);
      const offers = await countRows(database, { table: productPlanRecord.table, owner: 'plan_id' }, id, transaction);
      if (offers > 0) {
        throw new ConflictError({ errors: { products: ['Products offer this plan. Take it from them first.'] } });
      }
      if (await planRecord.has(database, { fallbackPlanId: id }, transaction)) {
        throw new ConflictError({ errors: { fallback_plan: ['Another plan falls back to this one.'] } });
      }
      const plan = await this.record(id, transaction);
      await events.emit(new PlanDeletedEvent({ plan, occurredAt: clock.now() }), transaction);
      await planRecord.remove(database, { id }, transaction);
    });
  }

  private change(
    id: number,
    expected: ExpectedVersion,
    plan: (
      transaction: Transaction,
      before: PlanRow,
    ) => Promise<{
      readonly values: Partial<Omit<PlanRow, 'id' | 'createdAt' | 'updatedAt'>>;
      readonly elsewhere?: Changes | null;
    }>,
  ): Promise<PlanRecord> {
    return this.parts.database.transaction((transaction) =>
      changeRecord(planRecord, this.parts, transaction, {
        id,
        expected,
        plan: (before) => plan(transaction, before),
        read: () => this.record(id, transaction),
        announce: (after, changes, occurredAt) => [new PlanUpdatedEvent({ plan: after, changes, occurredAt })],
      }),
    );
  }

  private async writeSets(
    id: number,
    { audiences, translations }: Pick<Partial<PlanInput>, 'audiences' | 'translations'>,
    transaction: Transaction,
  ): Promise<Changes | null> {
    const { database } = this.parts;
    const joined =
      audiences && (await replaceJoinRows(database, PLAN_AUDIENCES, 'audiences', id, audiences, transaction));
    const texts =
      translations && (await changeTranslations(database, PLAN_TRANSLATIONS, id, translations, transaction));
    if (!joined && !texts) return null;
    return { ...(joined && { audiences: joined.names }), ...(texts && { translations: texts }) };
  }
}
