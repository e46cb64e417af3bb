import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { parse } from 'yaml';
import {
  idOfAnswer,
  namesOf,
  presentOf,
  translationsOf,
  type Attachment,
  type Doc,
  type Kind,
  type Present,
} from './kind.js';
import { PortRefusal, tagOf, type AdminPort } from './port.js';
import { isSamePicture, pictureAddress, pictureOf, isSameField, splitPicture, writePicture } from './simple-kinds.js';
import { FileValue } from './values.js';

const FIELDS = [
  ...[
    'name',
    'short_description',
    'description',
    'visibility',
    'approval',
    'gateway_product_id',
    'agents',
    'document',
    'workflows',
    'thumbnail',
  ],
  ...['tags', 'categories', 'audiences', 'plans', 'default_plan', 'custom_attributes', 'translations'],
];

/** One file per product, with its document and its picture beside it. */
export const productKind: Kind = {
  ...{ name: 'products', key: 'slug', folder: true, fields: FIELDS, operation: 'createProduct' },
  list: async (port) => {
    const shown = await port.all('listProducts', { with: 'audiences,plans,translations' });
    return shown.map((product) => presentOf(productKind, product, shape(product)));
  },
  attachments: async (port, present) => [
    ...(await documentOf(port, present)),
    ...(await workflowsOf(port, present)),
    ...(await pictureOf(port, present)),
  ],
  isSame: async (port, field, wanted, present) => {
    if (field === 'document') return isSameDocument(port, wanted, present, DOCUMENT);
    if (field === 'workflows') return isSameDocument(port, wanted, present, WORKFLOWS);
    if (field === 'thumbnail') return isSamePicture(wanted, present);
    if (field === 'agents') return (wanted ?? true) === present.shown.agents;
    if (field === 'gateway_product_id') return wanted === present.shown.gateway_product_id;
    return isSameField(field, wanted, present);
  },
  prepare: async (port, { document }) => {
    if (!port.readAhead || !(document instanceof FileValue)) return;
    const text = textOf(await document.read());
    texts.set(document, text);
    port.readAhead(text);
  },
  create: async (port, key, doc) => {
    const { document, workflows, visibility = 'draft', ...rest } = doc;
    const { body, picture } = splitPicture(rest);
    // A draft until it is complete: readers see the whole product or nothing, as they would with one transaction.
    const isWhole = port.together !== undefined;
    const spec = isWhole && document instanceof FileValue ? await takeText(document) : undefined;
    const first = {
      slug: key,
      ...body,
      visibility: isWhole ? visibility : 'draft',
      ...(spec !== undefined && { spec }),
    };
    const made = (await port.call('createProduct', { body: first })) as Doc;
    const isSeenLater = !isWhole && visibility !== 'draft';
    const files = { ...(spec === undefined && { document }), workflows, picture };
    const after = { ...files, ...(isSeenLater && { last: { visibility } }) };
    await finish(port, made, after);
    return idOfAnswer(made);
  },
  update: async (port, { id, etag }, { document, workflows, ...changes }) => {
    const { body, picture } = splitPicture(changes);
    const isChanged = Object.keys(body).length > 0;
    const call = { params: { id }, body, ifMatch: etag };
    const tag = isChanged ? tagOf((await port.call('updateProduct', call)) as Doc) : etag;
    await finish(port, { id }, { document, workflows, picture, tag });
  },
  remove: async (port, { id, etag }) => void (await port.call('deleteProduct', { params: { id }, ifMatch: etag })),
  countKeys: (port, { id }) => port.count('listAllCredentials', { filters: JSON.stringify({ product: id }) }),
};

interface Rest {
  readonly document?: unknown;
  readonly workflows?: unknown;
  readonly picture: FileValue | null;
  readonly last?: Doc;
  readonly tag?: string;
}

async function finish(port: AdminPort, record: Doc, { document, workflows, picture, last, tag }: Rest): Promise<void> {
  const id = idOfAnswer(record);
  let ifMatch = tag ?? tagOf(record);
  const give = async (value: unknown, [set, remove]: readonly [string, string]) => {
    if (value !== null && !(value instanceof FileValue)) return;
    const file = value === null ? undefined : await value.read();
    const call = { params: { id }, ifMatch, ...(file && { file }) };
    ifMatch = tagOf((await port.call(file ? set : remove, call)) as Doc);
  };
  await give(document, ['setProductSpec', 'deleteProductSpec']);
  // After the document, whose operations they call.
  await give(workflows, ['setProductWorkflows', 'deleteProductWorkflows']);
  if (picture) ifMatch = tagOf((await writePicture(port, 'setProductThumbnail', id, picture, ifMatch)) as Doc);
  if (last) await port.call('updateProduct', { params: { id }, body: last, ifMatch });
}

function shape(product: Doc): Doc {
  const { name, short_description, description, visibility, approval, gateway_product_id: atGateway, slug } = product;
  return {
    ...{ name, short_description, description, visibility, approval },
    gateway_product_id: atGateway === slug ? null : atGateway,
    agents: product.agents === false ? false : null,
    ...{ document: null, workflows: null },
    ...{ thumbnail: pictureAddress(product), tags: [...((product.tags ?? []) as string[])].sort() },
    categories: namesOf(product.categories, 'slug'),
    audiences: namesOf(product.audiences, 'name'),
    plans: namesOf(product.plans, 'slug'),
    default_plan: product.default_plan,
    custom_attributes: product.custom_attributes,
    translations: translationsOf(product.translations),
  };
}

async function documentOf(port: AdminPort, { id, shown }: Present): Promise<Attachment[]> {
  if (shown.has_spec !== true) return [];
  const { bytes } = await port.read('getProductSpec', { id });
  if (bytes === null) return [];
  const parsed = readJson(bytes);
  if (parsed === undefined) return [{ field: 'document', extension: '.graphql', bytes }];
  const extension = (parsed as Doc).asyncapi === undefined ? '.openapi.json' : '.asyncapi.json';
  return [{ field: 'document', extension, bytes: Buffer.from(`${JSON.stringify(parsed, null, 2)}\n`) }];
}

async function workflowsOf(port: AdminPort, { id, shown }: Present): Promise<Attachment[]> {
  if (!WORKFLOWS.isThere(shown)) return [];
  const { bytes } = await port.read(WORKFLOWS.read, { id });
  const text = `${JSON.stringify(bytes && readJson(bytes), null, 2)}\n`;
  return bytes === null ? [] : [{ field: 'workflows', extension: '.arazzo.json', bytes: Buffer.from(text) }];
}

interface Beside {
  readonly read: string;
  readonly isThere: (shown: Doc) => boolean;
}

const DOCUMENT: Beside = { read: 'getProductSpec', isThere: ({ has_spec: has }) => has === true };
const WORKFLOWS: Beside = {
  read: 'getProductWorkflows',
  // A portal of before has none to tell of.
  isThere: ({ workflows_url: url }) => typeof url === 'string',
};

async function isSameDocument(
  port: AdminPort,
  wanted: unknown,
  { id, shown }: Present,
  { read, isThere }: Beside,
): Promise<boolean> {
  if (!(wanted instanceof FileValue)) return !isThere(shown);
  if (!isThere(shown)) return false;
  const bytes = await wanted.read();
  const parsed = readJson(bytes) ?? readYaml(bytes);
  // The portal keeps documents as JSON without spaces, and knows them by the hash of that.
  const hash = createHash('sha256')
    .update(parsed === undefined ? bytes : JSON.stringify(parsed))
    .digest('hex');
  const present = await port.read(read, { id }, hash);
  if (present.tag === hash || present.bytes === null) return true;
  const held = readJson(present.bytes);
  return held === undefined ? present.bytes.equals(bytes) : isDeepStrictEqual(held, parsed);
}

/** Of documents whose turn comes soon. */
const texts = new WeakMap<FileValue, string>();

async function takeText(document: FileValue): Promise<string> {
  const text = texts.get(document) ?? textOf(await document.read());
  texts.delete(document);
  return text;
}

function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new PortRefusal(422, 'The document is not UTF-8 text.', { cause });
  }
}

function readJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}

function readYaml(bytes: Buffer): unknown {
  try {
    const value: unknown = parse(bytes.toString('utf8'), { maxAliasCount: 1000 });
    return typeof value === 'object' ? value : undefined;
  } catch {
    return undefined;
  }
}
