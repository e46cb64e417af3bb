import { PortalError } from '../core/index.js';
import { resourceOf } from './kind.js';
import { markRecords, type NewMark } from './manage.js';
import { PortRefusal, type AdminPort } from './port.js';
import { toSendable, toWantedChange, type Act, type Plan, type PlanStep } from './planner.js';

/** Something changed since the plan was made. */
export class StalePlan extends Error {
  constructor(readonly what: string) {
    super(`${what} Make a new plan and look at it.`);
    this.name = 'StalePlan';
  }
}

/** Refuses a plan that is not what would be done now. @throws StalePlan */
export function requireCurrent(plan: Plan, steps: readonly PlanStep[]): void {
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
  readonly told?: (step: PlanStep) => void;
  /** Does not hold the database for all of it: each record is a transaction of its own. */
  readonly isOneByOne?: boolean;
}

/**
 * Carries steps out in one transaction, so that all of it is done or nothing; else record by record, and after a kill the
 * next apply does what is left.
 * @throws StalePlan for a record that somebody changed meanwhile; Error for a refusal, with the record
 */
export async function carryOut(
  port: AdminPort,
  steps: readonly PlanStep[],
  { told = () => undefined, isOneByOne = false }: Carrying = {},
): Promise<void> {
  const { together = (run) => run() } = port;
  if (isOneByOne || (!port.together && !port.applyAtOnce)) {
    for (const step of steps) {
      await together(() => nameFailure(step, () => perform(port, step, (mark) => markRecords(port, [mark]))));
      told(step);
    }
    return;
  }
  if (steps.length === 0) return;
  if (port.applyAtOnce) await sendAll(port.applyAtOnce.bind(port), steps);
  else await together(() => performAll(port, steps));
  steps.forEach(told);
}

async function sendAll(send: NonNullable<AdminPort['applyAtOnce']>, steps: readonly PlanStep[]): Promise<void> {
  const changes = [];
  for (const step of steps) changes.push(await toWantedChange(step));
  try {
    await send(changes);
  } catch (error) {
    if (error instanceof PortRefusal && error.status === 412) throw new StalePlan(error.message);
    throw error;
  }
}

/** Steps that are prepared before it is their turn. */
const AHEAD = 4;

/** Marks are written last, many at a time. */
async function performAll(port: AdminPort, steps: readonly PlanStep[]): Promise<void> {
  const marks: NewMark[] = [];
  // What fails here fails again at its turn, with a name.
  const prepare = (step: PlanStep) => void step.of.prepare?.(port, step.doc).catch(() => undefined);
  steps.slice(0, AHEAD).forEach(prepare);
  for (const [at, step] of steps.entries()) {
    steps.slice(at + AHEAD, at + AHEAD + 1).forEach(prepare);
    await nameFailure(step, () => perform(port, step, (mark) => void marks.push(mark)));
  }
  await markRecords(port, marks);
}

async function nameFailure({ kind, key }: PlanStep, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    // Such as a conflict of two transactions, after which the database does all of it again.
    if (error instanceof PortalError) throw error;
    const name = `${kind}/${key}`;
    if (error instanceof PortRefusal && error.status === 412) throw new StalePlan(`${name} was changed meanwhile.`);
    throw new Error(`${name}: ${(error as Error).message}`, { cause: error });
  }
}

async function perform(port: AdminPort, step: PlanStep, mark: (mark: NewMark) => void | Promise<void>): Promise<void> {
  const { of, key, what, present, doc, manager, isProtected = false } = step;
  const markAs = (id: number) => (manager ? mark({ kind: resourceOf(of), id, manager, isProtected }) : undefined);
  if (present === null) return markAs(await of.create(port, key, await toSendable(doc)));
  if (what === 'manage') return markAs(present.id);
  if (what === 'delete') return of.remove(port, present);
  await of.update(port, present, await toSendable(doc));
}
