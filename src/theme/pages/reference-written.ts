import { viewerOf, type ProductRecord, type ViewedProduct } from '../../domain/catalog/index.js';
import type { ConsumerActor } from '../../domain/auth/index.js';
import { NotFoundError } from '../../core/index.js';
import {
  findOperation,
  markdownOf,
  operationValues,
  printValues,
  schemaMarkdownOf,
  operationTitle,
  type WrittenDocument,
} from '../format/written-reference.js';
import { readEndings, readOperationMarks } from '../format/operation-marks.js';
import { definePage, Redirect, View, type PageOutcome, type Visit } from '../page.js';

type Guest = Visit<ConsumerActor | null>;

/** The reference without a script: a page for each operation, all of it for printing, and both as Markdown. */
export const writtenPages = [
  definePage({
    method: 'get',
    path: '/products/:slug/spec/operations/:operation',
    audience: 'everyone',
    viewable: true,
    handle: readDocument(async ({ product, document }, visit) => {
      const found = findOperation(document, visit.params.operation ?? '', visit.request);
      if (found.isMarkdown) return markdownOf(document, [found.number], visit.request);
      const heading = `${operationTitle(found.operation)} · ${product.name}`;
      const values = { product, title: operationTitle(found.operation), ...(await operationValues(document, found)) };
      return new View('products/operation', values, { heading, headers: { Vary: 'Accept' } });
    }),
  }),
  definePage({
    method: 'get',
    path: '/products/:slug/spec/schemas/:schema',
    audience: 'everyone',
    viewable: true,
    forAgents: true,
    handle: async (visit: Guest) =>
      schemaMarkdownOf((await openReference(visit)).document, visit.params.schema ?? '', visit.request),
  }),
  definePage({
    method: 'get',
    path: '/products/:slug/spec.md',
    audience: 'everyone',
    viewable: true,
    handle: readDocument(async ({ document }, visit) => markdownOf(document, [], visit.request)),
  }),
  definePage({
    method: 'get',
    path: '/products/:slug/spec/print',
    audience: 'everyone',
    viewable: true,
    handle: readDocument(async ({ product, document }, visit) => {
      const values = { product, ...(await printValues(document, visit.request)) };
      return new View('products/print', values, { heading: product.name });
    }),
  }),
];

/** Whether a plan of the product lets calls pass without a key. */
export async function needsNoKey({ services, actor, locale }: Guest, product: ProductRecord): Promise<boolean> {
  if (product.visibility !== 'public') return false;
  const offers = await services.catalog.offers.list(product.id, viewerOf(actor), locale);
  return offers.some((offer) => offer.isKeyless);
}

interface Opened {
  readonly product: ViewedProduct;
  readonly document: WrittenDocument;
}

/** A page of a document; of a version that is retired it leads to the notice. */
function readDocument(show: (opened: Opened, visit: Guest) => Promise<PageOutcome>) {
  return async (visit: Guest): Promise<PageOutcome> => {
    const opened = await openReference(visit);
    const { address, version } = opened.product;
    return version?.state === 'retired' ? new Redirect(`/products/${address}/spec`) : show(opened, visit);
  };
}

/** @throws NotFoundError for a product that is hidden or has no document that can be shown */
export async function openReference(visit: Guest): Promise<Opened> {
  const { services, actor, locale, params, prefix } = visit;
  const { products, indexes } = services.catalog;
  const viewer = viewerOf(actor);
  const product = await products.find(params.slug ?? '', viewer, locale);
  const index = await products.readIndex(product, viewer);
  if (!index) throw new NotFoundError();
  const messages = { ...(await visit.words('reference')), ...(await visit.words('written')) };
  const isKeyless = await needsNoKey(visit, product);
  const marks = await readOperationMarks(visit, product, index, await readEndings(visit, product));
  return {
    product,
    document: { indexes, index, messages, isKeyless, marks, path: `${prefix}/products/${product.address}/spec` },
  };
}
