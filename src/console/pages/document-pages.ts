import { definePage, Download, View, type Page } from '../../theme/index.js';
import { recordPath } from '../console-resource.js';
import { adminCall, visitedParams, type AdminVisit, type ConsoleContext } from '../console-visit.js';
import { textAt, valueAt, type AdminResource, type ApiRecord } from '../resource.js';
import { patternBelowRecord, readRecord } from './record-page.js';

/** The document of a product to read, and the product as others will see it. */
export function productDocumentPages(context: ConsoleContext): Page[] {
  if (!context.registry.has('products')) return [];
  const products = context.registry.find('products');
  const path = (name: string) => patternBelowRecord(products, name);
  return [
    definePage({
      ...{ method: 'get', path: path('document/download'), audience: 'admins', needs: ['getProductSpec'] },
      handle: async (visit) => {
        const call = adminCall(visit, { params: visitedParams(products, visit) });
        return downloadOf(await context.operations.run('getProductSpec', call));
      },
    }),
    definePage({
      ...{ method: 'get', path: path('workflows/download'), audience: 'admins', needs: ['getProductWorkflows'] },
      handle: async (visit) => {
        const call = adminCall(visit, { params: visitedParams(products, visit) });
        return downloadOf(await context.operations.run('getProductWorkflows', call));
      },
    }),
    definePage({
      ...{ method: 'get', path: path('preview'), audience: 'admins', needs: ['getProduct'] },
      handle: (visit) => showPreview(context, products, visit),
    }),
  ];
}

/** The document that an operation answered with, as a file. */
export function downloadOf({ document }: { readonly document?: Pick<Download, 'body' | 'headers'> }): Download {
  if (!document) throw new Error('the operation answered without a document');
  return new Download(document.body, document.headers);
}

/** As whom the product is previewed: a visitor, a signed-in developer, a member of `audience:<name>`, or an author of the draft. */
const VISITOR = 'visitor';
const DEVELOPER = 'developer';
const DRAFT = 'draft';
const AUDIENCE = 'audience:';

async function showPreview(context: ConsoleContext, products: AdminResource, visit: AdminVisit): Promise<View> {
  const { record } = await readRecord(context, products, visit);
  const readQuery = (name: string) => visit.request.query.get(name)?.at(-1);
  const audiences = (record.audiences ?? []) as readonly ApiRecord[];
  const viewers = [VISITOR, DEVELOPER, ...audiences.map((one) => AUDIENCE + textAt(one, 'name')), DRAFT];
  const as = viewers.find((one) => one === readQuery('as')) ?? VISITOR;
  const language = context.translated.find((locale) => locale === readQuery('lang')) ?? null;
  return new View(
    'console/preview',
    {
      ...{ record, as, language, path: recordPath(products, visitedParams(products, visit)) },
      title: textAt(record, 'name'),
      viewers: viewers.map((viewer) => ({
        ...{ viewer, isChosen: viewer === as },
        audience: viewer.startsWith(AUDIENCE) ? viewer.slice(AUDIENCE.length) : null,
      })),
      languages: context.translated.map((locale) => ({ locale, isChosen: locale === language })),
      isVisible: isVisibleTo(record, as),
      shown: translateRecord(record, language),
    },
    { title: 'console.preview.title' },
  );
}

/** A product is its audiences' or everybody's; a draft is nobody's. */
function isVisibleTo({ visibility }: ApiRecord, viewer: string): boolean {
  if (viewer === DRAFT) return true;
  return visibility === 'public' || (visibility === 'private' && viewer.startsWith(AUDIENCE));
}

function translateRecord(record: ApiRecord, language: string | null) {
  const text = (name: string) =>
    (language === null ? '' : textAt(valueAt(record, `translations.${language}`), name)) || textAt(record, name);
  return { name: text('name'), short_description: text('short_description'), description: text('description') };
}
