import { arrayOf, isObject, objectOf, ownOf, readString, type JsonObject } from './lookup.js';
import { parseText } from './parse-text.js';
import { cleanDocument } from './read-spec.js';
import { SpecRefusal } from './refusal.js';
import { toStoredSpec, type StoredSpec } from './stored-spec.js';
import { resolve } from './workflows.js';

/** Ids of workflows and steps: the former become part of addresses. */
const ID = /^[A-Za-z0-9_-]{1,100}$/;
const LISTS_OF_WORKFLOW = ['dependsOn', 'parameters', 'successActions', 'failureActions'];
const LISTS_OF_STEP = ['parameters', 'successCriteria', 'onSuccess', 'onFailure'];

/**
 * Reads an Arazzo document of one API from JSON or YAML text. Runs in a worker (S48). Whether its operations are there is
 * checked by code that knows the document of the API.
 * @param maxBytes of the resulting JSON; YAML aliases can make it longer than the input
 * @throws SpecRefusal
 */
export function readArazzo(text: string, maxBytes: number): StoredSpec {
  const document = cleanDocument(parseText(text));
  requireHead(document);
  const workflows = collectNamed(document.workflows, 'workflowId', 'The document', 'workflows');
  const components = objectOf(document.components);
  for (const [id, workflow] of workflows) requireWorkflow(`Workflow "${id}"`, workflow, { workflows, components });
  const json = JSON.stringify(document);
  if (Buffer.byteLength(json) > maxBytes) {
    throw new SpecRefusal(`The document is larger than ${maxBytes} bytes once its YAML aliases are written out.`);
  }
  if (Buffer.byteLength(json) + sizeOfReferences(document) > maxBytes) {
    throw new SpecRefusal(`The document is larger than ${maxBytes} bytes once its references are written out.`);
  }
  return toStoredSpec(json);
}

/** Characters that references stand for. Readers see the components in each place, so that few bytes could become many. */
function sizeOfReferences({ workflows, components }: JsonObject): number {
  const sizes = new Map<string, number>();
  let total = 0;
  const sizeOf = (reference: string): number => {
    const [kind = '', name = ''] = /^(?:\$components\.|#\/components\/)(\w+)[./](.+)$/.exec(reference)?.slice(1) ?? [];
    return JSON.stringify(ownOf(ownOf(components, kind), name)).length;
  };
  JSON.stringify(workflows, (key, value: unknown) => {
    if ((key === 'reference' || key === '$ref') && typeof value === 'string') {
      const size = sizes.get(value) ?? sizeOf(value);
      sizes.set(value, size);
      total += size;
    }
    return value;
  });
  return total;
}

function requireHead({ arazzo, info, sourceDescriptions }: JsonObject): void {
  if (typeof arazzo !== 'string' || !/^1\.[01]\.\d+$/.test(arazzo)) {
    throw new SpecRefusal('The document is not Arazzo 1: "arazzo" must say 1.0.x or 1.1.x.');
  }
  if (!isObject(info) || typeof info.title !== 'string' || info.version === undefined) {
    throw new SpecRefusal('The document has no "info" with a title and a version.');
  }
  const [source, ...others] = arrayOf(sourceDescriptions).map(objectOf);
  if (!source || others.length > 0) {
    throw new SpecRefusal('"sourceDescriptions" must name one document: that of the product.');
  }
  const { name, url, type = 'openapi' } = source;
  if (typeof name !== 'string' || !ID.test(name) || typeof url !== 'string') {
    throw new SpecRefusal('The source description has no "name" of letters, digits, _ and -, or no "url".');
  }
  if (type !== 'openapi') throw new SpecRefusal('The source description must be of type "openapi".');
}

type Named = ReadonlyMap<string, JsonObject>;

/** What a workflow may name. */
interface Known {
  readonly workflows: Named;
  readonly components: JsonObject;
}

function requireWorkflow(place: string, workflow: JsonObject, known: Known): void {
  const { workflows } = known;
  const steps = collectNamed(workflow.steps, 'stepId', place, 'steps');
  requireLists(place, workflow, LISTS_OF_WORKFLOW);
  requireTargets(place, [workflow.successActions, workflow.failureActions], steps, known);
  for (const other of arrayOf(workflow.dependsOn)) requireKnown(other, workflows, 'workflow', place);
  for (const [id, step] of steps) {
    const of = `${place}, step "${id}"`;
    const called = ['operationId', 'operationPath', 'workflowId'].filter((field) => step[field] !== undefined);
    const [field = ''] = called;
    if (called.length !== 1 || typeof step[field] !== 'string') {
      throw new SpecRefusal(`${of} must have one of operationId, operationPath and workflowId.`);
    }
    if (field === 'workflowId') requireKnown(step.workflowId, workflows, 'workflow', of);
    requireLists(of, step, LISTS_OF_STEP);
    requireTargets(of, [step.onSuccess, step.onFailure], steps, known);
  }
}

function requireLists(place: string, item: JsonObject, names: readonly string[]): void {
  const wrong = names.find((name) => item[name] !== undefined && !Array.isArray(item[name]));
  if (wrong !== undefined) throw new SpecRefusal(`${place}: "${wrong}" must be a list.`);
}

/** What actions lead to must be there, also that of actions which stand in components. */
function requireTargets(place: string, [success, failure]: readonly [unknown, unknown], steps: Named, known: Known) {
  const read = (list: unknown, kind: string) =>
    arrayOf(list).map((action) => resolve(objectOf(action), known.components, kind));
  for (const action of [...read(success, 'successActions'), ...read(failure, 'failureActions')]) {
    const { name, type, stepId, workflowId } = action;
    if (stepId !== undefined) requireKnown(stepId, steps, 'step', place);
    if (workflowId !== undefined) requireKnown(workflowId, known.workflows, 'workflow', place);
    if (type === 'goto' && stepId === undefined && workflowId === undefined)
      throw new SpecRefusal(`${place}: the action "${readString(name).slice(0, 100)}" leads nowhere.`);
  }
}

function collectNamed(list: unknown, key: string, place: string, what: string): Map<string, JsonObject> {
  const found = new Map<string, JsonObject>();
  for (const item of arrayOf(list).map(objectOf)) {
    const id = item[key];
    if (typeof id !== 'string' || !ID.test(id)) {
      throw new SpecRefusal(`${place}: each ${key} must be 1 to 100 letters, digits, _ and -.`);
    }
    if (found.has(id)) throw new SpecRefusal(`${place} has two ${what} named "${id}".`);
    found.set(id, item);
  }
  if (found.size === 0) throw new SpecRefusal(`${place} has no "${what}".`);
  return found;
}

function requireKnown(id: unknown, known: Named, what: string, place: string): void {
  if (typeof id === 'string' && known.has(id)) return;
  const shown = typeof id === 'string' ? id.slice(0, 100) : 'nothing';
  throw new SpecRefusal(`${place}: there is no ${what} "${shown}" in this document.`);
}
