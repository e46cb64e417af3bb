import type { OutlineOperation } from './build-index.js';
import { arrayOf, isObject, LONGEST_TEXT, objectOf, ownOf, readString, type JsonObject } from './lookup.js';

/** An input, an output, a parameter: a name with what is said of it. */
export interface NamedText {
  readonly name: string;
  readonly text: string;
}

interface WorkflowInput extends NamedText {
  readonly type: string;
  readonly isRequired: boolean;
  /** What is taken where nothing is given; empty for none. */
  readonly preset: string;
}

/** What a step does: calls an operation by its id, or by method and path, or runs another workflow. */
export type StepCall =
  | { readonly kind: 'operation'; readonly id: string }
  | { readonly kind: 'path'; readonly method: string; readonly path: string }
  | { readonly kind: 'workflow'; readonly id: string };

/** What a step says of its call; a workflow says it of all its steps. */
export interface StepRules {
  /** Name with its place, `id (path)`, and the value. */
  readonly parameters: readonly NamedText[];
  readonly onSuccess: readonly string[];
  readonly onFailure: readonly string[];
}

export interface WorkflowStep extends StepRules {
  readonly id: string;
  /** Markdown. */
  readonly description: string;
  readonly call: StepCall;
  readonly body: { readonly type: string; readonly text: string } | null;
  /** Places in the body with the values that are put there. */
  readonly replacements: readonly NamedText[];
  readonly criteria: readonly string[];
  readonly outputs: readonly NamedText[];
}

/** Calls that lead to something together, for readers. */
export interface Workflow {
  readonly id: string;
  readonly summary: string;
  /** Markdown. */
  readonly description: string;
  /** Workflows that run before. */
  readonly dependsOn: readonly string[];
  readonly inputs: readonly WorkflowInput[];
  readonly eachStep: StepRules;
  readonly steps: readonly WorkflowStep[];
  readonly outputs: readonly NamedText[];
}

/** The workflows of a checked Arazzo document. What is missing or of another type is left out. */
export function workflowsOf(json: string): Workflow[] {
  const document = objectOf(JSON.parse(json));
  const components = objectOf(document.components);
  const source = readString(objectOf(arrayOf(document.sourceDescriptions)[0]).name);
  return arrayOf(document.workflows)
    .map(objectOf)
    .map((workflow) => ({
      id: readString(workflow.workflowId),
      summary: readString(workflow.summary),
      description: readString(workflow.description, LONGEST_TEXT),
      dependsOn: arrayOf(workflow.dependsOn).map((id) => readString(id)),
      inputs: inputsOf(workflow.inputs, components),
      eachStep: rulesOf(workflow.parameters, workflow.successActions, workflow.failureActions, components),
      steps: arrayOf(workflow.steps).map((step) => stepOf(objectOf(step), components, source)),
      outputs: readNamedTexts(workflow.outputs),
    }));
}

/** Finds the operation that a step calls; undefined for one that is not among these, and for what calls none. */
export type FindCalled = (call: StepCall) => OutlineOperation | undefined;

/** @param operations of the document of the API */
export function finderOf(operations: readonly OutlineOperation[]): FindCalled {
  const called = operations.filter(({ isWebhook }) => !isWebhook);
  const byId = new Map(called.map((one) => [one.id, one]));
  const byPath = new Map(called.map((one) => [`${one.method} ${one.path}`, one]));
  return (call) => {
    if (call.kind === 'workflow') return undefined;
    // Operations without an id are called by their path alone.
    if (call.kind === 'operation') return call.id === '' ? undefined : byId.get(call.id);
    return byPath.get(`${call.method} ${call.path}`);
  };
}

/** What a step calls, as its document names it. */
export function callText(call: StepCall): string {
  return call.kind === 'path' ? `${call.method.toUpperCase()} ${call.path}` : call.id;
}

function stepOf(step: JsonObject, components: JsonObject, source: string): WorkflowStep {
  const { contentType, payload, replacements } = objectOf(step.requestBody);
  return {
    id: readString(step.stepId),
    description: readString(step.description, LONGEST_TEXT),
    call: callOf(step, source),
    ...rulesOf(step.parameters, step.onSuccess, step.onFailure, components),
    body: payload === undefined ? null : { type: readString(contentType), text: valueText(payload, 2) },
    replacements: arrayOf(replacements)
      .map(objectOf)
      .map(({ target, value }) => ({ name: readString(target), text: valueText(value) })),
    criteria: arrayOf(step.successCriteria).map(criterionText),
    outputs: readNamedTexts(step.outputs),
  };
}

function rulesOf(parameters: unknown, onSuccess: unknown, onFailure: unknown, components: JsonObject): StepRules {
  return {
    parameters: arrayOf(parameters).map((one) => parameterOf(objectOf(one), components)),
    onSuccess: arrayOf(onSuccess).map((one) => actionText(objectOf(one), components, 'successActions')),
    onFailure: arrayOf(onFailure).map((one) => actionText(objectOf(one), components, 'failureActions')),
  };
}

/** What a step calls. @param source name of the document of the API */
export function callOf({ operationId, operationPath, workflowId }: JsonObject, source: string): StepCall {
  if (typeof workflowId === 'string') return { kind: 'workflow', id: workflowId };
  if (typeof operationPath === 'string') {
    const [path = '', method = ''] = /#\/paths\/([^/]+)\/([^/]+)$/.exec(operationPath)?.slice(1) ?? [];
    return { kind: 'path', method: method.toLowerCase(), path: decodeStep(path) };
  }
  const id = readString(operationId);
  const start = `$sourceDescriptions.${source}.`;
  return { kind: 'operation', id: id.startsWith(start) ? id.slice(start.length) : id };
}

function decodeStep(step: string): string {
  const plain = step.replaceAll('~1', '/').replaceAll('~0', '~');
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}

/** What `$components.parameters.page` names, with what is said beside it. */
export function resolve(item: JsonObject, components: JsonObject, kind: string): JsonObject {
  const { reference, ...beside } = item;
  const start = `$components.${kind}.`;
  if (typeof reference !== 'string' || !reference.startsWith(start)) return item;
  return { ...ownOf(components[kind], reference.slice(start.length)), ...beside };
}

function parameterOf(item: JsonObject, components: JsonObject): NamedText {
  const { name, in: place, value } = resolve(item, components, 'parameters');
  const shown = readString(place);
  return { name: `${readString(name)}${shown === '' ? '' : ` (${shown})`}`, text: valueText(value) };
}

function criterionText(item: unknown): string {
  const { context, condition } = objectOf(item);
  return [context, condition]
    .map((part) => readString(part))
    .filter(Boolean)
    .join(': ');
}

/** `again: retry getPayment (retryAfter 1, retryLimit 3) if $statusCode == 503`. */
function actionText(item: JsonObject, components: JsonObject, kind: string): string {
  const { name, type, stepId, workflowId, retryAfter, retryLimit, criteria } = resolve(item, components, kind);
  const limits = Object.entries({ retryAfter, retryLimit }).flatMap(([limit, value]) =>
    typeof value === 'number' ? [`${limit} ${value}`] : [],
  );
  const when = arrayOf(criteria).map(criterionText).join('; ');
  const what = [type, stepId ?? workflowId]
    .map((part) => readString(part))
    .filter(Boolean)
    .join(' ');
  return `${readString(name)}: ${what}${limits.length > 0 ? ` (${limits.join(', ')})` : ''}${when ? ` if ${when}` : ''}`;
}

/** The schema of inputs, or that of the component which it names. */
export function inputSchemaOf(schema: unknown, components: JsonObject): JsonObject {
  const { $ref: reference } = objectOf(schema);
  const start = '#/components/inputs/';
  const isNamed = typeof reference === 'string' && reference.startsWith(start);
  return isNamed ? ownOf(components.inputs, reference.slice(start.length)) : objectOf(schema);
}

function inputsOf(schema: unknown, components: JsonObject): WorkflowInput[] {
  const { properties, required } = inputSchemaOf(schema, components);
  return Object.entries(objectOf(properties)).map(([name, value]) => {
    const { type, description, default: preset } = objectOf(value);
    const types = Array.isArray(type)
      ? (type as unknown[]).map((one) => readString(one)).join(' | ')
      : readString(type);
    const facts = { type: types, isRequired: arrayOf(required).includes(name), preset: valueText(preset) };
    return { name, ...facts, text: readString(description) };
  });
}

function readNamedTexts(map: unknown): NamedText[] {
  return Object.entries(objectOf(map)).map(([name, value]) => ({ name, text: valueText(value) }));
}

/** @param indent of JSON; texts stay as they are */
function valueText(value: unknown, indent?: number): string {
  if (typeof value === 'string') return readString(value, LONGEST_TEXT);
  if (isObject(value) || Array.isArray(value)) return readString(JSON.stringify(value, null, indent), LONGEST_TEXT);
  return value === null || value === undefined ? '' : JSON.stringify(value);
}
