import { changeRecord, lockRecord, type Transaction } from '../../../database/index.js';
import {
  ConflictError,
  nextVersion,
  type ExpectedVersion,
  type ListPage,
  type ListQuery,
} from '../../../core/index.js';
import type { CatalogParts } from '../contracts.js';
import { PlanVersionActivatedEvent, PlanVersionCreatedEvent, PlanVersionUpdatedEvent } from '../events.js';
import { planRecord, type PlanRow } from './plan.js';
import { limitsOf, planVersionList, planVersionRecord, type PlanLimits, type PlanVersion } from './plan-version.js';

/** A version with its plan. */
export interface OwnedVersion {
  readonly plan: PlanRow;
  readonly version: PlanVersion;
}

/** The versions of plans: drafts can be changed; one is active; what was ever active stays as it is. */
export class PlanVersionService {
  constructor(private readonly parts: CatalogParts) {}

  list({ id }: Pick<PlanRow, 'id'>, query: ListQuery): Promise<ListPage<PlanVersion>> {
    return this.parts.lists.run(planVersionList, query, { scope: { where: 'pv.plan_id = ?', values: [id] } });
  }

  /** @throws NotFoundError */
  async find(plan: PlanRow, number: number): Promise<OwnedVersion> {
    return { plan, version: await planVersionRecord.require(this.parts.database, { planId: plan.id, number }) };
  }

  /** A draft. Limits that are not given are those of the latest version. @throws NotFoundError */
  create({ id: planId }: Pick<PlanRow, 'id'>, limits: Partial<PlanLimits>): Promise<OwnedVersion> {
    const { database, events } = this.parts;
    return this.withPlan(planId, async (plan, transaction, now) => {
      const latest = { order: 'pv.number DESC', limit: 1, transaction };
      const [base] = await planVersionRecord.findAll(database, { planId }, latest);
      const given = Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
      const values = { ...(base && limitsOf(base)), ...given, planId, number: (base?.number ?? 0) + 1 };
      const times = { createdAt: now, updatedAt: now };
      const id = await planVersionRecord.insert(database, { ...values, status: 'draft', ...times }, transaction);
      const version = await planVersionRecord.require(database, { id }, { transaction });
      await events.emit(new PlanVersionCreatedEvent({ plan, version, occurredAt: now }), transaction);
      return { plan, version };
    });
  }

  /** @throws ConflictError unless it is a draft, NotFoundError, PreconditionFailedError */
  update({ plan, version }: OwnedVersion, limits: Partial<PlanLimits>, expected?: ExpectedVersion) {
    return this.withPlan(plan.id, async (_, transaction): Promise<OwnedVersion> => {
      const after = await changeRecord(planVersionRecord, this.parts, transaction, {
        id: version.id,
        expected,
        plan: (before) => {
          requireDraft(before);
          return { values: limits };
        },
        read: () => planVersionRecord.require(this.parts.database, { id: version.id }, { transaction }),
        announce: (changed, changes, occurredAt) => [
          new PlanVersionUpdatedEvent({ plan, version: changed, changes, occurredAt }),
        ],
      });
      return { plan, version: after };
    });
  }

  /**
   * New keys get this version from now on, and nobody changes it any more. Grants stay on the one that they have.
   * @throws ConflictError unless it is a draft of a plan that is not archived, NotFoundError, PreconditionFailedError
   */
  activate({ plan: { id: planId }, version: { id } }: OwnedVersion, expected?: ExpectedVersion) {
    const { database, events } = this.parts;
    return this.withPlan(planId, async (before, transaction, now): Promise<OwnedVersion> => {
      const draft = await lockRecord(planVersionRecord, database, id, expected, transaction);
      requireDraft(draft);
      if (before.status === 'archived') {
        throw new ConflictError({ errors: { status: ['The plan is archived. Restore it first.'] } });
      }
      const isActive = { planId, status: 'active' } as const;
      const [present] = await planVersionRecord.findAll(database, isActive, { transaction });
      if (present) await this.write(present, { status: 'superseded' }, now, transaction);
      await this.write(draft, { status: 'active', activatedAt: now }, now, transaction);
      const values = { status: 'active', updatedAt: nextVersion(now, before) } as const;
      await planRecord.update(database, { id: planId }, values, transaction);
      const plan = await planRecord.require(database, { id: planId }, { transaction });
      const version = await planVersionRecord.require(database, { id }, { transaction });
      const fact = { plan, version, before: present?.number ?? null, occurredAt: now };
      await events.emit(new PlanVersionActivatedEvent(fact), transaction);
      return { plan, version };
    });
  }

  private async write(
    version: PlanVersion,
    values: Partial<Pick<PlanVersion, 'status' | 'activatedAt'>>,
    now: Date,
    transaction: Transaction,
  ): Promise<void> {
    const changed = { ...values, updatedAt: nextVersion(now, version) };
    await planVersionRecord.update(this.parts.database, { id: version.id }, changed, transaction);
  }

  // The plan is locked first, so that numbers have no gaps and one version at most is active.
  private withPlan<T>(id: number, run: (plan: PlanRow, transaction: Transaction, now: Date) => Promise<T>): Promise<T> {
    const { database, clock } = this.parts;
    return database.transaction(async (transaction) =>
      run(await lockRecord(planRecord, database, id, undefined, transaction), transaction, clock.now()),
    );
  }
}

function requireDraft({ number, status }: PlanVersion): void {
  if (status === 'draft') return;
  throw new ConflictError({
    errors: { status: [`Version ${number} is ${status}, so it stays as it is: make a new one.`] },
  });
}
