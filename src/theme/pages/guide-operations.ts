import type { ConsumerActor } from '../../domain/auth/index.js';
import { viewerOf, type ProductRecord } from '../../domain/catalog/index.js';
import type { EmbeddedOperation, Guide } from '../../domain/content/index.js';
import { escapeMarkup, PortalError } from '../../core/index.js';
import { operationsPath, operationTitle } from '../format/written-reference.js';
import type { Visit } from '../page.js';
import { needsNoKey } from './reference-written.js';

type Guest = Visit<ConsumerActor | null>;

/** Operations that one guide shows; further ones are left out. */
const MOST_SHOWN = 20;

/** The operations of a guide as cards, in their order; an empty text for one that the reader does not see. */
export async function operationCards(
  visit: Guest,
  guide: Guide,
  embedded: readonly EmbeddedOperation[],
): Promise<string[]> {
  const messages = await visit.words('guides');
  const cards: string[] = [];
  for (const { product: named, operation } of embedded.slice(0, MOST_SHOWN)) {
    const product = await visit.services.content.texts.productOf(guide, named, viewerOf(visit.actor), visit.locale);
    cards.push(product ? await cardOf(visit, product, operation, messages) : '');
  }
  return cards;
}

/** Writes the operations of a guide for its Markdown. */
export function operationsAsMarkdown(visit: Guest) {
  return async (product: ProductRecord, operation: string): Promise<string | null> => {
    const found = await openOperation(visit, product, operation);
    return found && (await found.write('markdown')).trim();
  };
}

async function cardOf(
  visit: Guest,
  product: ProductRecord,
  operation: string,
  messages: Readonly<Record<string, string>>,
): Promise<string> {
  const found = await openOperation(visit, product, operation);
  if (!found) return '';
  const { method, path } = found.operation;
  const article = await found.write('html');
  const title = escapeMarkup(operationTitle(found.operation));
  const more =
    article === ''
      ? ''
      : `<details><summary>${escapeMarkup(messages['operation-more'] ?? '')}</summary><div class="written-text">${article}</div></details>`;
  return (
    `<section class="guide-operation card" aria-label="${title}"><div class="guide-operation-head">` +
    `<p class="guide-operation-call" dir="ltr"><span class="method method-${escapeMarkup(method)}">${escapeMarkup(method)}</span> <code class="break">${escapeMarkup(path)}</code></p>` +
    `<p><strong><bdi>${title}</bdi></strong> <span class="soft"><bdi>${escapeMarkup(product.name)}</bdi></span></p>` +
    `<a class="button button-small" href="${escapeMarkup(found.address)}">${escapeMarkup(messages['operation-open'] ?? '')}</a>` +
    `</div>${more}</section>`
  );
}

/** Null for an operation that is not in the document, or whose document cannot be shown now. */
async function openOperation(visit: Guest, product: ProductRecord, anchor: string) {
  const { services, actor, prefix } = visit;
  const index = await indexOf(visit, product);
  const number = index?.numberOf(anchor);
  const operation = number === undefined ? undefined : index?.outline.operations[number];
  if (!index || number === undefined || !operation) return null;
  const path = `${prefix}/products/${encodeURIComponent(product.slug)}/spec`;
  const messages = { ...(await visit.words('reference')), ...(await visit.words('written')) };
  const isKeyless = await needsNoKey({ ...visit, actor }, product);
  const paths = { operationsPath: operationsPath(path), schemasPath: `${path}/schemas/` };
  const order = { messages, withIntro: false, isKeyless, ...paths };
  return {
    operation,
    address: `${path}#op-${operation.anchor}`,
    write: async (form: 'html' | 'markdown') =>
      (await services.catalog.indexes.write(index, [number], { ...order, form }).read()).toString(),
  };
}

// A guide is not worth failing for.
async function indexOf({ services, actor }: Guest, product: ProductRecord) {
  if (product.specHash === null) return null;
  try {
    return await services.catalog.products.readIndex(product, viewerOf(actor));
  } catch (error) {
    if (error instanceof PortalError && (error.status === 404 || error.status === 503)) return null;
    throw error;
  }
}
