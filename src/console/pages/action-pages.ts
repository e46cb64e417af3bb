import type { Upload } from '../../http/index.js';
import { definePage, field, Redirect, View, type FormState, type Page } from '../../theme/index.js';
import { NotFoundError, ValidationError } from '../../core/index.js';
import { recordPath } from '../console-resource.js';
import { adminCall, requireOperation, visitedParams, type AdminVisit, type ConsoleContext } from '../console-visit.js';
import { controlsOf, problemsOf } from '../form-view.js';
import { bodyOf, readSentValues, valuesOf } from '../form-values.js';
import {
  textAt,
  type Action,
  type AdminResource,
  type ApiRecord,
  type RecordParams,
  type RecordPart,
} from '../resource.js';
import { fieldsOf, type SchemaField } from '../schema-fields.js';
import { patternBelowRecord, isDirect, paramsFor, readRecord, showRecord } from './record-page.js';

/** Field of the form in which the name of what will be lost is typed. */
const CONFIRMATION = '_confirmation';
/** Path below the action's address where its one-time answer is shown. */
const RESULT = 'result';
const NO_FILE = 'Please choose a file.';
const NOT_THE_NAME = 'Please type the name exactly as it is shown.';

/** Deleting, as an action that asks for the name. */
const DELETION = 'delete';

/** The pages that do something to a record, each with what it asks for. */
export function actionPages(context: ConsoleContext, resource: AdminResource): Page[] {
  const { delete: remove } = resource.operations;
  const { impact = [] } = resource;
  const deletion: Action[] =
    remove === undefined ? [] : [{ name: DELETION, operation: remove, tone: 'danger', impact }];
  return [...(resource.actions ?? []), ...deletion].flatMap((action) => pagesOf(context, resource, action));
}

function pagesOf(context: ConsoleContext, resource: AdminResource, action: Action): Page[] {
  const { body, query, upload } = context.operations.route(action.operation);
  // When the file is the body, its fields go into the query.
  const listAskedFields = () => (upload ? fieldsOf(query, action.form) : []);
  const fields = () => [...fieldsOf(body, action.form), ...listAskedFields()];
  const { part } = action;
  const below = part === undefined ? action.name : `${part.field}/:${part.param}/${action.name}`;
  const needs = [requireOperation(resource.operations.show), action.operation];
  const guard = { path: patternBelowRecord(resource, below), audience: 'admins', needs } as const;
  const showAgain = (visit: AdminVisit, state: FormState) =>
    isDirect(context, action)
      ? showRecord(context, resource, visit, state)
      : actionForm(context, resource, action, fields(), visit, state);
  const result = definePage({
    ...{ ...guard, method: 'get', path: `${guard.path}/${RESULT}` },
    handle: (visit) => showOnce(resource, action, visit),
  });
  return [
    ...(action.shows ? [result] : []),
    definePage({
      ...guard,
      method: 'get',
      handle: (visit) => actionForm(context, resource, action, fields(), visit),
    }),
    definePage({
      ...guard,
      method: 'post',
      ...(upload && { file: { field: upload.field, maxBytes: upload.maxBytes } }),
      handle: (visit) => perform(context, resource, action, { fields: fields(), asked: listAskedFields() }, visit),
      retry: showAgain,
    }),
  ];
}

async function perform(
  context: ConsoleContext,
  resource: AdminResource,
  action: Action,
  { fields, asked }: { readonly fields: readonly SchemaField[]; readonly asked: readonly SchemaField[] },
  visit: AdminVisit,
): Promise<Redirect> {
  const { record, etag } = await readRecord(context, resource, visit);
  const title = titleOf(resource, action, record, visit);
  const params = visitedParams(resource, visit);
  if ((await asksName(context, action, record, visit)) && field(visit.request, CONFIRMATION).trim() !== title) {
    throw new ValidationError({ [CONFIRMATION]: [NOT_THE_NAME] });
  }
  const sent = bodyOf(fields, visit.request, context.translated, { shown: null });
  const inQuery = new Set(asked.map(({ name }) => name));
  const [query, body] = [true, false].map((is) =>
    Object.fromEntries(Object.entries(sent).filter(([name]) => inQuery.has(name) === is)),
  );
  const upload = uploadOf(context, action, visit, body ?? {});
  const sentTo = { ...paramsFor(context, action.operation, visit), ...partParams(action, record, visit) };
  const call = adminCall(visit, { params: sentTo, query: query ?? {}, body, ifMatch: etag, ...(upload && { upload }) });
  const { data } = await context.operations.run(action.operation, call);
  if (action.name === DELETION) return new Redirect(`/${resource.name}`, 'deleted');
  const path = recordPath(resource, params);
  const next = action.follows?.(data as ApiRecord, params);
  if (next) {
    const other = recordPath(context.registry.find(next.resource), next.params);
    return new Redirect(next.below === undefined ? other : `${other}/${next.below}`, 'done');
  }
  if (action.shows === undefined) return new Redirect(path, 'done');
  return tellOnce(`${path}/${action.name}/${RESULT}`, action, data);
}

/** Redirects to a page that shows the answer once. */
export function tellOnce(path: string, { shows = [] }: Action, answered: unknown): Redirect {
  const once = Object.fromEntries(shows.map(({ field: name }) => [name, textAt(answered, name)]));
  return new Redirect(path, undefined, { once });
}

/** Deletions, and actions that affect more than the record, require its name to be typed. */
async function asksName(context: ConsoleContext, action: Action, record: ApiRecord, visit: AdminVisit) {
  return action.name === DELETION || (await impactOf(context, action, record, visit)).length > 0;
}

/** The one-time answer of an action, such as a full key. */
export async function showOnce(resource: AdminResource, action: Action, visit: AdminVisit): Promise<View | Redirect> {
  const back = recordPath(resource, visitedParams(resource, visit));
  const shown = (await visit.session.takeShown()) as Readonly<Record<string, string>> | undefined;
  if (shown === undefined) return new Redirect(back);
  const facts = (action.shows ?? []).map(({ field: name }) => ({ field: name, value: shown[name] ?? '' }));
  return new View('console/shown', { resource, action, facts, back }, { title: `console.action.${action.name}` });
}

/** Name of the record or part that an action changes. @throws NotFoundError */
function titleOf(resource: AdminResource, { part }: Action, record: ApiRecord, { params }: AdminVisit): string {
  return part === undefined ? textAt(record, resource.title) : textAt(findPart(part, record, params), part.title);
}

/** @throws NotFoundError */
function findPart({ field: name, key, param }: RecordPart, record: ApiRecord, params: AdminVisit['params']): ApiRecord {
  const items = (record[name] ?? []) as readonly ApiRecord[];
  const item = items.find((one) => textAt(one, key) === params[param]);
  if (!item) throw new NotFoundError();
  return item;
}

function partParams({ part }: Action, record: ApiRecord, { params }: AdminVisit): RecordParams {
  return part?.params?.(findPart(part, record, params)) ?? {};
}

/** The file that the operation takes: the chosen one, or the typed text. */
function uploadOf(context: ConsoleContext, action: Action, { request }: AdminVisit, body: object): Upload | undefined {
  const { upload } = context.operations.route(action.operation);
  if (!upload) return undefined;
  if (request.file) return { kind: 'file', bytes: request.file };
  if (upload.orJson) return { kind: 'json', bytes: Buffer.from(JSON.stringify(body)) };
  throw new ValidationError({ [upload.field]: [NO_FILE] });
}

async function actionForm(
  context: ConsoleContext,
  resource: AdminResource,
  action: Action,
  fields: readonly SchemaField[],
  visit: AdminVisit,
  state?: FormState,
): Promise<View> {
  const { record } = await readRecord(context, resource, visit);
  const path = recordPath(resource, visitedParams(resource, visit));
  const { part } = action;
  const at = part ? `${path}/${part.field}/${encodeURIComponent(visit.params[part.param] ?? '')}` : path;
  const values = state
    ? readSentValues(fields, visit.request, context.translated)
    : valuesOf(fields, record, context.translated);
  const impact = await impactOf(context, action, record, visit);
  const callers = await callersOf(context, resource, action, record, visit);
  const { upload } = context.operations.route(action.operation);
  return new View(
    'console/action',
    {
      ...{
        resource,
        action,
        impact,
        callers,
        notice: await action.notice?.(visit.services),
        back: path,
        target: `${at}/${action.name}`,
        file: upload?.field ?? null,
      },
      title: titleOf(resource, action, record, visit),
      isNamed: action.name === DELETION || impact.length > 0,
      controls: await controlsOf(context, visit, fields, values),
      ...problemsOf(fields, state),
      confirmationErrors: state?.errors[CONFIRMATION] ?? [],
    },
    { title: `console.action.${action.name}`, status: state?.status ?? 200 },
  );
}

/** How many apps and people an action affects, and where they are listed; null if it affects nobody. */
async function callersOf(
  context: ConsoleContext,
  resource: AdminResource,
  { callers }: Action,
  record: ApiRecord,
  visit: AdminVisit,
) {
  if (!callers || callers.offered?.(record) === false) return null;
  if (!(await context.operations.may(callers.operation, visit.actor))) return null;
  const params = paramsFor(context, callers.operation, visit);
  const { data } = await context.operations.run(callers.operation, adminCall(visit, { params }));
  return { ...(data as object), page: callers.page(visitedParams(resource, visit)) };
}

/** How much an action affects besides the record. */
async function impactOf(context: ConsoleContext, { impact = [] }: Action, record: ApiRecord, visit: AdminVisit) {
  const counts = impact.map(async ({ resource: name, operation, filters }) => {
    if (!(await context.operations.may(operation, visit.actor))) return { name, total: 0 };
    const params = paramsFor(context, operation, visit);
    const query = { per_page: '1', ...(filters && { filters: JSON.stringify(filters(record)) }) };
    const { page } = await context.operations.run(operation, adminCall(visit, { params, query }));
    return { name, total: page?.total ?? 0 };
  });
  return (await Promise.all(counts)).filter(({ total }) => total > 0);
}
