import type { RunnableDocument, RunnableStep, RunnableWorkflow, StepAction } from '../portal.js';
import { ExpressionError, fillIn, type Exchange, type Scope, type WorkflowValues } from './workflow-expressions.js';
import { prepareRequest, type PreparedRequest } from './workflow-request.js';
import {
  chooseAction,
  evaluateAll,
  inputsOf,
  newRecord,
  secondsAsked,
  sentenceOf,
  findUnmet,
  type StepRecord,
} from './workflow-steps.js';

/** Attempts of all steps of a run. */
const MOST_ATTEMPTS = 500;
const DEEPEST = 10;
const MOST_RETRIES = 100;
const LONGEST_WAIT = 300;

export interface WorkflowRecord {
  readonly workflow: string;
  readonly isGreen: boolean;
  readonly steps: readonly StepRecord[];
  readonly outputs: WorkflowValues;
}

interface RunnerParts {
  readonly send: (request: PreparedRequest) => Promise<Exchange>;
  /** @param seconds before the next attempt */
  readonly wait: (seconds: number) => Promise<unknown>;
  /** In place of that of the document of the API. */
  readonly server: string | null;
}

interface Result {
  readonly isGreen: boolean;
  readonly outputs: WorkflowValues;
}

const FAILED: Result = { isGreen: false, outputs: {} };

/** Result of one attempt. */
interface Attempt {
  readonly isGreen: boolean;
  readonly action?: StepAction | undefined;
  /** Seconds that the server asks for. */
  readonly asked?: number | null;
}

type IsLeft = (action: StepAction) => boolean;

interface Frame {
  readonly workflow: RunnableWorkflow;
  readonly inputs: WorkflowValues;
  readonly steps: Record<string, unknown>;
  readonly depth: number;
}

/** Runs workflows of a document against a server, one step after the other. */
export class WorkflowRunner {
  private readonly workflows: ReadonlyMap<string, RunnableWorkflow>;
  private readonly parameters: WorkflowValues;
  /** Results of workflows, the latest of each. */
  private readonly results: Record<string, Result & { readonly inputs: WorkflowValues }> = {};
  private readonly done = new Set<string>();
  private records: StepRecord[] = [];
  private attempts = 0;

  /** @param inputs by name, for every workflow that knows them and is not called by a step */
  constructor(
    private readonly document: RunnableDocument,
    private readonly inputs: WorkflowValues,
    private readonly parts: RunnerParts,
  ) {
    this.workflows = new Map(document.workflows.map((one) => [one.id, one]));
    const entries = Object.entries(document.components.parameters ?? {}) as [string, WorkflowValues | null][];
    this.parameters = Object.fromEntries(entries.map(([name, one]) => [name, one?.value]));
  }

  /** Runs them in this order, and before each what it depends on, once. */
  async run(ids: readonly string[]): Promise<WorkflowRecord[]> {
    const told: WorkflowRecord[] = [];
    for (const id of ids) {
      if (this.done.has(id)) continue;
      this.records = [];
      const { isGreen, outputs } = await this.runNamed(id, 0);
      told.push({ workflow: id, isGreen, outputs, steps: this.records });
    }
    return told;
  }

  /** With the inputs of the run. */
  private runNamed(id: string, depth: number): Promise<Result> {
    this.done.add(id);
    return this.runWorkflow(id, this.inputs, depth);
  }

  private async runWorkflow(id: string, given: WorkflowValues, depth: number): Promise<Result> {
    const before = this.records.length;
    try {
      const workflow = this.workflows.get(id);
      if (!workflow) throw new ExpressionError(`there is no workflow "${id}".`);
      const inputs = inputsOf(workflow, given);
      await this.prepare(workflow, inputs, depth);
      const result = await this.runSteps({ workflow, inputs, steps: {}, depth });
      this.results[id] = { inputs, ...result };
      return result;
    } catch (error) {
      // A step would have said it of itself.
      this.records.splice(before, 0, { ...newRecord(id), outcome: 'failed', faults: [sentenceOf(error)] });
      this.results[id] = { inputs: {}, ...FAILED };
      return FAILED;
    }
  }

  /** @throws ExpressionError where it cannot begin */
  private async prepare(
    { id, required, dependsOn }: RunnableWorkflow,
    inputs: WorkflowValues,
    depth: number,
  ): Promise<void> {
    if (depth > DEEPEST) throw new ExpressionError(`workflows call each other more than ${DEEPEST} levels deep.`);
    const missing = required.filter((name) => inputs[name] === undefined);
    if (missing.length > 0) throw new ExpressionError(`the workflow ${id} needs the input ${missing.join(', ')}.`);
    for (const other of dependsOn) {
      if (!this.done.has(other)) await this.runNamed(other, depth + 1);
      if (this.results[other]?.isGreen !== true)
        throw new ExpressionError(`the workflow ${other} failed, on which it depends.`);
    }
  }

  private async runSteps(frame: Frame): Promise<Result> {
    const { steps, outputs } = frame.workflow;
    for (let at = 0; at < steps.length;) {
      const { isGreen, action } = await this.runStep(frame, steps[at] as RunnableStep);
      if (action?.type === 'goto' && action.workflowId !== null)
        return this.runWorkflow(action.workflowId, this.inputs, frame.depth + 1);
      if (action?.type === 'goto') at = steps.findIndex(({ id }) => id === action.stepId);
      else if (!isGreen) return { isGreen: false, outputs: evaluateAll(outputs, this.scopeOf(frame)) };
      else if (action?.type === 'end') break;
      else at += 1;
    }
    return { isGreen: true, outputs: evaluateAll(outputs, this.scopeOf(frame)) };
  }

  /** One step with its retries. */
  private async runStep(frame: Frame, step: RunnableStep): Promise<Attempt> {
    const from = this.records.length;
    const record = newRecord(frame.workflow.id, step);
    const retries = new Map<string, number>();
    const isLeft: IsLeft = ({ name, type, retryLimit }) => {
      return type !== 'retry' || (retries.get(name) ?? 0) < Math.min(retryLimit, MOST_RETRIES);
    };
    for (;;) {
      const attempt = await this.attempt(frame, step, record, isLeft);
      const { isGreen, action } = attempt;
      const isRetried = action?.type === 'retry';
      const isRecovered = !isGreen && (isRetried || action?.type === 'goto');
      record.outcome = isGreen ? 'passed' : isRecovered ? 'recovered' : 'failed';
      // Steps of a workflow that it ran get its outcome.
      if (isRecovered) this.recover(from);
      if (!isRetried) {
        this.records.push(record);
        return attempt;
      }
      retries.set(action.name, (retries.get(action.name) ?? 0) + 1);
      await this.parts.wait(Math.min(attempt.asked ?? action.retryAfter, LONGEST_WAIT));
      await this.runBetween(frame, action);
    }
  }

  /** Runs what a retry asks for before the step is tried again; the new attempt shows whether it helped. */
  private async runBetween(frame: Frame, { stepId, workflowId }: StepAction): Promise<void> {
    const from = this.records.length;
    const step = frame.workflow.steps.find(({ id }) => id === stepId);
    if (step) {
      const record = newRecord(frame.workflow.id, step);
      const { isGreen } = await this.attempt(frame, step, record, () => false);
      this.records.push(Object.assign(record, { outcome: isGreen ? 'passed' : 'failed' }));
    } else if (workflowId !== null) await this.runWorkflow(workflowId, this.inputs, frame.depth + 1);
    this.recover(from);
  }

  private recover(from: number): void {
    for (const record of this.records.slice(from)) if (record.outcome === 'failed') record.outcome = 'recovered';
  }

  /** @param isLeft of the actions that may follow */
  private async attempt(frame: Frame, step: RunnableStep, record: StepRecord, isLeft: IsLeft): Promise<Attempt> {
    this.attempts += 1;
    if (this.attempts > MOST_ATTEMPTS) {
      record.faults = [`the run was ended after ${MOST_ATTEMPTS} calls.`];
      return { isGreen: false };
    }
    Object.assign(record, { attempts: record.attempts + 1, status: null, body: null });
    let scope = this.scopeOf(frame);
    try {
      record.faults = [];
      const called = await this.call(frame, step, scope).catch((error: unknown) => ({ fault: sentenceOf(error) }));
      if ('fault' in called) record.faults = [called.fault];
      else {
        const { exchange, outputs, isGreen } = called;
        scope = { ...scope, exchange, outputs };
        record.status = exchange?.status ?? null;
        record.faults = isGreen ? findUnmet(step, scope) : [`the workflow ${record.call} failed.`];
        if (record.faults.length > 0 && exchange) record.body = exchange.response.body;
        frame.steps[step.id] = { outputs: evaluateAll(step.outputs, scope) };
      }
      const isGreen = record.faults.length === 0;
      const action = chooseAction(isGreen ? step.onSuccess : step.onFailure, scope, isLeft);
      return { isGreen, action, asked: secondsAsked(scope.exchange) };
    } catch (error) {
      record.faults = [...record.faults, sentenceOf(error)];
      return { isGreen: false };
    }
  }

  private async call({ depth }: Frame, step: RunnableStep, scope: Scope) {
    const { calls } = step;
    if (calls.kind === 'operation') {
      const request = prepareRequest(step, calls.operation, scope, this.parts.server);
      return { exchange: await this.parts.send(request), outputs: {}, isGreen: true };
    }
    const given = step.parameters.map(({ name, value }) => [name, fillIn(value, scope)] as const);
    const { outputs, isGreen } = await this.runWorkflow(calls.id, Object.fromEntries(given), depth + 1);
    return { exchange: null, outputs, isGreen };
  }

  private scopeOf({ inputs, steps }: Frame): Scope {
    const { source } = this.document;
    const sources = { [source.name]: { url: source.url } };
    return {
      inputs,
      steps,
      outputs: {},
      workflows: this.results,
      sources,
      parameters: this.parameters,
      exchange: null,
    };
  }
}
