import { csvLine } from '../../core/index.js';
import { csvHeaders } from '../../http/index.js';
import { definePage, Download, type Page } from '../../theme/index.js';
import { adminCall, pageOf, requireOperation, type AdminVisit, type ConsoleContext } from '../console-visit.js';
import { filterControls, listParameters, operationQuery } from '../list-query.js';
import { valueAt, type AdminResource, type ApiRecord } from '../resource.js';
import { downloadOf } from './document-pages.js';

/** Rows that are read at once. */
const BATCH = '100';

/** A list as a file with the same rows, in the same order. */
export function exportPage(context: ConsoleContext, resource: AdminResource): Page[] {
  const { list, download } = resource.operations;
  if (list === undefined) return [];
  const guard = { method: 'get', path: `/${resource.name}/export`, audience: 'admins' } as const;
  if (download === undefined)
    return [definePage({ ...guard, needs: [list], handle: (visit) => exportList(context, resource, visit) })];
  const handle = async (visit: AdminVisit) => {
    const { cursor, page, per_page, ...query } = readChosenQuery(context, resource, visit);
    return downloadOf(await context.operations.run(download, adminCall(visit, { query })));
  };
  return [definePage({ ...guard, needs: [download], handle })];
}

function readChosenQuery(context: ConsoleContext, resource: AdminResource, visit: AdminVisit): Record<string, unknown> {
  const route = context.operations.route(requireOperation(resource.operations.list));
  const controls = route.list ? filterControls(route.list, route.reply[200], resource) : [];
  return operationQuery(listParameters(visit.request), controls, resource);
}

async function exportList(context: ConsoleContext, resource: AdminResource, visit: AdminVisit): Promise<Download> {
  const query = { ...readChosenQuery(context, resource, visit), page: undefined, cursor: undefined, per_page: BATCH };
  const list = requireOperation(resource.operations.list);
  const read = async (cursor: string | undefined) => {
    const page = pageOf(await context.operations.run(list, adminCall(visit, { query: { ...query, cursor } })));
    return { items: page.items, next: page.nextCursor };
  };
  // A wrong filter is reported on a page, not in the middle of a file.
  const first = await read(undefined);
  const fields = resource.columns.map(({ field }) => field);
  const day = visit.services.clock.now().toISOString().slice(0, 10);
  return new Download(linesOf(fields, first, read), csvHeaders(`${resource.name}-${day}`));
}

interface Batch {
  readonly items: readonly ApiRecord[];
  readonly next: string | null;
}

async function* linesOf(
  fields: readonly string[],
  first: Batch,
  read: (cursor: string) => Promise<Batch>,
): AsyncGenerator<string> {
  yield csvLine(fields);
  let batch = first;
  for (;;) {
    yield batch.items.map((record) => csvLine(fields.map((field) => plainOf(valueAt(record, field))))).join('');
    if (batch.next === null) return;
    batch = await read(batch.next);
  }
}

/** Records by the names that people know: their audiences, categories, roles. */
function plainOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainOf).join(', ');
  if (value === null || typeof value !== 'object' || value instanceof Date) return value;
  const { name, slug } = value as ApiRecord;
  return name ?? slug ?? value;
}
