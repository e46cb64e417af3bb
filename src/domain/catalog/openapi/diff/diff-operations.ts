import { arrayOf, isObject, readString, type JsonObject } from '../lookup.js';
import {
  escapeStep,
  isDate,
  sunsetOf,
  tellStability,
  type ApiOperation,
  type ApiParameter,
  type ApiResponse,
} from './api-operations.js';
import { isUnstable, tellLifecycle, type LifecycleChange, type SunsetPolicy } from './diff-lifecycle.js';
import type { SchemaDiffer } from './diff-schemas.js';
import { aboutOf, type ChangeList, type SchemaPlace } from './spec-change.js';

export interface Tools {
  readonly schemas: SchemaDiffer;
  readonly list: ChangeList;
  readonly policy: SunsetPolicy;
}

/** The rules for what becomes of `deprecated` and `x-sunset` of an operation. */
const OPERATION_LIFECYCLE: Readonly<Record<LifecycleChange, string>> = {
  reactivated: 'endpoint-reactivated',
  deprecated: 'endpoint-deprecated',
  'deprecated-with-sunset': 'endpoint-deprecated-with-sunset',
  'sunset-missing': 'api-deprecated-sunset-missing',
  'sunset-too-soon': 'api-sunset-date-too-small',
  'sunset-invalid': 'api-deprecated-sunset-parse',
  'sunset-deleted': 'sunset-deleted',
  'sunset-unreadable': 'api-path-sunset-parse',
  'sunset-earlier': 'api-sunset-date-changed-too-small',
};

/** The same of a parameter, after `request-parameter-`. */
const PARAMETER_LIFECYCLE: Readonly<Record<LifecycleChange, string>> = {
  reactivated: 'reactivated',
  deprecated: 'deprecated',
  'deprecated-with-sunset': 'deprecated',
  'sunset-missing': 'deprecated-sunset-missing',
  'sunset-too-soon': 'sunset-date-too-small',
  'sunset-invalid': 'sunset-parse',
  'sunset-deleted': 'sunset-deleted',
  'sunset-unreadable': 'sunset-parse',
  'sunset-earlier': 'sunset-date-changed-too-small',
};

/** The policy of days is none for what may change at any time. */
function policyFor(operation: ApiOperation, policy: SunsetPolicy): SunsetPolicy {
  return isUnstable(operation.raw) ? { ...policy, sunsetDays: 0 } : policy;
}

/** The words for it, and what they fill in. */
function lifecycleValues(change: LifecycleChange, { old, new: present }: { old: string | null; new: string | null }) {
  const isUnreadable = change === 'sunset-invalid' || change === 'sunset-unreadable';
  const unreadable = present !== null && !isDate(present) ? present : old;
  return {
    what: change === 'sunset-invalid' ? 'sunset-unreadable' : change,
    old: isUnreadable ? unreadable : old,
    new: present,
  };
}

/** One operation that both documents have. */
export function diffOperations(old: ApiOperation, present: ApiOperation, tools: Tools): void {
  diffFacts(old, present, tools);
  diffParameters(old, present, tools);
  diffBodies(old, present, tools);
  diffResponses(old, present, tools);
}

function diffFacts({ raw: old }: ApiOperation, operation: ApiOperation, { list, policy }: Tools): void {
  const { raw, pointer } = operation;
  const said = { about: 'operation', pointer };
  tellLifecycle(old, raw, policyFor(operation, policy), (change, values) =>
    list.add(OPERATION_LIFECYCLE[change], operation, { ...said, ...lifecycleValues(change, values) }),
  );
  tellStability(old, raw, (what, values) => {
    const id = what === 'stability-unknown' ? 'api-invalid-stability-level' : `api-${what}`;
    list.add(id, operation, { ...said, what, ...values });
  });
  const [oldId, id] = [readString(old.operationId), readString(raw.operationId)];
  if (oldId !== id) {
    const what = id ? 'operation-id-changed' : 'operation-id-removed';
    if (oldId) list.add('api-operation-id-removed', operation, { ...said, what, old: oldId, new: id });
    else list.add('api-operation-id-added', operation, { ...said, what: 'operation-id-added', new: id });
  }
  const tags = differenceOf(old.tags, raw.tags);
  for (const tag of tags.removed) list.add('api-tag-removed', operation, { ...said, what: 'tag-removed', old: tag });
  for (const tag of tags.added) list.add('api-tag-added', operation, { ...said, what: 'tag-added', new: tag });
}

function diffParameters(old: ApiOperation, present: ApiOperation, { schemas, list, policy }: Tools): void {
  const saidOf = ({ name, in: where }: ApiParameter, { pointer }: ApiOperation) => ({
    about: 'request-parameter',
    name,
    status: where,
    pointer: `${pointer}/parameters/${where}/${escapeStep(name)}`,
  });
  for (const [key, before] of old.parameters) {
    const after = present.parameters.get(key);
    if (!after) {
      tellRemovedParameter(before, saidOf(before, old), present, list, policy);
      continue;
    }
    const said = saidOf(after, present);
    if (after.isRequired && !before.isRequired) {
      list.add('request-parameter-became-required', present, { ...said, what: 'became-required' });
    }
    if (!after.isRequired && before.isRequired) {
      list.add('request-parameter-became-optional', present, { ...said, what: 'became-optional' });
    }
    tellLifecycle(before.raw, after.raw, policyFor(present, policy), (change, values) =>
      list.add(`request-parameter-${PARAMETER_LIFECYCLE[change]}`, present, {
        ...said,
        ...lifecycleValues(change, values),
      }),
    );
    const place = {
      scope: 'request-parameter',
      pointer: said.pointer,
      name: after.name,
      in: after.in,
      status: after.in,
    } as const;
    if (isListNow(before, after, schemas)) {
      list.add('request-parameter-type-generalized', present, { ...said, what: 'became-list' });
    } else tellSchemas(present, place, schemas, before.schema, after.schema, list);
  }
  for (const [key, after] of present.parameters) {
    if (old.parameters.has(key)) continue;
    const default_ = after.isOfPath ? 'default-parameter-to-existing-path' : 'parameter';
    const need = after.isRequired ? 'required' : 'optional';
    const id = after.in === 'path' ? 'new-request-path-parameter' : `new-${need}-request-${default_}`;
    list.add(id, present, { ...saidOf(after, present), what: `added-${need}` });
  }
}

function tellRemovedParameter(
  { raw }: ApiParameter,
  said: { about: string; name: string; status: string; pointer: string },
  operation: ApiOperation,
  list: ChangeList,
  { today }: SunsetPolicy,
): void {
  const sunset = sunsetOf(raw);
  if (raw.deprecated !== true) {
    if (!isUnstable(operation.raw)) list.add('request-parameter-removed', operation, { ...said, what: 'removed' });
  } else if (sunset === null) {
    list.add('request-parameter-removed-with-deprecation', operation, { ...said, what: 'removed-with-deprecation' });
  } else if (!isDate(sunset)) {
    list.add('request-parameter-sunset-parse', operation, { ...said, what: 'sunset-unreadable', old: sunset });
  } else if (sunset.slice(0, 10) > today) {
    const what = 'removed-before-sunset';
    list.add('request-parameter-removed-before-sunset', operation, { ...said, what, old: sunset.slice(0, 10) });
  }
}

/** A value of a query that may stand several times now: the one that was sent is a list of one. */
function isListNow(before: ApiParameter, after: ApiParameter, schemas: SchemaDiffer): boolean {
  const { style = 'form', explode = true } = after.raw;
  return after.in === 'query' && style === 'form' && explode === true && schemas.isListOf(before.schema, after.schema);
}

function tellSchemas(
  operation: ApiOperation,
  place: SchemaPlace,
  schemas: SchemaDiffer,
  before: unknown,
  after: unknown,
  list: ChangeList,
): void {
  for (const difference of schemas.compare(before, after)) list.addSchema(operation, place, difference);
}

function diffBodies({ body: old, pointer }: ApiOperation, operation: ApiOperation, tools: Tools): void {
  const { body } = operation;
  const { list } = tools;
  const said = { about: 'request-body', pointer: `${operation.pointer}/requestBody` };
  if (!old && body) {
    const what = body.isRequired ? 'added-required' : 'added-optional';
    list.add(`request-body-${what}`, operation, { ...said, what });
  }
  if (old && !body)
    list.add('request-body-removed', operation, { ...said, pointer: `${pointer}/requestBody`, what: 'removed' });
  if (!old || !body) return;
  if (old.isRequired !== body.isRequired) {
    const what = body.isRequired ? 'became-required' : 'became-optional';
    list.add(`request-body-${what}`, operation, { ...said, what });
  }
  const place = { scope: 'request-body', pointer: said.pointer, name: '', in: '', status: '' } as const;
  diffContents(operation, place, old.content, body.content, tools, 'request-body-media-type');
}

export function diffContents(
  operation: ApiOperation,
  place: SchemaPlace,
  old: ReadonlyMap<string, JsonObject>,
  present: ReadonlyMap<string, JsonObject>,
  { schemas, list }: Tools,
  rule: string,
): void {
  const said = { about: aboutOf(place, false), pointer: place.pointer, status: place.status };
  const renamed = pairRenamedTypes(old, present, rule);
  for (const [type, before] of old) {
    const name = renamed.get(type) ?? type;
    const after = present.get(name);
    if (!after) {
      list.add(`${rule}-removed`, operation, { ...said, what: 'media-type-removed', old: type });
      continue;
    }
    if (name !== type) {
      const what = `media-type-name-${covers(type, name) ? 'specialized' : 'generalized'}`;
      list.add(`response-${what}`, operation, { ...said, what, old: type, new: name });
    }
    const pointer = `${place.pointer}/content/${escapeStep(name)}`;
    for (const [keyword, word] of [
      ['schema', 'schema'],
      ['itemSchema', 'item-schema'],
    ] as const) {
      const [was, is] = [isObject(before[keyword]), isObject(after[keyword])];
      const what = is ? 'added' : 'removed';
      if (was !== is) {
        const isUntyped = word === 'item-schema' && !is && !isObject(after.schema) && place.scope === 'response-body';
        const id = `${place.scope}-media-type-${word}-${what}${isUntyped ? '-untyped' : ''}`;
        list.add(id, operation, { ...said, pointer, what: `schema-${what}`, name: type });
      }
      tellSchemas(
        operation,
        { ...place, pointer: `${pointer}/${keyword}` },
        schemas,
        before[keyword],
        after[keyword],
        list,
      );
    }
  }
  const known = new Set(renamed.values());
  for (const type of present.keys()) {
    if (!old.has(type) && !known.has(type))
      list.add(`${rule}-added`, operation, { ...said, what: 'media-type-added', new: type });
  }
}

/** Media types of answers that have a wider or a narrower name now, by the one that they had. */
function pairRenamedTypes(
  old: ReadonlyMap<string, unknown>,
  present: ReadonlyMap<string, unknown>,
  rule: string,
): ReadonlyMap<string, string> {
  const renamed = new Map<string, string>();
  if (!rule.startsWith('response')) return renamed;
  const left = new Set([...present.keys()].filter((type) => !old.has(type)));
  for (const type of old.keys()) {
    if (present.has(type)) continue;
    const found = [...left].find((other) => covers(type, other) || covers(other, type));
    if (found === undefined) continue;
    renamed.set(type, found);
    left.delete(found);
  }
  return renamed;
}

/** `application/json` covers `application/problem+json`, and a range what lies in it. */
function covers(wide: string, narrow: string): boolean {
  const [[type = '', name = ''], [kind = '', special = '']] = [wide.split('/'), narrow.split('/')];
  if (wide === '*/*') return true;
  return type === kind && (name === '*' || special.endsWith(`+${name}`));
}

function diffResponses(old: ApiOperation, present: ApiOperation, tools: Tools): void {
  const { list } = tools;
  const kindOf = (status: string) => (/^2/.test(status) ? 'success' : 'non-success');
  const saidOf = (status: string, { pointer }: ApiOperation) => ({
    about: 'response',
    status,
    pointer: `${pointer}/responses/${escapeStep(status)}`,
  });
  for (const [status, before] of old.responses) {
    const after = present.responses.get(status);
    if (after) diffResponse(present, status, before, after, tools);
    else {
      list.add(`response-${kindOf(status)}-status-removed`, present, { ...saidOf(status, old), what: 'removed' });
    }
  }
  for (const status of present.responses.keys()) {
    if (old.responses.has(status)) continue;
    list.add(`response-${kindOf(status)}-status-added`, present, { ...saidOf(status, present), what: 'added' });
  }
}

function diffResponse(
  operation: ApiOperation,
  status: string,
  old: ApiResponse,
  present: ApiResponse,
  tools: Tools,
): void {
  const pointer = `${operation.pointer}/responses/${escapeStep(status)}`;
  const place = { scope: 'response-body', pointer, name: '', in: '', status } as const;
  diffContents(operation, place, old.content, present.content, tools, 'response-media-type');
  diffHeaders(operation, place, old.headers, present.headers, tools);
}

/** @param place of the answer, or of the webhook, that they come with */
export function diffHeaders(
  operation: ApiOperation,
  place: SchemaPlace,
  old: ApiResponse['headers'],
  present: ApiResponse['headers'],
  { schemas, list }: Tools,
): void {
  const placeOf = (name: string): SchemaPlace => {
    return { ...place, scope: 'response-header', pointer: `${place.pointer}/headers/${escapeStep(name)}`, name };
  };
  const saidOf = (header: SchemaPlace) => {
    const { name, status, pointer } = header;
    return { about: aboutOf(header, false), name, status, pointer };
  };
  for (const [name, before] of old) {
    const after = present.get(name);
    const header = placeOf(name);
    const said = saidOf(header);
    if (!after) {
      const id = before.isRequired ? 'required-response-header-removed' : 'optional-response-header-removed';
      list.add(id, operation, { ...said, what: 'removed' });
      continue;
    }
    if (before.isRequired && !after.isRequired) {
      list.add('response-header-became-optional', operation, { ...said, what: 'became-optional' });
    }
    tellSchemas(operation, header, schemas, before.schema, after.schema, list);
  }
  for (const name of present.keys()) {
    if (old.has(name)) continue;
    list.add('response-header-added', operation, { ...saidOf(placeOf(name)), what: 'added' });
  }
}

/** Names of a list in the old and not in the new, and the other way round. */
function differenceOf(old: unknown, present: unknown): { removed: string[]; added: string[] } {
  const [before, after] = [old, present].map((list) => new Set(arrayOf(list).map((name) => readString(name))));
  return {
    removed: [...(before ?? [])].filter((name) => !after?.has(name)),
    added: [...(after ?? [])].filter((name) => !before?.has(name)),
  };
}
