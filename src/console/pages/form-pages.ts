import { PreconditionFailedError } from '../../core/index.js';
import { definePage, field, listField, Redirect, View, type FormState, type Page } from '../../theme/index.js';
import { paramsOf, recordPath } from '../console-resource.js';
import {
  adminCall,
  labelOf,
  requireOperation,
  visitedParams,
  type AdminVisit,
  type ConsoleContext,
} from '../console-visit.js';
import { controlsOf, problemsOf } from '../form-view.js';
import { bodyOf, readSentValues, valuesOf } from '../form-values.js';
import { textAt, type AdminResource, type ApiRecord } from '../resource.js';
import { fieldsOf, type SchemaField } from '../schema-fields.js';
import { showOnce, tellOnce } from './action-pages.js';
import { patternBelowRecord, readRecord } from './record-page.js';

/** Field of the form with the version that it was made from. */
const VERSION = '_version';
/** Fields that keep the value that another admin saved meanwhile (412). */
const TAKE = '_take';
/** Path below the record's address of the page that shows a new secret, once. */
const CREATED = 'created';
const NO_VERSION: FormState = { errors: {}, problem: null, old: {}, status: 200, retryAfter: null };

/** The pages that make and change a record. */
export function formPages(context: ConsoleContext, resource: AdminResource): Page[] {
  const { create, update } = resource.operations;
  return [
    ...(create === undefined ? [] : createPages(context, resource, create)),
    ...(update === undefined ? [] : editPages(context, resource, update)),
  ];
}

function createPages(context: ConsoleContext, resource: AdminResource, operation: string): Page[] {
  const { body, params } = context.operations.route(operation);
  // Records that belong to another one are created on its page.
  if (params) return [];
  // Described when the form is first opened; describing all of them took a fifteenth of the start of a portal.
  const fields = () => fieldsOf(body, resource.form);
  const told = resource.actions?.find(({ name }) => name === resource.createTells);
  const path = `/${resource.name}/create`;
  const form = async (visit: AdminVisit, state?: FormState) => {
    const values = state ? readSentValues(fields(), visit.request, context.translated) : {};
    const { locale } = visit;
    const name = resource.labels?.[1] ?? (await labelOf(context, 'one', resource.name, locale));
    const title = await context.say('console.form.new', locale, { name });
    return new View(
      'console/form',
      {
        ...{ resource, title },
        action: path,
        back: `/${resource.name}`,
        controls: await controlsOf(context, visit, fields(), values),
        ...problemsOf(fields(), state),
      },
      { heading: title, status: state?.status ?? 200 },
    );
  };
  const submit = async (visit: AdminVisit) => {
    const sent = bodyOf(fields(), visit.request, context.translated, { shown: null });
    const { data } = await context.operations.run(operation, adminCall(visit, { body: sent }));
    if (resource.operations.show === undefined) return new Redirect(`/${resource.name}`, 'created');
    const made = recordPath(resource, paramsOf(resource, data as ApiRecord));
    return told === undefined ? new Redirect(made, 'created') : tellOnce(`${made}/${CREATED}`, told, data);
  };
  const guard = { path, audience: 'admins', needs: [operation] } as const;
  const pages = [
    definePage({
      ...guard,
      method: 'get',
      handle: (visit) => form(visit),
    }),
    definePage({ ...guard, method: 'post', handle: submit, retry: form }),
  ];
  if (told === undefined) return pages;
  const created = definePage({
    ...{ ...guard, method: 'get', path: patternBelowRecord(resource, CREATED) },
    needs: [requireOperation(resource.operations.show), operation],
    handle: (visit) => showOnce(resource, told, visit),
  });
  return [...pages, created];
}

function editPages(context: ConsoleContext, resource: AdminResource, operation: string): Page[] {
  const { body } = context.operations.route(operation);
  const fields = () => fieldsOf(body, resource.form);
  const needs = [requireOperation(resource.operations.show), operation];
  const guard = { path: patternBelowRecord(resource, 'edit'), audience: 'admins', needs } as const;
  return [
    definePage({
      ...guard,
      method: 'get',
      handle: (visit) => editForm(context, resource, fields(), visit),
    }),
    definePage({
      ...guard,
      method: 'post',
      handle: (visit) => saveRecord(context, resource, fields(), visit),
      retry: (visit, state) => editForm(context, resource, fields(), visit, state),
    }),
  ];
}

async function saveRecord(
  context: ConsoleContext,
  resource: AdminResource,
  fields: readonly SchemaField[],
  visit: AdminVisit,
) {
  const { record } = await readRecord(context, resource, visit);
  const ifMatch = field(visit.request, VERSION) || undefined;
  const shown = valuesOf(fields, record, context.translated);
  const body = bodyOf(fields, visit.request, context.translated, { shown, kept: listField(visit.request, TAKE) });
  const params = visitedParams(resource, visit);
  const call = adminCall(visit, { params, body, ifMatch });
  const { data } = await context.operations.run(requireOperation(resource.operations.update), call);
  // Its address may have changed with it.
  return new Redirect(recordPath(resource, { ...params, ...paramsOf(resource, data as ApiRecord, params) }), 'saved');
}

/** The form of a record; after a 412 with what somebody else has changed meanwhile beside what was typed. */
async function editForm(
  context: ConsoleContext,
  resource: AdminResource,
  fields: readonly SchemaField[],
  visit: AdminVisit,
  state: FormState = NO_VERSION,
): Promise<View> {
  const { record, etag } = await readRecord(context, resource, visit);
  const present = valuesOf(fields, record, context.translated);
  const isConflict = state.status === PreconditionFailedError.status;
  const values = state === NO_VERSION ? present : readSentValues(fields, visit.request, context.translated);
  const title = textAt(record, resource.title);
  const path = recordPath(resource, visitedParams(resource, visit));
  return new View(
    'console/form',
    {
      ...{ resource, title, isConflict, back: path, action: `${path}/edit` },
      // After any other error the version that was shown still applies.
      version: state === NO_VERSION || isConflict ? etag : field(visit.request, VERSION),
      controls: await controlsOf(context, visit, fields, values, isConflict ? present : null),
      ...problemsOf(fields, isConflict ? { ...state, problem: null } : state),
    },
    { heading: title, status: state.status },
  );
}
