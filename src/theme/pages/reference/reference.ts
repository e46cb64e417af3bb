import {
  viewerOf,
  type OutlineOperation,
  type ProductRecord,
  type SpecOutline,
} from '../../../domain/catalog/index.js';
import type { ConsumerActor } from '../../../domain/auth/index.js';
import { maskedKey } from '../../../domain/apps/index.js';
import { definePage, View, type PageOutcome, type Visit } from '../../page.js';
import { downloadDocument, type Format } from './document.js';

type Guest = Visit<ConsumerActor | null>;

/** What the layout adds for a reference. */
const REFERENCE_PARTS = { width: 'wide', sheets: ['reference.css'], scripts: ['reference.js'] };
/** Operations on one page of the list, which is for readers without scripts. */
const PER_PAGE = 200;

/** The reference of a product: a list of its operations, which a script turns into the whole. */
export const referencePages = [
  definePage({ method: 'get', path: '/products/:slug/spec', audience: 'everyone', handle: showReference }),
];

async function showReference(visit: Guest): Promise<PageOutcome> {
  const { services, actor, locale, params, request } = visit;
  const { products, tryItOrigins } = services.catalog;
  const viewer = viewerOf(actor);
  const product = await products.find(params.slug ?? '', viewer, locale);
  const shown = (values: object) => new View('products/spec', { product, ...values }, { heading: product.name });
  if (product.specHash === null) return shown({ state: 'missing' });
  const format = request.query.get('download')?.at(-1);
  if (format === 'json' || format === 'yaml') return downloadDocument(visit, product, format satisfies Format);
  const digest = await products.digest(product, viewer);
  if (!digest) return shown({ state: 'broken' });
  const page = Number(request.query.get('page')?.at(-1)) || 1;
  return new View(
    'products/spec',
    {
      ...{ product, state: 'shown', outline: digest.outline, ...REFERENCE_PARTS },
      list: listOf(digest.outline, page),
      settings: JSON.stringify({
        kind: 'product',
        origins: tryItOrigins,
        isSignedIn: actor !== null,
        keys: await keysOf(visit, product),
      }),
      hash: digest.hash,
    },
    { heading: product.name, description: product.shortDescription, connect: tryItOrigins },
  );
}

async function keysOf({ services, actor }: Guest, { id }: ProductRecord) {
  if (!actor) return [];
  const keys = await services.apps.credentials.usable(actor.id, id);
  return keys.map(({ keyHint, ...key }) => ({ ...key, hint: maskedKey(keyHint) }));
}

/** A part of the operations, by tag, with the numbers of the pages before and after. */
function listOf({ operations }: SpecOutline, asked: number) {
  const pages = Math.max(1, Math.ceil(operations.length / PER_PAGE));
  const page = Math.min(Math.max(1, Math.trunc(asked)), pages);
  const groups = new Map<string, OutlineOperation[]>();
  for (const operation of operations.slice((page - 1) * PER_PAGE, page * PER_PAGE)) {
    const group = groups.get(operation.tag);
    if (group) group.push(operation);
    else groups.set(operation.tag, [operation]);
  }
  return {
    groups: [...groups].map(([name, members]) => ({ name, operations: members })),
    count: operations.length,
    paging: {
      ...{ page, pages, total: operations.length },
      previous: page > 1 ? `?page=${page - 1}` : null,
      next: page < pages ? `?page=${page + 1}` : null,
    },
  };
}
