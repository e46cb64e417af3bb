import type { RunnableDocument, RunnableWorkflow } from '../portal.js';
import { findClosest } from '../core/closest.js';
import { UsageError } from './errors.js';
import { isSecretName } from '../core/index.js';
import type { WorkflowValues } from './workflow-expressions.js';

const SHORTEST_KEY = 4;

/**
 * Inputs of a run, of the types that the workflows ask for.
 * @param file JSON with inputs
 * @param pairs `name=value`, which come before those of the file
 * @throws UsageError for what is unknown, missing or of another type
 */
export function gatherInputs(
  document: RunnableDocument,
  ids: readonly string[],
  file: string,
  pairs: readonly string[],
): WorkflowValues {
  const run = withDependencies(document, ids);
  const schemas = new Map(run.flatMap(({ inputs }) => Object.entries(inputs) as [string, Schema][]));
  const given: Record<string, unknown> = { ...readInputs(file) };
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    if (at < 1) throw new UsageError(`--input ${pair.slice(0, 100)}: write it as name=value.`);
    const name = pair.slice(0, at);
    given[name] = parseTyped(name, pair.slice(at + 1), schemas.get(name));
  }
  const names = [...schemas.keys()];
  const unknown = Object.keys(given).find((name) => !schemas.has(name));
  if (unknown !== undefined) {
    const near = findClosest(unknown, names);
    throw new UsageError(
      `There is no input ${unknown}. ${near === undefined ? `There is ${names.join(', ') || 'none'}` : `Did you mean ${near}?`}`,
    );
  }
  for (const { id, required, inputs } of run) {
    const missing = required.filter(
      (name) => given[name] === undefined && (inputs[name] as Schema)?.default === undefined,
    );
    if (missing.length > 0)
      throw new UsageError(`The workflow ${id} needs ${missing.map((name) => `--input ${name}=…`).join(' ')}`);
  }
  return given;
}

/** Secret texts among the inputs, recognised by format or name. */
export function secretInputs({ workflows }: RunnableDocument, inputs: WorkflowValues): string[] {
  const schemas = workflows.flatMap((one) => Object.entries(one.inputs) as [string, Schema][]);
  const secret = schemas.filter(
    ([name, schema]) => schema?.format === 'password' || schema?.writeOnly === true || isSecretName(name),
  );
  return secret.map(([name]) => inputs[name]).filter((value): value is string => typeof value === 'string');
}

type Schema = {
  readonly type?: unknown;
  readonly format?: unknown;
  readonly writeOnly?: unknown;
  readonly default?: unknown;
} | null;

/** Those workflows and, of each, what it depends on. */
function withDependencies({ workflows }: RunnableDocument, ids: readonly string[]): RunnableWorkflow[] {
  const wanted = new Set(ids);
  // Iterating a set includes what is added meanwhile.
  for (const id of wanted)
    for (const other of workflows.find((one) => one.id === id)?.dependsOn ?? []) wanted.add(other);
  return workflows.filter(({ id }) => wanted.has(id));
}

function readInputs(file: string): WorkflowValues {
  try {
    const read: unknown = JSON.parse(file);
    if (typeof read === 'object' && read !== null && !Array.isArray(read)) return read as WorkflowValues;
  } catch {
    // Said below.
  }
  throw new UsageError('--inputs must be a file with a JSON object.');
}

function parseTyped(name: string, text: string, schema: Schema | undefined): unknown {
  const types = [schema?.type].flat();
  if (types.every((type) => type === undefined || type === 'string')) return text;
  try {
    const value: unknown = JSON.parse(text);
    const is = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
    if (types.includes(is) || (types.includes('integer') && Number.isInteger(value))) return value;
  } catch {
    // It may be a text all the same.
  }
  if (types.includes('string')) return text;
  throw new UsageError(`--input ${name} must be of type ${types.join(' or ')}.`);
}

/** What a run sends with its calls. */
interface Credentials {
  readonly key: string | null;
  /** Names in small letters. */
  readonly headers: Readonly<Record<string, string>>;
  /** Texts that no report may show. */
  readonly secrets: readonly string[];
}

/**
 * @param variable name of the environment variable with the key
 * @param lines `Name: value`
 * @throws UsageError, which tells no value
 */
export async function readCredentials(
  variable: string | undefined,
  lines: readonly string[] = [],
): Promise<Credentials> {
  const { readKey } = await import('../config/index.js');
  const key = variable === undefined ? null : (readKey(variable) ?? '');
  // A shorter one would match unrelated text in a report.
  if (key !== null && key.length < SHORTEST_KEY) {
    throw new UsageError(`The variable ${variable ?? ''} has no key of at least ${SHORTEST_KEY} characters.`);
  }
  const headers = Object.fromEntries(lines.map(headerOf));
  const said = Object.values(headers).flatMap((value) => [value, value.replace(/^\w+ /, '')]);
  const parts = key === null ? [] : [key, ...key.split(':')];
  return { key, headers, secrets: [...parts, ...said] };
}

function headerOf(line: string, at: number): [string, string] {
  const [, name = '', value = ''] = /^([\w!#$%&'*+.^`|~-]+):([\t\x20-\x7e]+)$/.exec(line) ?? [];
  if (value.trim() === '') throw new UsageError(`--header: the ${at + 1}. one is not written as Name: value.`);
  return [name.toLowerCase(), value.trim()];
}
