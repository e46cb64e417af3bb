import { NotFoundError } from '../../../core/index.js';
import { AppChanges } from '../app/app-changes.js';
import type { AppParts } from '../app-parts.js';
import { findDuePlans, type PlannedGrant } from '../app-queries.js';
import { grantPlanChange } from '../gateway-operations/grant-operations.js';

const SYSTEM = { type: 'system', id: null } as const;
const BATCH = 100;
/** For one run, which takes a lease. The next one goes on. */
const MOST = 1_000;

/** Gives products on keys the plan whose time has come. Safe to repeat, and on any number of replicas. */
export class DuePlans {
  private readonly changes: AppChanges;

  constructor(private readonly parts: AppParts) {
    this.changes = new AppChanges(parts);
  }

  /** @param stopping ends the run after the present grant */
  async run(stopping?: AbortSignal): Promise<void> {
    const { database, clock, logger } = this.parts;
    let failed = 0;
    for (let tried = 0; tried < MOST;) {
      const due = await findDuePlans(database, clock.now(), BATCH, failed);
      for (const grant of due) {
        if (stopping?.aborted) return;
        tried += 1;
        try {
          await this.apply(grant);
        } catch (error) {
          // Tried again by the next run, and no reason to let the others wait.
          failed += 1;
          logger.warn({ err: error, ...grant }, 'a plan whose time has come could not be given');
        }
      }
      if (due.length < BATCH) return;
    }
  }

  private async apply({ productId, ...planned }: PlannedGrant): Promise<void> {
    const { reader, clock, runner } = this.parts;
    const credential = await reader.findPlanned(planned);
    if (!credential) throw new NotFoundError();
    await this.changes.changeCredential(credential, async (owned) => {
      const present = await reader.findGrant(owned, String(productId));
      const { nextPlan, nextPlanStatus, nextPlanAt } = present.grant;
      const isDue = nextPlanStatus === 'approved' && nextPlanAt !== null && nextPlanAt <= clock.now();
      if (nextPlan && isDue) await runner.run(grantPlanChange(this.parts, present, nextPlan, SYSTEM));
    });
  }
}
