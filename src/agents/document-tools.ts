import {
  marksOf,
  type DocumentIndex,
  type OutlineOperation,
  type ViewedProduct,
  type WrittenOrder,
} from '../domain/catalog/index.js';
import { NotFoundError } from '../core/index.js';
import { productAddress, type McpSetting } from './reading.js';

/** Characters of the page of an operation or a schema, beyond which further schemas are only named. */
const MOST_WRITTEN = 4_000;

/** A product with its document, as the reader may see it. */
export interface OpenedDocument {
  readonly product: ViewedProduct;
  readonly index: DocumentIndex;
}

/** @throws NotFoundError for a product that is hidden, or has no document that can be shown */
export async function openForTools({ services, viewer, locale }: McpSetting, api: string): Promise<OpenedDocument> {
  const product = await services.catalog.products.find(api, viewer, locale);
  const index = await services.catalog.products.readIndex(product, viewer);
  if (!index) throw new NotFoundError();
  return { product, index };
}

/** How an operation is called and what it answers, as Markdown. @param name its id, or its method and path */
export async function operationText(setting: McpSetting, api: string, name: string): Promise<string> {
  const { product, index } = await openForTools(setting, api);
  const number = index.numberOf(name) ?? numberOfCall(index.outline.operations, name);
  if (number === undefined) throw new NotFoundError();
  const [order, all] = await Promise.all([orderOf(setting, product), setting.marks(product, index)]);
  const anchor = index.outline.operations[number]?.anchor ?? '';
  const marks = { [anchor]: marksOf(all, anchor) };
  return textOf(setting.services.catalog.indexes.write(index, [number], { ...order, marks }));
}

/** What a schema consists of, as Markdown. */
export async function schemaText(setting: McpSetting, api: string, name: string): Promise<string> {
  const { product, index } = await openForTools(setting, api);
  const number = index.schemaNamed(name);
  if (number === undefined) throw new NotFoundError();
  return textOf(setting.services.catalog.indexes.writeSchema(index, number, await orderOf(setting, product)));
}

async function textOf(page: { read(): Promise<Buffer> }): Promise<string> {
  const text = (await page.read()).toString();
  if (text === '') throw new NotFoundError();
  return text;
}

// `GET /things/{id}`, as documents and people name it.
function numberOfCall(operations: readonly OutlineOperation[], name: string): number | undefined {
  const [method = '', path = ''] = name.trim().split(/\s+/);
  const number = operations.findIndex((one) => one.path === path && one.method.toLowerCase() === method.toLowerCase());
  return number < 0 ? undefined : number;
}

async function orderOf(setting: McpSetting, product: ViewedProduct): Promise<WrittenOrder> {
  const { services, viewer, locale, reference } = setting;
  const offers = product.visibility === 'public' ? await services.catalog.offers.list(product.id, viewer, locale) : [];
  const path = `${productAddress(setting.pages, product.address)}/spec`;
  return {
    ...{ form: 'markdown', messages: reference, withIntro: false, most: MOST_WRITTEN },
    isKeyless: offers.some((offer) => offer.isKeyless),
    ...{ operationsPath: `${path}/operations/`, schemasPath: `${path}/schemas/` },
  };
}
