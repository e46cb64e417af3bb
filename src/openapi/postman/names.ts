import type { OpenApiDocument } from '../document.js';
import type { JsonSchema } from '../json-schema.js';
import type { Operation } from '../operation.js';
import { resourceAt, singular, type ResourcePaths } from './resource-paths.js';

/** Names of the records that the collection creates. */
export interface RunNames {
  /** The body of a request, with the names of this run instead of those of the examples. */
  inBody(path: string, body: unknown): unknown;
  /** The name of a record in this run: `product`, `payments` → `payments-{{run}}`. */
  of(resource: string, example: string): string;
}

/** Fields that identify a record of a resource, the most specific first. */
const NAMING_FIELDS = ['slug', 'key', 'email', 'name'];
const RUN = '{{run}}';

interface Naming {
  readonly field: string;
  readonly example: string;
  readonly name: string;
}

/**
 * Names created by a run are marked with its id, so that they clash neither with existing records nor with leftovers of
 * an earlier run.
 */
export function runNames(document: OpenApiDocument, paths: ResourcePaths): RunNames {
  const namings = namingsOf(document, paths);
  const of = (resource: string, example: string): string => {
    const naming = namings.get(resource);
    return naming?.example === example ? naming.name : example;
  };
  const inBody = (path: string, body: unknown): unknown => {
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
    const own = namings.get(resourceAt(path));
    return Object.fromEntries(
      Object.entries(body).map(([field, value]: [string, unknown]) => {
        if (own?.field === field && value === own.example) return [field, own.name];
        return [field, Array.isArray(value) ? value.map((one) => referenceTo(field, one, of)) : value];
      }),
    );
  };
  return { inBody, of };
}

function referenceTo(field: string, value: unknown, of: RunNames['of']): unknown {
  return typeof value === 'string' ? of(singular(field), value) : value;
}

function namingsOf(document: OpenApiDocument, paths: ResourcePaths): Map<string, Naming> {
  const namings = new Map<string, Naming>();
  for (const [path, { post }] of Object.entries(document.paths)) {
    if (!post || !isCreation(path, post, paths)) continue;
    const naming = findNaming(jsonBody(post), document);
    if (naming) namings.set(resourceAt(path), naming);
  }
  return namings;
}

/** Whether a POST creates a record with its own path. */
export function isCreation(path: string, operation: Operation, paths: ResourcePaths): boolean {
  return '201' in operation.responses && paths.memberOf(path) !== undefined;
}

/** The JSON body of an operation, with its example. */
export function jsonBody({ requestBody }: Operation): { readonly schema?: JsonSchema; readonly example?: unknown } {
  const content = (requestBody?.content ?? {}) as Readonly<Record<string, { schema: JsonSchema; example?: unknown }>>;
  return content['application/json'] ?? {};
}

function findNaming({ schema = {}, example }: ReturnType<typeof jsonBody>, document: OpenApiDocument) {
  const values = (example ?? {}) as Readonly<Record<string, unknown>>;
  const field = NAMING_FIELDS.find((name) => typeof values[name] === 'string');
  if (field === undefined) return undefined;
  const value = String(values[field]);
  const component = /^#\/components\/schemas\/(.+)$/.exec(String(schema.$ref))?.[1];
  const { properties = {} } = (component === undefined ? schema : (document.components.schemas[component] ?? {})) as {
    properties?: Readonly<Record<string, JsonSchema>>;
  };
  return { field, example: value, name: markVariable(value, properties[field]?.pattern) };
}

/** The name with the mark of the run, in characters that the field accepts; unchanged if it accepts none of them. */
function markVariable(value: string, pattern: unknown): string {
  const [, account, domain] = /^([^@\s]+)(@[^@\s]+)$/.exec(value) ?? [];
  if (account !== undefined && domain !== undefined) return `${account}-${RUN}${domain}`;
  const fits = (name: string) => typeof pattern !== 'string' || new RegExp(pattern, 'u').test(name);
  const separator = ['-', '_', '.', ''].find((one) => fits(`${value}${one}m1`));
  return separator === undefined ? value : `${value}${separator}${RUN}`;
}
