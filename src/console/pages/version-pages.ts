import { definePage, View, type Page } from '../../theme/index.js';
import { ValidationError } from '../../core/index.js';
import { recordPath } from '../console-resource.js';
import { adminCall, pageOf, visitedParams, type AdminVisit, type ConsoleContext } from '../console-visit.js';
import { textAt, type AdminResource, type ApiRecord, type RecordParams } from '../resource.js';
import { downloadOf } from './document-pages.js';
import { patternBelowRecord, readRecord } from './record-page.js';

/** Documents offered for a comparison, the latest; the address takes any other. */
const MOST_OFFERED = 100;

/** The documents of versions and of the history of a product: to read, and any two of them compared. */
export function versionPages(context: ConsoleContext): Page[] {
  if (!context.registry.has('product-versions')) return [];
  const [versions, documents] = [context.registry.find('product-versions'), context.registry.find('product-documents')];
  return [
    downloadPage(context, versions, 'getProductVersionSpec'),
    downloadPage(context, documents, 'downloadProductDocument'),
    definePage({
      ...{ method: 'get', path: patternBelowRecord(documents, 'compare'), audience: 'admins' },
      needs: ['getProductDocument', 'compareProductDocuments', 'listProductDocuments'],
      handle: (visit) => showComparison(context, documents, visit),
    }),
  ];
}

function downloadPage(context: ConsoleContext, resource: AdminResource, operation: string): Page {
  return definePage({
    ...{
      method: 'get',
      path: patternBelowRecord(resource, 'document/download'),
      audience: 'admins',
      needs: [operation],
    },
    handle: async (visit: AdminVisit) =>
      downloadOf(await context.operations.run(operation, adminCall(visit, { params: visitedParams(resource, visit) }))),
  });
}

/** From the document `with` to this one; from the one before it where none is named. */
async function showComparison(context: ConsoleContext, documents: AdminResource, visit: AdminVisit): Promise<View> {
  const { operations } = context;
  const { record } = await readRecord(context, documents, visit);
  const params = visitedParams(documents, visit);
  const query = { per_page: String(MOST_OFFERED), order_by: 'created_at', direction: 'DESC' };
  const listed = await operations.run(
    'listProductDocuments',
    adminCall(visit, { params: { id: params.id ?? '' }, query }),
  );
  const others = pageOf(listed).items.filter(({ id }) => id !== record.id);
  const asked = visit.request.query.get('with')?.at(-1);
  const before = others.find(({ hash }) => hash === record.previous_hash);
  const other = asked ?? (before === undefined ? undefined : textAt(before, 'id'));
  const diff =
    other === undefined
      ? null
      : await compare(context, visit, { ...params, document: other, other: textAt(record, 'id') });
  return new View(
    'console/compare',
    {
      ...{ record, diff, path: recordPath(documents, params), isCompared: other !== undefined },
      draft: other === undefined ? null : await findDraft(context, visit, params),
      title: textAt(record, 'product.name'),
      others: others.map((one) => ({ ...one, isChosen: textAt(one, 'id') === other })),
    },
    { title: 'console.compare.title' },
  );
}

/** Path and title of the entry of the changelog that was drafted from a document; null without one. */
async function findDraft(context: ConsoleContext, visit: AdminVisit, { id = '', document = '' }: RecordParams) {
  if (!(await context.operations.may('listProductChanges', visit.actor))) return null;
  const query = { per_page: '1', filters: JSON.stringify({ document_id: Number(document), status: 'draft' }) };
  const listed = await context.operations.run('listProductChanges', adminCall(visit, { params: { id }, query }));
  const [entry] = pageOf(listed).items;
  if (!entry) return null;
  const path = recordPath(context.registry.find('changes'), { id, change: textAt(entry, 'id') });
  return { path, name: textAt(entry, 'name') };
}

/** null for documents that no rules compare. */
async function compare(context: ConsoleContext, visit: AdminVisit, params: Readonly<Record<string, string | number>>) {
  try {
    const { data } = await context.operations.run('compareProductDocuments', adminCall(visit, { params }));
    return data as ApiRecord;
  } catch (error) {
    if (error instanceof ValidationError) return null;
    throw error;
  }
}
