import type { Criterion, RunnableDocument, RunnableStep, RunnableWorkflow, StepAction } from '../portal.js';
import { checkCriterion, criterionText, holds } from './workflow-conditions.js';
import {
  evaluate,
  ExpressionError,
  isExpression,
  type Exchange,
  type Scope,
  type WorkflowValues,
} from './workflow-expressions.js';

/** What became of a step, after all its attempts. */
export interface StepRecord {
  readonly workflow: string;
  readonly step: string;
  /** `POST /payments`, or the workflow that it runs. */
  readonly call: string;
  /** `recovered`: it failed, and the document says how to go on. */
  outcome: 'passed' | 'failed' | 'recovered';
  attempts: number;
  /** Of the last answer; null without one. */
  status: number | null;
  /** What was expected and is not so, or why there is no answer. */
  faults: readonly string[];
  /** Of an answer that was not expected, a value of JSON or a text; null without one. */
  body: unknown;
}

/** @param step undefined for what concerns the whole workflow */
export function newRecord(workflow: string, step?: RunnableStep): StepRecord {
  const { calls } = step ?? {};
  const call = calls?.kind === 'operation' ? `${calls.operation.method} ${calls.operation.path}` : (calls?.id ?? '');
  return {
    ...{ workflow, step: step?.id ?? '', call, outcome: 'passed', attempts: 0, status: null },
    ...{ faults: [], body: null },
  };
}

/**
 * Finds faults that would otherwise only show once calls were made.
 * @returns a sentence for each fault, with the step that it is in
 */
export function findFaults({ workflows }: RunnableDocument): string[] {
  return workflows.flatMap(({ id, steps }) =>
    steps.flatMap((step) => faultsOf(step).map((fault) => `Workflow "${id}", step "${step.id}": ${fault}`)),
  );
}

function faultsOf({ criteria, onSuccess, onFailure, body, outputs, parameters, calls }: RunnableStep): string[] {
  const actions = [
    ...onSuccess.map((action) => ({ action, types: ['end', 'goto'] })),
    ...onFailure.map((action) => ({ action, types: ['end', 'goto', 'retry'] })),
  ];
  const unknown = actions.filter(({ action, types }) => !types.includes(action.type));
  const misplaced = calls.kind === 'operation' ? parameters.filter((one) => !PLACES.includes(one.in)) : [];
  const targets = (body?.replacements ?? []).filter(({ target }) => target !== '' && !target.startsWith('/'));
  return [
    ...[criteria, ...actions.map(({ action }) => action.criteria)].flat().flatMap(faultOf),
    ...unknown.map(({ action }) => `there are no actions of type "${action.type}" here.`),
    ...misplaced.map(({ name }) => `the parameter "${name}" must be in one of ${PLACES.join(', ')}.`),
    ...targets.map(({ target }) => `"${target}" is no JSON pointer; replacements by XPath are not made.`),
    ...Object.values(outputs)
      .filter((value) => typeof value !== 'string' || !isExpression(value))
      .map((value) => `the output ${JSON.stringify(value)} is no runtime expression.`),
  ];
}

const PLACES = ['path', 'query', 'header', 'cookie'];

function faultOf(criterion: Criterion): string[] {
  try {
    checkCriterion(criterion);
    return [];
  } catch (error) {
    return [sentenceOf(error)];
  }
}

/** The expectations of a step that its answer does not meet. Without criteria that is a status of 200 to 299. @throws ExpressionError */
export function findUnmet({ criteria }: RunnableStep, scope: Scope): string[] {
  const { exchange } = scope;
  if (criteria.length > 0) {
    return criteria.filter((one) => !holds(one, scope)).map((one) => `expected ${criterionText(one)}`);
  }
  const isGood = exchange === null || (exchange.status >= 200 && exchange.status < 300);
  return isGood ? [] : ['expected a status of 200 to 299'];
}

/** The first action whose criteria all hold. @throws ExpressionError */
export function chooseAction(
  actions: readonly StepAction[],
  scope: Scope,
  isLeft: (action: StepAction) => boolean,
): StepAction | undefined {
  return actions.find((action) => isLeft(action) && action.criteria.every((one) => holds(one, scope)));
}

/** The given values that a workflow knows, and its defaults. */
export function inputsOf({ inputs }: RunnableWorkflow, given: WorkflowValues): WorkflowValues {
  const entries = Object.entries(inputs).map(([name, schema]) => {
    const otherwise = (schema as { readonly default?: unknown } | null)?.default;
    return [name, (Object.hasOwn(given, name) ? given[name] : undefined) ?? otherwise] as const;
  });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** Values of outputs. @throws ExpressionError */
export function evaluateAll(outputs: WorkflowValues, scope: Scope): WorkflowValues {
  return Object.fromEntries(
    Object.entries(outputs).map(([name, value]) => [name, typeof value === 'string' ? evaluate(value, scope) : value]),
  );
}

/** Seconds that a server asks the caller to wait, if any. */
export function secondsAsked(exchange: Exchange | null): number | null {
  const header = exchange?.response.headers['retry-after'];
  return typeof header === 'string' && /^\d{1,6}$/.test(header) ? Number(header) : null;
}

/** @throws errors that no document or server caused */
export function sentenceOf(error: unknown): string {
  if (error instanceof ExpressionError) return error.message;
  // Code that walks through an answer goes level by level.
  if (error instanceof RangeError) return 'the answer nests too deep.';
  throw error;
}
