import type { ListPage } from '../../core/index.js';
import { definePage, View, type FormState, type Page } from '../../theme/index.js';
import { cellsOf } from '../cells.js';
import { operationsOf, recordPath, recordPattern } from '../console-resource.js';
import {
  listAllowed,
  adminCall,
  requireOperation,
  visitedParams,
  type AdminVisit,
  type ConsoleContext,
} from '../console-visit.js';
import {
  textAt,
  type Action,
  type AdminResource,
  type ApiRecord,
  type RecordParams,
  type Related,
} from '../resource.js';
import { fieldsOf } from '../schema-fields.js';
import { columnsIn, listValues } from './list-page.js';

/** Rows of a list on the page of a record. */
const MOST_RELATED = 10;

/** The page of a record: its values, what can be done to it, what belongs to it. */
export function recordPage(context: ConsoleContext, resource: AdminResource): Page[] {
  if (resource.operations.show === undefined) return [];
  const handle = (visit: AdminVisit) => showRecord(context, resource, visit);
  const needs = [resource.operations.show];
  const runs = [...(resource.related ?? []).map(({ operation }) => operation), 'listManagedRecords'];
  return [definePage({ method: 'get', path: recordPattern(resource), audience: 'admins', needs, runs, handle })];
}

/** @returns the record as the API shows it, and its version for `If-Match` */
export async function readRecord(context: ConsoleContext, resource: AdminResource, visit: AdminVisit) {
  const show = requireOperation(resource.operations.show);
  const { data, etag } = await context.operations.run(
    show,
    adminCall(visit, { params: visitedParams(resource, visit) }),
  );
  return { record: data as ApiRecord, etag };
}

/** @param state what went wrong with an action of the page */
export async function showRecord(
  context: ConsoleContext,
  resource: AdminResource,
  visit: AdminVisit,
  state?: FormState,
): Promise<View> {
  const { record, etag } = await readRecord(context, resource, visit);
  const params = visitedParams(resource, visit);
  const allowed = await listAllowed(context, visit, [...operationsOf(resource), 'listActivities', 'getUsage']);
  const managed = await readManaged(context, resource, visit, record);
  const isFree = (operation: string) => managed?.locked !== true || !isManaging(context, operation);
  const actions = (resource.actions ?? []).filter(({ operation }) => allowed.has(operation) && isFree(operation));
  const offered = actions.filter(
    ({ part, offered: isOffered = () => true }) => part === undefined && isOffered(record),
  );
  const can = (name: string | undefined) => name !== undefined && allowed.has(name);
  const related = (resource.related ?? []).filter(({ operation }) => allowed.has(operation));
  const title = textAt(record, resource.title);
  const { update, delete: remove } = resource.operations;
  const isLocked = managed?.locked === true || (resource.locked?.(record) ?? false);
  return new View(
    resource.template ?? 'console/record',
    {
      ...{ resource, record, title, etag, sheets: resource.sheets },
      path: recordPath(resource, params),
      badges: cellsOf(
        resource.columns.filter(({ as }) => as === 'badge'),
        record,
        context.registry,
      ),
      facts: cellsOf(
        (resource.facts ?? resource.columns).filter(({ as }) => as !== 'badge'),
        record,
        context.registry,
      ),
      actions: offered.map((action) => ({ ...action, isDirect: isDirect(context, action) })),
      ...{ canUpdate: can(update) && !isLocked, canDelete: can(remove) && !isLocked },
      parts: partsOf(resource, record, actions),
      managed,
      may: Object.fromEntries((resource.further ?? []).map((name) => [name, allowed.has(name) && isFree(name)])),
      related: await Promise.all(related.map((one) => readRelated(context, visit, one, params, record))),
      usage: resource.usageOf && can('getUsage') ? usageLink(resource.usageOf(record)) : null,
      activities:
        resource.subject !== undefined && allowed.has('listActivities')
          ? `${resource.subject}:${String(record.id)}`
          : null,
      ...{ errors: state?.errors ?? null, problem: state?.problem ?? null },
    },
    { heading: title, status: state?.status ?? 200 },
  );
}

/** Whether an operation changes what files can say of a record. */
function isManaging({ operations }: ConsoleContext, operation: string): boolean {
  return operations.route(operation).manages !== undefined;
}

/** Who manages the record by files, or what it is a part of; null for nobody, and for kinds that files do not know. */
async function readManaged(
  { operations }: ConsoleContext,
  resource: AdminResource,
  visit: AdminVisit,
  record: ApiRecord,
): Promise<ApiRecord | null> {
  const { update } = resource.operations;
  const kind = update === undefined ? undefined : operations.route(update).manages;
  if (kind === undefined) return null;
  // A version of a plan belongs to what files say of the plan, which its address names first.
  const [whole = ''] = resource.params ?? [];
  const id = kind === resource.name ? record.id : Number(visitedParams(resource, visit)[whole]);
  const { data } = await operations.run('listManagedRecords', adminCall(visit, { query: { kind } }));
  return (data as readonly ApiRecord[]).find((one) => one.id === id) ?? null;
}

/** The parts of a record by field, each with what can be done to it. @param actions that the admin may do */
function partsOf(resource: AdminResource, record: ApiRecord, actions: readonly Action[]) {
  const parts = (resource.actions ?? []).flatMap(({ part }) => (part ? [part] : []));
  const entries = parts.map(({ field, key, title }): [string, unknown] => {
    const items = (record[field] ?? []) as readonly ApiRecord[];
    const own = actions.filter(({ part }) => part?.field === field);
    const values = items.map((item) => ({
      ...{ item, key: textAt(item, key), title: textAt(item, title) },
      actions: own.filter(({ offered: isOffered = () => true }) => isOffered(item)),
    }));
    return [field, values];
  });
  return Object.fromEntries(entries);
}

/** One press of a button, without a page that asks: it takes nothing to type and harms nothing. */
export function isDirect({ operations }: ConsoleContext, { operation, tone, form }: Action): boolean {
  const { body, upload } = operations.route(operation);
  return tone !== 'danger' && upload === undefined && fieldsOf(body, form).length === 0;
}

async function readRelated(
  context: ConsoleContext,
  visit: AdminVisit,
  { resource: name, operation, filters, label, creates }: Related,
  params: RecordParams,
  record: ApiRecord,
) {
  const { operations, registry } = context;
  const resource = registry.find(name);
  const around = { ...params, ...paramsFor(context, operation, visit) };
  const wanted = filters?.(record);
  const query = {
    ...(operation === resource.operations.list && resource.query),
    per_page: String(MOST_RELATED),
    ...(wanted && { filters: JSON.stringify(wanted) }),
  };
  const page = (await operations.run(operation, adminCall(visit, { params: around, query })))
    .page as ListPage<ApiRecord>;
  // What the page around it says anyway, such as the developer of an app, is not in its records.
  const columns = columnsIn(page, resource.columns).filter(({ hidden }) => !hidden);
  const values = listValues(context, resource, page, {
    columns,
    around,
    parameters: new URLSearchParams(),
  });
  const mayCreate = creates !== undefined && (await operations.may(creates, visit.actor));
  return {
    ...{ resource, label },
    heads: columns.map(({ field, label = field }) => ({ field: label })),
    ...values,
    canCreate: mayCreate,
    more: moreLink(resource, wanted),
  };
}

/** The parameters of an address by the names that an operation uses: of `/users/:id` for `/users/:user/apps`. */
export function paramsFor({ operations }: ConsoleContext, operation: string, { params }: AdminVisit): RecordParams {
  const { path } = operations.route(operation);
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  const values = Object.values(params);
  return Object.fromEntries(names.map((name, index) => [name, params[name] ?? values[index] ?? '']));
}

function moreLink(resource: AdminResource, filters: Readonly<Record<string, unknown>> | undefined): string | null {
  if (resource.operations.list === undefined || filters === undefined) return null;
  const parameters = new URLSearchParams(
    Object.entries(filters).map(([name, value]): [string, string] => [name, String(value)]),
  );
  return `/${resource.name}?${parameters.toString()}`;
}

function usageLink(filters: Readonly<Record<string, string>>): string {
  return `/usage?${new URLSearchParams(filters).toString()}`;
}

/** Addresses below that of a record: `/users/:id/edit`. */
export function patternBelowRecord(resource: AdminResource, name: string): string {
  return `${recordPattern(resource)}/${name}`;
}
