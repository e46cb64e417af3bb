import { randomUUID } from 'node:crypto';
import { csvHeaders } from '../../http/index.js';
import { definePage, Download, field, Redirect, View, type FormState, type Page } from '../../theme/index.js';
import { ValidationError } from '../../core/index.js';
import { callerOf, type AdminVisit, type ConsoleContext } from '../console-visit.js';
import type { AdminResource } from '../resource.js';

const NO_FILE = 'Please choose a file.';
/** Fields of the form that say which column fills which field: `map.email`. */
const MAP = 'map.';

/** Records from a CSV file: upload, columns, a run that changes nothing, the start. */
export function importPages(_context: ConsoleContext, resource: AdminResource): Page[] {
  const { create } = resource.operations;
  if (resource.importable !== true || create === undefined) return [];
  const path = `/${resource.name}/import`;
  const needs = [create];
  const uploadForm = (visit: AdminVisit, state?: FormState) =>
    new View(
      'console/import',
      {
        resource,
        token: field(visit.request, 'token') || randomUUID(),
        errors: state?.errors ?? {},
        problem: state?.problem ?? null,
        limits: visit.services.console.imports.limits,
      },
      { title: 'console.import.title', status: state?.status ?? 200 },
    );
  return [
    definePage({
      ...{ method: 'get', path, audience: 'admins', needs },
      handle: (visit) => Promise.resolve(uploadForm(visit)),
    }),
    definePage({
      ...{ method: 'post', path, audience: 'admins', needs },
      file: { field: 'file', maxBytes: ({ console }) => console.imports.limits.bytes },
      handle: async (visit) => {
        const { file } = visit.request;
        if (!file) throw new ValidationError({ file: [NO_FILE] });
        const token = field(visit.request, 'token').slice(0, 64) || randomUUID();
        const { job } = await visit.services.console.imports.upload(resource.name, file, token, callerOf(visit));
        return new Redirect(`${path}/${job.uuid}`);
      },
      retry: (visit, state) => Promise.resolve(uploadForm(visit, state)),
    }),
    definePage({
      ...{ method: 'get', path: `${path}/:uuid`, audience: 'admins', needs },
      handle: (visit) => draftForm(resource, visit),
    }),
    definePage({
      ...{ method: 'post', path: `${path}/:uuid`, audience: 'admins', needs },
      handle: (visit) => confirm(resource, visit),
      retry: (visit, state) => draftForm(resource, visit, state),
    }),
  ];
}

/** The button that was pressed: try, take the faults as a file, start. */
async function confirm(resource: AdminResource, visit: AdminVisit): Promise<Redirect | Download> {
  const { imports } = visit.services.console;
  const uuid = visit.params.uuid ?? '';
  const mapping = mappingOf(visit);
  const pressed = field(visit.request, 'do');
  if (pressed === 'errors') {
    return new Download(imports.errorLines(uuid, mapping, visit.actor), csvHeaders(`${resource.name}-errors`));
  }
  if (pressed !== 'start') {
    const chosen = Object.entries(mapping).map(([name, column]): [string, string] => [MAP + name, column]);
    return new Redirect(
      `/${resource.name}/import/${uuid}?${new URLSearchParams([...chosen, ['try', '1']]).toString()}`,
    );
  }
  const job = await imports.start(uuid, mapping, callerOf(visit));
  return new Redirect(`/batches/${job.uuid}`);
}

async function draftForm(resource: AdminResource, visit: AdminVisit, state?: FormState): Promise<View> {
  const { imports } = visit.services.console;
  const draft = await imports.draft(visit.params.uuid ?? '', visit.actor);
  const { request } = visit;
  const mapping = request.form.size > 0 || request.query.has('try') ? mappingOf(visit) : draft.mapping;
  const result = request.query.has('try') && !state ? await imports.dryRun(draft.job.uuid, mapping, visit.actor) : null;
  return new View(
    'console/import-columns',
    {
      ...{ resource, draft, result, errors: state?.errors ?? {}, problem: state?.problem ?? null },
      action: `/${resource.name}/import/${draft.job.uuid}`,
      fields: draft.fields.map((one) => ({
        ...one,
        control: MAP + one.name,
        columns: draft.columns.map((column) => ({ column, isChosen: mapping[one.name] === column })),
      })),
    },
    { title: 'console.import.title', status: state?.status ?? 200 },
  );
}

function mappingOf({ request }: AdminVisit): Record<string, string> {
  const sent = [...(request.form.size > 0 ? request.form : request.query)].filter(([name]) => name.startsWith(MAP));
  const pairs = sent.map(([name, values]): [string, string] => [name.slice(MAP.length), values.at(-1) ?? '']);
  return Object.fromEntries(pairs.filter(([, column]) => column !== ''));
}
