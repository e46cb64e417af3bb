import { ConflictError, ForbiddenError, PortalError, ValidationError } from '../core/index.js';
import type { ApplyChanges, BulkCaller, WantedChange } from '../domain/console/index.js';
import { carryOut, StalePlan } from './apply.js';
import { kinds } from './kinds.js';
import { ProcessPort, type OperatorParts } from './operator-port.js';
import { PresentRecords, type PlanStep } from './planner.js';
import { PortRefusal, type AdminPort } from './port.js';
import { FileValue } from './values.js';

/** A file that came with the request. */
class SentFile extends FileValue {
  constructor(
    name: string,
    private readonly content: string,
  ) {
    super(name, '');
  }

  override read(): Promise<Buffer> {
    return Promise.resolve(Buffer.from(this.content, 'base64'));
  }
}

/** Carries out what {@link toWantedChange} made, as the caller and in one transaction. */
export function makeApplier(parts: OperatorParts): ApplyChanges {
  return async (changes: readonly WantedChange[], caller: BulkCaller) => {
    const port = new ProcessPort(parts, caller);
    try {
      await carryOut(port, await stepsOf(port, changes));
    } catch (error) {
      throw answerOf(error);
    }
  };
}

async function stepsOf(port: AdminPort, changes: readonly WantedChange[]): Promise<PlanStep[]> {
  const present = new PresentRecords(port);
  const steps: PlanStep[] = [];
  for (const { kind, key, what, etag, doc, files, manager, protected: isProtected } of changes) {
    const of = kinds.find(({ name }) => name === kind);
    if (!of) throw new PortRefusal(422, `${kind} is no kind of record.`);
    const found = (await present.of(of)).get(key) ?? null;
    if ((what === 'create') !== (found === null) || (etag !== null && etag !== found?.etag))
      throw new StalePlan(`${kind}/${key} was changed meanwhile.`);
    const beside = Object.entries(files).map(([field, content]) => [field, new SentFile(field, content)] as const);
    const facts = { kind, key, what, etag, changes: {}, digest: '', of, present: found, manager, isProtected };
    steps.push({ ...facts, doc: { ...doc, ...Object.fromEntries(beside) } });
  }
  return steps;
}

function answerOf(error: unknown): unknown {
  if (error instanceof StalePlan) return new ConflictError({ errors: { etag: [error.what] }, cause: error });
  const refusal = [error, (error as Error).cause].find((one) => one instanceof PortRefusal);
  if (error instanceof PortalError || !refusal) return error;
  const errors = { changes: [(error as Error).message] };
  if (refusal.status === 403) return new ForbiddenError({ errors, cause: error });
  if (refusal.status === 409) return new ConflictError({ errors, cause: error });
  return new ValidationError(errors, { cause: error });
}
