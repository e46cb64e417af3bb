import { Lookup, objectOf, readString, type JsonObject } from '../lookup.js';
import { SpecRefusal } from '../refusal.js';
import { serversOf, swaggerServers } from '../servers.js';
import {
  escapeStep,
  isDate,
  readPaths,
  readWebhooks,
  sunsetOf,
  type ApiOperation,
  type ApiPath,
} from './api-operations.js';
import { isUnstable, type SunsetPolicy } from './diff-lifecycle.js';
import { diffOperations } from './diff-operations.js';
import { diffGlobalSecurity, diffOperationSecurity } from './diff-security.js';
import { SchemaDiffer } from './diff-schemas.js';
import { diffWebhooks } from './diff-webhooks.js';
import { Effort, FlatSchemas } from './flat-schema.js';
import type { ChangeLevel } from './effects.js';
import { ChangeList, type SpecChange } from './spec-change.js';

export interface SpecDiff {
  /** The breaking ones first, in the order of the document; not more than a thousand. */
  readonly changes: readonly SpecChange[];
  /** All that were found, also those beyond the list. */
  readonly counts: Readonly<Record<ChangeLevel, number>>;
  /** Changes that are counted and not listed. */
  readonly more: number;
  /** Whether all was compared; not so where a document takes far more steps than real ones do. */
  readonly isComplete: boolean;
  readonly operations: TouchedOperations;
}

/** Operations of the new document that the old one does not have, or has otherwise: `GET /pets`. */
export interface TouchedOperations {
  /** What the new document calls its own version; empty without. */
  readonly version: string;
  readonly added: readonly string[];
  readonly changed: readonly string[];
}

/** Steps of one comparison: some thirty times what GitHub's document of 13 MB takes. */
const MOST_STEPS = 10_000_000;
const LEVEL_ORDER: Readonly<Record<ChangeLevel, number>> = { breaking: 0, warning: 1, info: 2 };

/**
 * What changed for those who call the API. Runs in a worker.
 * @param old document as it is stored: checked, without what could pollute a prototype
 * @param policy the day against which sunsets are held, and how far off they have to be
 * @throws SpecRefusal for AsyncAPI, which has no rules yet
 */
export function diffSpecs(old: JsonObject, present: JsonObject, policy: SunsetPolicy): SpecDiff {
  if (old.asyncapi !== undefined || present.asyncapi !== undefined) {
    throw new SpecRefusal('Only OpenAPI and Swagger documents are compared; one of these is AsyncAPI.');
  }
  const effort = new Effort(MOST_STEPS);
  const list = new ChangeList();
  const lookups = [new Lookup(old), new Lookup(present)] as const;
  const [flatOld, flatNew] = lookups.map((lookup) => new FlatSchemas(lookup, effort)) as [FlatSchemas, FlatSchemas];
  const schemas = new SchemaDiffer(flatOld, flatNew, effort, policy);
  diffServers(old, present, list);
  diffGlobalSecurity(old, present, list);
  const oldPaths = readPaths(old, lookups[0], 'paths');
  const newPaths = readPaths(present, lookups[1], 'paths');
  for (const [key, path] of oldPaths) {
    const after = newPaths.get(key);
    for (const [method, read] of path.operations) {
      const other = after?.operations.get(method);
      const before = read();
      if (effort.isSpent) break;
      if (!other) tellRemoved(before, after === undefined, policy.today, list);
      else {
        const operation = other();
        diffOperations(before, operation, { schemas, list, policy });
        diffOperationSecurity(old, present, before, operation, list);
      }
    }
  }
  tellAdded(oldPaths, newPaths, list);
  const webhooks = [readWebhooks(old, lookups[0]), readWebhooks(present, lookups[1])] as const;
  diffWebhooks(...webhooks, { schemas, list, policy });
  diffComponents(old, present, list);
  const changes = list.changes.toSorted((one, two) => LEVEL_ORDER[one.level] - LEVEL_ORDER[two.level]);
  const { breaking, warning, info } = list.counts;
  return {
    changes,
    counts: list.counts,
    more: breaking + warning + info - changes.length,
    isComplete: !effort.isSpent && schemas.isComplete,
    operations: listTouched(present, oldPaths, newPaths, list),
  };
}

/** Operations that are gone are none of a document, and too many of a document are no help. */
function listTouched(
  present: JsonObject,
  old: ReadonlyMap<string, ApiPath>,
  now: ReadonlyMap<string, ApiPath>,
  { touched }: ChangeList,
): TouchedOperations {
  const [added, changed]: [string[], string[]] = [[], []];
  for (const [key, { path, operations }] of now) {
    for (const method of operations.keys()) {
      const before = old.get(key);
      const name = `${method.toUpperCase()} ${path}`;
      if (!before?.operations.has(method)) added.push(name);
      // It has the name of the old document in the list.
      else if (touched.has(`${method.toUpperCase()} ${before.path}`) || touched.has(name)) changed.push(name);
    }
  }
  const version = readString(objectOf(present.info).version, LONGEST_VERSION);
  return { version, added: added.slice(0, MOST_TOUCHED), changed: changed.slice(0, MOST_TOUCHED) };
}

const LONGEST_VERSION = 40;
const MOST_TOUCHED = 5_000;

function tellRemoved(operation: ApiOperation, isWholePath: boolean, today: string, list: ChangeList): void {
  const [prefix, sunset] = [isWholePath ? 'api-path-removed' : 'api-removed', sunsetOf(operation.raw)];
  const said = { about: 'operation', pointer: operation.pointer };
  if (operation.raw.deprecated !== true) {
    if (isUnstable(operation.raw)) return;
    list.add(`${prefix}-without-deprecation`, operation, { ...said, what: 'removed-without-deprecation' });
  } else if (sunset === null) {
    list.add(`${prefix}-with-deprecation`, operation, { ...said, what: 'removed-with-deprecation' });
  } else if (!isDate(sunset)) {
    list.add('api-path-sunset-parse', operation, { ...said, what: 'sunset-unreadable', old: sunset });
  } else if (sunset.slice(0, 10) > today) {
    list.add(`${prefix}-before-sunset`, operation, {
      ...said,
      what: 'removed-before-sunset',
      old: sunset.slice(0, 10),
    });
  }
}

function tellAdded(old: ReadonlyMap<string, ApiPath>, present: ReadonlyMap<string, ApiPath>, list: ChangeList): void {
  for (const [key, path] of present) {
    for (const [method, read] of path.operations) {
      if (old.get(key)?.operations.has(method)) continue;
      const operation = read();
      list.add('endpoint-added', operation, { about: 'operation', what: 'added', pointer: operation.pointer });
    }
  }
}

/** Where the whole API answers. Whether it still does at an address that is gone, documents do not say; nor where one names none. */
function diffServers(old: JsonObject, present: JsonObject, list: ChangeList): void {
  const [before, after] = [addressesOf(old), addressesOf(present)];
  if (before.size === 0 || after.size === 0) return;
  const said = { about: 'document', pointer: present.swagger === undefined ? '/servers' : '/host' };
  for (const url of before) {
    if (!after.has(url)) list.add('api-server-removed', null, { ...said, what: 'server-removed', old: url });
  }
  for (const url of after) {
    if (!before.has(url)) list.add('api-server-added', null, { ...said, what: 'server-added', new: url });
  }
}

function addressesOf(document: JsonObject): Set<string> {
  const servers = document.swagger === undefined ? serversOf(document.servers) : swaggerServers(document);
  return new Set(servers.map(({ url }) => url.replace(/\/$/, '') || '/'));
}

function diffComponents(old: JsonObject, present: JsonObject, list: ChangeList): void {
  const schemasOf = (document: JsonObject) => objectOf(document.definitions ?? objectOf(document.components).schemas);
  const after = schemasOf(present);
  const where = old.definitions === undefined ? '/components/schemas' : '/definitions';
  for (const name of Object.keys(schemasOf(old))) {
    if (Object.hasOwn(after, name)) continue;
    list.add('api-schema-removed', null, {
      about: 'schema',
      what: 'removed',
      name,
      pointer: `${where}/${escapeStep(name)}`,
    });
  }
}
