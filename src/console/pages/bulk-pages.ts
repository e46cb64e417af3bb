import { randomUUID } from 'node:crypto';
import type { BulkChoice, BulkPreview } from '../../domain/console/index.js';
import { NotFoundError } from '../../core/index.js';
import { definePage, field, Redirect, View, type FormState, type Page } from '../../theme/index.js';
import { cellsOf } from '../cells.js';
import { callerOf, requireOperation, type AdminVisit, type ConsoleContext } from '../console-visit.js';
import { bodyOf, readSentValues } from '../form-values.js';
import { controlsOf, problemsOf } from '../form-view.js';
import { filterControls, listParameters, operationQuery } from '../list-query.js';
import { textAt, type Action, type AdminResource } from '../resource.js';
import { fieldsOf, type SchemaField } from '../schema-fields.js';

/** Parameters of the form around a list that are not filters. */
const OF_THE_FORM = ['keys', 'action', 'scope', '_csrf', 'query', 'page', 'cursor', 'per_page', 'cols'];

/** Bulk actions: a page that names the records, and the start. */
export function bulkPages(context: ConsoleContext, resource: AdminResource): Page[] {
  const actions = (resource.actions ?? []).filter(({ bulk }) => bulk);
  if (resource.operations.list === undefined || actions.length === 0) return [];
  // The buttons of the list name the action; each has an address of its own.
  const choose = (visit: AdminVisit) => {
    const action = visit.request.query.get('action')?.at(-1) ?? '';
    if (!actions.some(({ name }) => name === action)) throw new NotFoundError();
    const chosen = choiceOf(visit.request.query);
    // An empty selection must never mean everything.
    if (chosen === null) return Promise.resolve(new Redirect(`/${resource.name}`, 'nothing-marked'));
    return Promise.resolve(new Redirect(`/${resource.name}/bulk/${action}?${chosen.toString()}`));
  };
  const needs = [resource.operations.list];
  return [
    definePage({ method: 'get', path: `/${resource.name}/bulk`, audience: 'admins', needs, handle: choose }),
    ...actions.flatMap((action) => pagesOf(context, resource, action)),
  ];
}

function pagesOf(context: ConsoleContext, resource: AdminResource, action: Action): Page[] {
  const fields = fieldsOf(context.operations.route(action.operation).body, action.form);
  const path = `/${resource.name}/bulk/${action.name}`;
  const needs = [requireOperation(resource.operations.list), action.operation];
  const form = (visit: AdminVisit, state?: FormState) => bulkForm(context, resource, action, fields, visit, state);
  return [
    definePage({
      ...{ method: 'get', path, audience: 'admins', needs },
      handle: (visit) => form(visit),
    }),
    definePage({
      ...{ method: 'post', path, audience: 'admins', needs },
      handle: async (visit) => {
        const choice = bulkChoice(context, resource, action, new URLSearchParams(field(visit.request, 'query')));
        const body = bodyOf(fields, visit.request, context.translated, { shown: null });
        const { jobs } = visit.services.console;
        const job = await jobs.start({ ...choice, body }, field(visit.request, 'token').slice(0, 64), callerOf(visit));
        return new Redirect(`/batches/${job.uuid}`);
      },
      retry: form,
    }),
  ];
}

async function bulkForm(
  context: ConsoleContext,
  resource: AdminResource,
  action: Action,
  fields: readonly SchemaField[],
  visit: AdminVisit,
  state?: FormState,
): Promise<View> {
  const sent = field(visit.request, 'query');
  const parameters = state ? new URLSearchParams(sent) : listParameters(visit.request);
  const choice = bulkChoice(context, resource, action, parameters);
  const preview = await visit.services.console.jobs.preview(choice, callerOf(visit));
  const values = state ? readSentValues(fields, visit.request, context.translated) : {};
  return new View(
    'console/bulk',
    {
      ...{ resource, action, ...shownOf(context, resource, preview) },
      back: `/${resource.name}`,
      query: parameters.toString(),
      token: field(visit.request, 'token') || randomUUID(),
      controls: await controlsOf(context, visit, fields, values),
      ...problemsOf(fields, state),
    },
    { title: `console.action.${action.name}`, status: state?.status ?? 200 },
  );
}

function shownOf({ registry }: ConsoleContext, resource: AdminResource, { total, records }: BulkPreview) {
  const columns = resource.columns.filter(({ hidden }) => !hidden);
  return {
    ...{ total, more: total > records.length ? total - records.length : 0 },
    heads: columns.map(({ field: name, label = name }) => ({ field: label })),
    rows: records.map((record) => ({
      title: textAt(record, resource.title),
      cells: cellsOf(columns, record, registry),
    })),
  };
}

/** The selection of the form around a list: marked rows, or everything that its filters match; null for neither. */
function choiceOf(query: ReadonlyMap<string, readonly string[]>): URLSearchParams | null {
  const parameters = new URLSearchParams();
  const keys = query.get('keys') ?? [];
  const isAll = query.get('scope')?.at(-1) === 'all';
  if (!isAll) return keys.length === 0 ? null : new URLSearchParams({ ids: keys.join(',') });
  for (const [name, values] of query) {
    const value = values.at(-1) ?? '';
    if (value !== '' && !OF_THE_FORM.includes(name)) parameters.set(name, value);
  }
  return parameters;
}

function bulkChoice(
  { operations }: ConsoleContext,
  resource: AdminResource,
  action: Action,
  parameters: URLSearchParams,
): BulkChoice {
  const route = operations.route(resource.operations.list ?? '');
  const ids = parameters.get('ids');
  const query =
    ids === null
      ? operationQuery(parameters, route.list ? filterControls(route.list, route.reply[200]) : [], {})
      : { filters: JSON.stringify({ id: { in: ids.split(',').map(Number) } }) };
  const texts = Object.entries(query).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return { resource: resource.name, action: action.name, query: Object.fromEntries(texts) };
}
