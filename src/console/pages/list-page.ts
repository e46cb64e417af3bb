import { mapPage, ValidationError, type FieldErrors, type ListPage } from '../../core/index.js';
import { definePage, Redirect, View, withParameters, type Page } from '../../theme/index.js';
import { cellsOf } from '../cells.js';
import { paramsOf, recordPath } from '../console-resource.js';
import {
  listAllowed,
  adminCall,
  pageOf,
  requireOperation,
  type AdminVisit,
  type ConsoleContext,
} from '../console-visit.js';
import { NO_VIEW, readViews } from './view-pages.js';
import { filterControls, listParameters, operationQuery, type FilterControl } from '../list-query.js';
import {
  textAt,
  valueAt,
  type AdminResource,
  type ApiRecord,
  type RecordColumn,
  type RecordParams,
} from '../resource.js';

/** Whether a saved view is what the list shows now, in whatever order its parameters stand. */
function isSameQuery(query: string, parameters: URLSearchParams): boolean {
  const sort = (one: URLSearchParams) =>
    [...one]
      .map((pair) => pair.join('='))
      .sort()
      .join('&');
  return sort(new URLSearchParams(query)) === sort(parameters);
}

const NOTHING: ListPage<ApiRecord> = { items: [], total: 0, perPage: 25, page: 1, nextCursor: null };
const PAGE_SIZES = ['25', '50', '100'];

/** The list of a resource; everything that it shows is in its address. */
export function listPage(context: ConsoleContext, resource: AdminResource): Page[] {
  if (resource.operations.list === undefined) return [];
  const needs = [resource.operations.list];
  const runs = ['listViews', ...(resource.banner ? [resource.banner.operation] : [])];
  const handle = (visit: AdminVisit) => showList(context, resource, visit);
  return [definePage({ method: 'get', path: `/${resource.name}`, audience: 'admins', needs, runs, handle })];
}

async function showList(context: ConsoleContext, resource: AdminResource, visit: AdminVisit): Promise<View | Redirect> {
  const views = await readViews(context, visit, resource);
  // Only for a bare address: a link with parameters shows what they say.
  const preferred =
    visit.request.query.size === 0 ? views.find((view) => view.is_default && view.query !== '') : undefined;
  if (preferred) return new Redirect(`/${resource.name}?${preferred.query}`);
  const list = requireOperation(resource.operations.list);
  const route = context.operations.route(list);
  const controls = route.list ? filterControls(route.list, route.reply[200], resource) : [];
  const parameters = listParameters(visit.request);
  const query = operationQuery(parameters, controls, resource);
  const { page, errors } = await readPage(context, visit, list, query);
  const offered = columnsIn(page, resource.columns);
  const columns = chooseColumns(offered, parameters.get('cols'));
  const bulk = (resource.actions ?? []).filter((action) => action.bulk);
  const { tools = [] } = resource;
  const chips = chipsOf(controls, parameters);
  const allowed = await listAllowed(context, visit, [
    resource.operations.create,
    resource.operations.download ?? list,
    ...tools.map(({ operation }) => operation),
    ...bulk.map(({ operation }) => operation),
  ]);
  return new View(
    'console/list',
    {
      resource,
      errors,
      banner: await readBanner(context, visit, resource),
      ...listValues(context, resource, page, { columns, parameters }),
      heads: columns.map((column) => headOf(column, route.list?.sorts ?? [], parameters)),
      controls: controls.map((control) => controlValues(control, parameters)),
      chips,
      isFiltered: chips.length > 0 || (parameters.get('q') ?? '') !== '',
      choosable: offered.map(({ field, label = field }) => ({
        field,
        label,
        isChosen: columns.some((one) => one.field === field),
      })),
      sizes: PAGE_SIZES.map((size) => ({ size, isChosen: (parameters.get('per_page') ?? '25') === size })),
      ...{ isSearchable: route.list?.searchable === true, q: parameters.get('q') ?? '' },
      kept: [...parameters].filter(([name]) => name === 'sort').map(([name, value]) => ({ name, value })),
      query: withParameters(parameters, { page: null, cursor: null }),
      tools: tools.filter(({ operation }) => allowed.has(operation)),
      download: allowed.has(resource.operations.download ?? list)
        ? `/${resource.name}/export${withParameters(parameters, { page: null, cursor: null, per_page: null, cols: null })}`
        : null,
      canCreate: resource.operations.create !== undefined && allowed.has(resource.operations.create),
      bulk: bulk.filter(({ operation }) => allowed.has(operation)),
      hidden: [...parameters].map(([name, value]) => ({ name, value })),
      views: views.map((view) => ({ ...view, isCurrent: view.query !== '' && isSameQuery(view.query, parameters) })),
      none: `?view=${NO_VIEW}`,
      canImport:
        resource.importable === true &&
        resource.operations.create !== undefined &&
        allowed.has(resource.operations.create),
    },
    { title: `console.resource.${resource.name}`, ...(errors && { status: 422 }) },
  );
}

async function readBanner(
  context: ConsoleContext,
  visit: AdminVisit,
  { banner }: AdminResource,
): Promise<object | null> {
  if (!banner || !(await context.operations.may(banner.operation, visit.actor))) return null;
  const { data } = await context.operations.run(banner.operation, adminCall(visit));
  return { partial: banner.partial, data };
}

// A wrong filter is reported above the list, where it can be changed.
async function readPage(context: ConsoleContext, visit: AdminVisit, list: string, query: Record<string, unknown>) {
  try {
    const page = pageOf(await context.operations.run(list, adminCall(visit, { query })));
    return { page, errors: null };
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    return { page: NOTHING, errors: error.errors as FieldErrors | null };
  }
}

interface Shown {
  readonly columns: readonly RecordColumn[];
  readonly parameters: URLSearchParams;
  /** Path parameters of the record around the list. */
  readonly around?: RecordParams;
}

/** Rows and pages of a list, for the list itself and for lists on the page of a record. */
export function listValues(
  { registry }: ConsoleContext,
  resource: AdminResource,
  page: ListPage<ApiRecord>,
  { columns, parameters, around }: Shown,
) {
  const {
    items,
    total,
    page: present,
    perPage,
    nextCursor,
  } = mapPage(page, (record) => {
    const params = paramsOf(resource, record, around);
    return {
      title: textAt(record, resource.title),
      href: resource.operations.show === undefined ? null : recordPath(resource, params),
      key: textAt(record, 'id'),
      cells: cellsOf(columns, record, registry),
    };
  });
  const number = present ?? 1;
  return {
    ...{ rows: items, total },
    pages: {
      page: number,
      pages: total === null ? null : Math.max(1, Math.ceil(total / perPage)),
      previous:
        number > 1 ? withParameters(parameters, { page: number === 2 ? null : String(number - 1) }) || '?' : null,
      next: nextCursor === null ? null : linkToNext(parameters, present, nextCursor),
    },
  };
}

// By page number as far as lists take one, then by cursor.
function linkToNext(parameters: URLSearchParams, page: number | null, cursor: string): string {
  if (page !== null && page < 10_000) return withParameters(parameters, { page: String(page + 1) });
  return withParameters(parameters, { page: null, cursor });
}

/** Those that records of a page have; of a list that is empty, all of them. */
export function columnsIn({ items }: ListPage<ApiRecord>, columns: readonly RecordColumn[]): readonly RecordColumn[] {
  if (items.length === 0) return columns;
  return columns.filter(({ field }) => items.some((item) => valueAt(item, field) !== undefined));
}

function chooseColumns(columns: readonly RecordColumn[], wanted: string | null): readonly RecordColumn[] {
  const names = wanted?.split(',') ?? [];
  const chosen = columns.filter(({ field }) => names.includes(field));
  return chosen.length > 0 ? chosen : columns.filter(({ hidden }) => !hidden);
}

function headOf({ field, label = field }: RecordColumn, sorts: readonly string[], parameters: URLSearchParams) {
  const present = parameters.get('sort');
  const direction = present === field ? 'ascending' : present === `-${field}` ? 'descending' : null;
  const href = sorts.includes(field)
    ? withParameters(parameters, { sort: direction === 'ascending' ? `-${field}` : field })
    : null;
  return { field: label, direction, href };
}

function controlValues({ name, type, values, parameters: own }: FilterControl, parameters: URLSearchParams) {
  return {
    ...{ name, type },
    inputs: own.map((parameter) => ({ ...parameter, value: parameters.get(parameter.name) ?? '' })),
    options: values.map((value) => ({ value, isChosen: parameters.get(name) === value })),
  };
}

/** The active filters, each with the address of the list without it. */
function chipsOf(controls: readonly FilterControl[], parameters: URLSearchParams) {
  const own = controls.flatMap((control) =>
    control.parameters.map((parameter) => ({ field: control.name, ...parameter })),
  );
  return own.flatMap(({ field, name, operator }) => {
    const value = parameters.get(name);
    return value === null
      ? []
      : [{ field, operator, value, without: withParameters(parameters, { [name]: null }) || '?' }];
  });
}
