import { PortalError } from '../core/index.js';
import { resourceOf } from './kind.js';
import { markRecord } from './manage.js';
import { PortRefusal, type AdminPort } from './port.js';
import { sendable, type Act, type Plan, type Step } from './planner.js';

/** Something changed since the plan was made. */
export class StalePlan extends Error {
  constructor(what: string) {
    super(`${what} Make a new plan and look at it.`);
    this.name = 'StalePlan';
  }
}

/** Refuses a plan that is not what would be done now. @throws StalePlan */
export function requireCurrent(plan: Plan, steps: readonly Step[]): void {
  const name = ({ kind, key }: { kind: string; key: string }) => `${kind}/${key}`;
  // A record may be changed and marked.
  const place = (act: Act) => `${act.what === 'manage' ? 'mark ' : ''}${name(act)}`;
  const now = new Map(steps.map((step) => [place(step), step]));
  for (const act of plan.acts) {
    const step = now.get(place(act));
    if (!step) throw new StalePlan(`${name(act)} is as the plan wants it already.`);
    if (step.etag !== act.etag) throw new StalePlan(`${name(act)} was changed since the plan was made.`);
    if (step.digest !== act.digest || step.what !== act.what)
      throw new StalePlan(`The files say something else about ${name(act)} than the plan.`);
    now.delete(place(act));
  }
  const [more] = now.keys();
  if (more !== undefined) throw new StalePlan(`${more} differs from the files, of which the plan knows nothing.`);
}

interface Carrying {
  /** Called for a step that is there to stay. */
  readonly told?: (step: Step) => void;
  /** Does not hold the database for all of it: each record is a transaction of its own. */
  readonly isOneByOne?: boolean;
}

/**
 * Carries steps out, one after the other: over the database in one transaction, so that all of it is done or nothing; else
 * record by record, and after a kill the next apply does what is left.
 * @throws StalePlan for a record that somebody changed meanwhile; Error for a refusal, with the record
 */
export async function carryOut(
  port: AdminPort,
  steps: readonly Step[],
  { told = () => undefined, isOneByOne = false }: Carrying = {},
): Promise<void> {
  const together = port.together ?? ((run) => run());
  if (port.together && !isOneByOne) {
    await together(async () => {
      for (const step of steps) await carryOutOne(port, step);
    });
    steps.forEach(told);
    return;
  }
  for (const step of steps) {
    await together(() => carryOutOne(port, step));
    told(step);
  }
}

async function carryOutOne(port: AdminPort, step: Step): Promise<void> {
  try {
    await perform(port, step);
  } catch (error) {
    // Such as a conflict of two transactions, after which the database does all of it again.
    if (error instanceof PortalError) throw error;
    const name = `${step.kind}/${step.key}`;
    if (error instanceof PortRefusal && error.status === 412) throw new StalePlan(`${name} was changed meanwhile.`);
    throw new Error(`${name}: ${(error as Error).message}`, { cause: error });
  }
}

async function perform(port: AdminPort, step: Step): Promise<void> {
  const { of: kind, key, what, present, doc } = step;
  const { manager, isProtected = false } = step;
  if (present === null) {
    const id = await kind.create(port, key, await sendable(doc));
    if (manager) await markRecord(port, resourceOf(kind), id, manager, isProtected);
    return;
  }
  if (what === 'manage')
    return manager ? markRecord(port, resourceOf(kind), present.id, manager, isProtected) : undefined;
  if (what === 'delete') return kind.remove(port, present);
  await kind.update(port, present, await sendable(doc));
}
