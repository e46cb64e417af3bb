import { Op } from '../../../database/index.js';
import { addSeconds, type Changes } from '../../../core/index.js';
import { planTrialRecord, readActivePlan, type PlanTrial } from '../../catalog/index.js';
import { AppChanges } from '../app/app-changes.js';
import type { OwnedGrant } from '../app/app-reader.js';
import type { AppParts } from '../app-parts.js';
import { findGrantsTried, type PlannedGrant } from '../app-queries.js';
import { AppTrialEndedEvent, AppTrialEndingEvent } from '../events.js';
import { grantPlanChange } from '../gateway-operations/grant-operations.js';
import { grantRecord } from './grant.js';

const DAY_S = 86_400;
/** A trial is announced to end so long before, */
const NOTICE_S = 3 * DAY_S;
/** and not on its first day. */
const FIRST_S = DAY_S;
/** For one run, which takes a lease. The next one goes on. */
const MOST = 500;
const SYSTEM = { type: 'system', id: null } as const;

/** Ends trials: keys that still have their plan get the next one, and developers are told before and then. Safe to repeat. */
export class Trials {
  private readonly changes: AppChanges;

  constructor(private readonly parts: AppParts) {
    this.changes = new AppChanges(parts);
  }

  /** @param stopping ends the run after the present trial */
  async run(stopping?: AbortSignal): Promise<void> {
    const { database, clock, logger } = this.parts;
    const now = clock.now();
    const soon = {
      ...{ endedAt: null, noticedAt: null, startedAt: { [Op.lte]: addSeconds(now, -FIRST_S) } },
      endsAt: { [Op.gt]: now, [Op.lte]: addSeconds(now, NOTICE_S) },
    };
    const order = { order: 'pt.ends_at', limit: MOST };
    const ending = await planTrialRecord.findAll(database, soon, order);
    const over = await planTrialRecord.findAll(database, { endedAt: null, endsAt: { [Op.lte]: now } }, order);
    const work = [...ending.map((trial) => () => this.announce(trial)), ...over.map((trial) => () => this.end(trial))];
    for (const step of work) {
      if (stopping?.aborted) return;
      try {
        await step();
      } catch (error) {
        // Tried again by the next run, and no reason to let the others wait.
        logger.warn({ err: error }, 'a trial that is over, or nearly, could not be dealt with');
      }
    }
  }

  private async announce({ userId, productId, endsAt }: PlanTrial): Promise<void> {
    const { database, events, clock } = this.parts;
    const [grant] = await this.findTried(await findGrantsTried(database, userId, productId, 'running'));
    await database.transaction(async (transaction) => {
      const noticedAt = clock.now();
      const trial = { userId, productId, noticedAt: null };
      const isFirst = await planTrialRecord.update(database, trial, { noticedAt }, transaction);
      if (isFirst === 0 || !grant) return;
      const changes: Changes = { ...fallbackOf(grant), endsAt: [null, endsAt] };
      await events.emit(new AppTrialEndingEvent(factOf(grant, changes, noticedAt)), transaction);
    });
  }

  private async end({ userId, productId }: PlanTrial): Promise<void> {
    const { database, events, clock } = this.parts;
    for (const planned of await findGrantsTried(database, userId, productId, 'running')) await this.endOne(planned);
    // Those that an earlier run has moved before it died are found, too.
    const [moved] = await this.findTried(await findGrantsTried(database, userId, productId, 'over'));
    await database.transaction(async (transaction) => {
      const endedAt = clock.now();
      const isFirst = await planTrialRecord.update(
        database,
        { userId, productId, endedAt: null },
        { endedAt },
        transaction,
      );
      if (isFirst === 0 || !moved?.grant.plan) return;
      const changes: Changes = { plan: [null, moved.grant.plan.name] };
      await events.emit(new AppTrialEndedEvent(factOf(moved, changes, endedAt)), transaction);
    });
  }

  private async endOne(planned: PlannedGrant): Promise<void> {
    const { database, reader, runner, clock } = this.parts;
    const credential = await reader.findPlanned(planned);
    if (!credential) return;
    await this.changes.changeCredential(credential, async (owned) => {
      const present = await reader.findGrant(owned, String(planned.productId));
      const { trialEndsAt, plan, credentialId, productId } = present.grant;
      if (trialEndsAt === null || trialEndsAt > clock.now()) return;
      const next = plan?.fallback && (await readActivePlan(database, plan.fallback.slug));
      if (next) await runner.run(grantPlanChange(this.parts, present, next, SYSTEM, true));
      // Somebody has taken the trial from the plan: who has it keeps it.
      else await grantRecord.update(database, { credentialId, productId }, { trialEndsAt: null });
    });
  }

  private async findTried(planned: readonly PlannedGrant[]): Promise<OwnedGrant[]> {
    const { reader } = this.parts;
    for (const one of planned) {
      const credential = await reader.findPlanned(one);
      if (credential) return [await reader.findGrant(credential, String(one.productId))];
    }
    return [];
  }
}

function fallbackOf({ grant: { plan } }: OwnedGrant): Changes {
  return { plan: [plan?.name ?? null, plan?.fallback?.name ?? null] };
}

function factOf({ app, grant }: OwnedGrant, changes: Changes, occurredAt: Date) {
  return { app, product: grant.slug, changes, by: SYSTEM, occurredAt };
}
