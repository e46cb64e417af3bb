import { MOST_WORKFLOW_BYTES } from './spec-reader.js';
import { proofsOf } from './first-call.js';
import { arrayOf, Lookup, objectOf, readString, type JsonObject } from './lookup.js';
import { operationsIn } from './operation.js';
import { SpecRefusal } from './refusal.js';
import type {
  Criterion,
  RunnableDocument,
  RunnableOperation,
  RunnableStep,
  RunnableWorkflow,
  StepAction,
  StepParameter,
} from './runnable.js';
import { isStoredSdl } from './sdl.js';
import { serversOf, swaggerServers } from './servers.js';
import { SpecWorkers } from './spec-workers.js';
import { callOf, callText, inputSchemaOf, resolve, type StepCall } from './workflows.js';

/**
 * Reads an Arazzo document to be run. Both documents are read in threads, with the limits of uploads.
 * @param findSpec gets the address by which the document names that of the API. @returns the text of the latter
 * @param maxBytes of the document of the API
 * @throws SpecRefusal with the field `workflows` or `spec`, and what `findSpec` throws
 */
export async function readRunnable(
  text: string,
  findSpec: (url: string) => Promise<string>,
  maxBytes: number,
  workers = new SpecWorkers(),
): Promise<RunnableDocument> {
  const task = { kind: 'read-workflows', text, maxBytes: MOST_WORKFLOW_BYTES } as const;
  const stored = await workers.run(task).catch(refuseAs('workflows'));
  const document = JSON.parse(stored.spec.document) as JsonObject;
  const [described] = arrayOf(document.sourceDescriptions).map(objectOf);
  const source = { name: readString(described?.name), url: readString(described?.url) };
  const given = await findSpec(source.url);
  const { spec } = await workers.run({ kind: 'read', text: given, maxBytes }).catch(refuseAs('spec'));
  const api = isStoredSdl(spec.document) ? {} : (JSON.parse(spec.document) as JsonObject);
  if (api.paths === undefined) throw new SpecRefusal('The document is not OpenAPI, or has no "paths".', 'spec');
  const components = objectOf(document.components);
  const reader = new StepReader(components, source.name, api);
  return { workflows: arrayOf(document.workflows).map((one) => reader.workflow(objectOf(one))), source, components };
}

function refuseAs(field: string) {
  return (error: unknown): never => {
    throw error instanceof SpecRefusal ? new SpecRefusal(error.message, field) : error;
  };
}

class StepReader {
  private readonly lookup: Lookup;

  constructor(
    private readonly components: JsonObject,
    private readonly source: string,
    private readonly api: JsonObject,
  ) {
    this.lookup = new Lookup(api);
  }

  workflow(workflow: JsonObject): RunnableWorkflow {
    const { properties, required } = inputSchemaOf(workflow.inputs, this.components);
    return {
      id: readString(workflow.workflowId),
      dependsOn: arrayOf(workflow.dependsOn).map((id) => readString(id)),
      inputs: objectOf(properties),
      required: arrayOf(required).map((name) => readString(name)),
      steps: arrayOf(workflow.steps).map((step) => this.step(objectOf(step), workflow)),
      outputs: objectOf(workflow.outputs),
    };
  }

  private step(step: JsonObject, workflow: JsonObject): RunnableStep {
    const id = readString(step.stepId);
    const call = callOf(step, this.source);
    const operation = call.kind === 'workflow' ? null : this.operation(call);
    if (call.kind !== 'workflow' && !operation) {
      const place = `Workflow "${readString(workflow.workflowId)}", step "${id}"`;
      throw new SpecRefusal(`${place}: the document of the API has no operation "${callText(call)}".`, 'workflows');
    }
    const { contentType, payload, replacements } = objectOf(step.requestBody);
    return {
      id,
      calls: operation ? { kind: 'operation', operation } : { kind: 'workflow', id: readString(step.workflowId) },
      parameters: this.parameters(step.parameters, workflow.parameters),
      body:
        step.requestBody === undefined
          ? null
          : {
              contentType: typeof contentType === 'string' ? contentType : null,
              payload,
              replacements: arrayOf(replacements)
                .map(objectOf)
                .map(({ target, value }) => ({ target: readString(target), value })),
            },
      criteria: criteriaOf(step.successCriteria),
      onSuccess: this.actions('successActions', step.onSuccess, workflow.successActions),
      onFailure: this.actions('failureActions', step.onFailure, workflow.failureActions),
      outputs: objectOf(step.outputs),
    };
  }

  /** Those of the step come before those of the workflow, which they replace by their name and place. */
  private parameters(own: unknown, shared: unknown): StepParameter[] {
    const read = [own, shared].flatMap(arrayOf).map((one) => {
      const { name, in: place, value } = resolve(objectOf(one), this.components, 'parameters');
      return { name: readString(name), in: readString(place), value };
    });
    return firstOfEach(read, (one) => `${one.in} ${one.name}`);
  }

  private actions(kind: string, own: unknown, shared: unknown): StepAction[] {
    const read = [own, shared].flatMap(arrayOf).map((one) => {
      const action = resolve(objectOf(one), this.components, kind);
      const numberOf = (value: unknown, otherwise: number) =>
        typeof value === 'number' && value >= 0 ? value : otherwise;
      return {
        ...{ name: readString(action.name), type: readString(action.type) },
        stepId: typeof action.stepId === 'string' ? action.stepId : null,
        workflowId: typeof action.workflowId === 'string' ? action.workflowId : null,
        ...{ retryAfter: numberOf(action.retryAfter, 0), retryLimit: numberOf(action.retryLimit, 1) },
        criteria: criteriaOf(action.criteria),
      };
    });
    return firstOfEach(read, ({ name }) => name);
  }

  private operation(call: Exclude<StepCall, { kind: 'workflow' }>): RunnableOperation | null {
    for (const [path, value] of Object.entries(objectOf(this.api.paths))) {
      const item = this.lookup.pathItem(value);
      for (const [method, operation] of operationsIn(item)) {
        const isCalled =
          call.kind === 'operation'
            ? call.id !== '' && operation.operationId === call.id
            : call.method === method && call.path === path;
        if (isCalled) return this.readOperation(method, path, item, operation);
      }
    }
    return null;
  }

  private readOperation(method: string, path: string, item: JsonObject, operation: JsonObject): RunnableOperation {
    const { lookup, api } = this;
    const places = [operation.servers, item.servers, api.servers].map(serversOf);
    const servers = api.swagger === undefined ? places.find(({ length }) => length > 0) : swaggerServers(api);
    const [first] = servers ?? [];
    const filled = first?.variables.reduce((url, { name, value }) => url.replaceAll(`{${name}}`, value), first.url);
    const types =
      api.swagger === undefined
        ? Object.keys(objectOf(lookup.object(operation.requestBody).content))
        : arrayOf(operation.consumes ?? api.consumes).map((type) => readString(type));
    const declared = [operation.parameters, item.parameters].flatMap(arrayOf).map((one) => lookup.object(one));
    return {
      ...{ method: method.toUpperCase(), path, server: filled ?? null, declared },
      contentType: types.find((type) => /[/+]json\b/i.test(type)) ?? types[0] ?? null,
      proofs: proofsOf(operation, api, lookup),
    };
  }
}

function firstOfEach<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  const known = new Set<string>();
  return items.filter((item) => !known.has(keyOf(item)) && known.add(keyOf(item)));
}

function criteriaOf(list: unknown): Criterion[] {
  return arrayOf(list)
    .map(objectOf)
    .map(({ context, condition, type }) => ({
      context: typeof context === 'string' ? context : null,
      condition: readString(condition),
      // Another version of JSONPath or XPath is named by an object.
      type: type === undefined ? 'simple' : readString(typeof type === 'string' ? type : objectOf(type).type),
    }));
}
