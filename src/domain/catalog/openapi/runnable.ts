import type { CallProof } from './first-call.js';
import type { JsonObject } from './lookup.js';

/** An operation with all that a call of it needs. */
export interface RunnableOperation {
  /** In capitals. */
  readonly method: string;
  /** With `{name}` for its parameters. */
  readonly path: string;
  /** Address that its document names first, variables filled in; null without one. */
  readonly server: string | null;
  /** Of its body; null where the document says none. */
  readonly contentType: string | null;
  /** Credentials that it asks for. */
  readonly proofs: readonly CallProof[];
  /** Declarations of its parameters. */
  readonly declared: readonly JsonObject[];
}

export interface Criterion {
  /** A runtime expression. */
  readonly context: string | null;
  readonly condition: string;
  /** `simple`, `regex`, `jsonpath`, `xpath`, or what else the document says. */
  readonly type: string;
}

export interface StepAction {
  readonly name: string;
  readonly type: string;
  readonly stepId: string | null;
  readonly workflowId: string | null;
  /** Seconds. */
  readonly retryAfter: number;
  readonly retryLimit: number;
  readonly criteria: readonly Criterion[];
}

/** What a step gives to its call. */
export interface StepParameter {
  readonly name: string;
  /** `path`, `query`, `header` or `cookie`; empty for an input of a workflow. */
  readonly in: string;
  readonly value: unknown;
}

/** A step, with what its workflow says of all steps. */
export interface RunnableStep {
  readonly id: string;
  readonly calls:
    | { readonly kind: 'operation'; readonly operation: RunnableOperation }
    | { readonly kind: 'workflow'; readonly id: string };
  readonly parameters: readonly StepParameter[];
  readonly body: {
    readonly contentType: string | null;
    readonly payload: unknown;
    readonly replacements: readonly { readonly target: string; readonly value: unknown }[];
  } | null;
  readonly criteria: readonly Criterion[];
  readonly onSuccess: readonly StepAction[];
  readonly onFailure: readonly StepAction[];
  readonly outputs: JsonObject;
}

export interface RunnableWorkflow {
  readonly id: string;
  readonly dependsOn: readonly string[];
  /** Name → schema. */
  readonly inputs: JsonObject;
  readonly required: readonly string[];
  readonly steps: readonly RunnableStep[];
  readonly outputs: JsonObject;
}

export interface RunnableDocument {
  readonly workflows: readonly RunnableWorkflow[];
  readonly source: { readonly name: string; readonly url: string };
  readonly components: JsonObject;
}
