import { pathToFileURL } from 'node:url';
import { packageFolder } from '../../../../core/manifest.js';
import type { IndexedOperation } from '../operation.js';
import type { IndexedScheme } from '../security.js';
import {
  code,
  heading,
  line,
  listBlock,
  prose,
  speaker,
  type Block,
  type Inline,
  type Say,
  type ReferenceMessages,
} from './blocks.js';
import {
  listOperations,
  methodName,
  operationBlocks,
  serverLines,
  type DocumentFacts,
  type ListedOperation,
  marksOf,
  type WrittenMark,
} from './operation-blocks.js';
import { schemaId, schemaName, SchemaWriter } from './schema-blocks.js';
import { describePlace } from './style-text.js';
import { writeHtml } from './write-html.js';
import { writeMarkdown } from './write-markdown.js';

/** Schemas that a page names because it has no room for them. */
const MOST_NAMED = 30;

/** What is to be written of a document. */
export interface WrittenOrder {
  readonly form: 'markdown' | 'html';
  readonly messages: ReferenceMessages;
  /** Address below which each operation has a page of its own. */
  readonly operationsPath: string;
  /** Whether the page begins with what the document says of itself. */
  readonly withIntro: boolean;
  /** Whether calls need no key, whatever the document says. */
  readonly isKeyless: boolean;
  /** Characters of a page beyond which schemas are only named, in Markdown alone. */
  readonly most?: number;
  /** Address below which each schema is as Markdown. */
  readonly schemasPath: string;
  /** The page is about its first schema. */
  readonly isSchema?: true;
  /** What the portal knows of operations, by anchor. */
  readonly marks?: Readonly<Record<string, readonly WrittenMark[]>>;
}

/** The pieces of a document, as JSON, that a page is written from. */
export interface WrittenPieces {
  readonly index: DocumentFacts;
  /** Number and operation; null for one too large to be indexed. */
  readonly operations: readonly (readonly [number, IndexedOperation | null])[];
  /** JSON pointer and schema. */
  readonly schemas: readonly (readonly [string, unknown])[];
}

/**
 * Writes operations, or without any the outline of the whole document, as Markdown or HTML. Runs in a worker.
 * @param json of {@link WrittenPieces}
 */
export async function writeReference(json: string, order: WrittenOrder): Promise<string> {
  const { index, operations, schemas } = JSON.parse(json) as WrittenPieces;
  const say = speaker(order.messages);
  const known = new Map(schemas);
  const listed = listOperations(index);
  const sample = await openSamples({ ...index, beginsWithoutKey: order.isKeyless }, known);
  const write = (shown: ReadonlyMap<string, unknown>): WrittenParts => {
    const writer = new SchemaWriter(shown, say, addressesOf(known, shown, order));
    const parts = { index, listed, operations, sample };
    return { own: ownBlocks(parts, order, writer, say), sections: schemaSections(shown, writer) };
  };
  const whole = write(known);
  const shown = order.most === undefined ? known : selectFittingSchemas(whole, known, { ...order, most: order.most });
  const { own, sections } = shown.size === known.size ? whole : write(shown);
  const blocks = [
    ...own,
    ...(sections.length > 0 && !order.isSchema ? [heading(2, say('schemas'))] : []),
    ...sections.flat(),
    ...writeFurtherBlocks(addressesOf(known, shown, order), say),
  ];
  return order.form === 'markdown' ? writeMarkdown(blocks) : writeHtml(blocks);
}

/** What a page begins with, and the section of each schema. */
interface WrittenParts {
  readonly own: readonly Block[];
  readonly sections: readonly (readonly Block[])[];
}

interface OwnParts extends Pick<WrittenPieces, 'index' | 'operations'> {
  readonly listed: readonly ListedOperation[];
  readonly sample: SampleWriter;
}

function ownBlocks(
  { index, listed, operations, sample }: OwnParts,
  order: WrittenOrder,
  writer: SchemaWriter,
  say: Say,
): Block[] {
  const blocks = order.withIntro ? introBlocks(index, say) : [];
  if (operations.length === 0 && !order.isSchema) blocks.push(...outlineBlocks(listed, order, say));
  for (const [number, declared] of operations) {
    const entry = listed[number];
    if (!entry) continue;
    if (declared === null) {
      blocks.push(heading(2, entry.summary || entry.path), line(say('too-large')));
      continue;
    }
    const marks = marksOf(order.marks ?? {}, entry.anchor);
    const ways = declared.security ?? index.security;
    const operation = order.isKeyless
      ? { ...declared, security: [[], ...ways.filter((way) => way.length > 0)] }
      : declared;
    blocks.push(
      ...operationBlocks({ entry, operation, facts: index, sample: sample(entry, operation), marks }, writer, say),
    );
  }
  return blocks;
}

/** The nearest schemas for which a page has room; the one that it is about has it always. */
function selectFittingSchemas(
  { own, sections }: WrittenParts,
  known: ReadonlyMap<string, unknown>,
  { most, isSchema }: WrittenOrder & { readonly most: number },
): ReadonlyMap<string, unknown> {
  let length = writeMarkdown(own).length;
  const shown = [...known].filter((_schema, place) => {
    const size = writeMarkdown(sections[place] ?? []).length;
    const isShown = length + size <= most || (isSchema === true && place === 0);
    if (isShown) length += size;
    return isShown;
  });
  return new Map(shown);
}

/** Where the schemas are that a page has no room for. */
function addressesOf(
  known: ReadonlyMap<string, unknown>,
  shown: ReadonlyMap<string, unknown>,
  { schemasPath }: Pick<WrittenOrder, 'schemasPath'>,
): ReadonlyMap<string, string> {
  const others = [...known.keys()].filter((pointer) => !shown.has(pointer));
  return new Map(others.map((pointer) => [pointer, `${schemasPath}${encodeURIComponent(schemaName(pointer))}.md`]));
}

function writeFurtherBlocks(addresses: ReadonlyMap<string, string>, say: Say): Block[] {
  if (addresses.size === 0) return [];
  const named = [...addresses].slice(0, MOST_NAMED);
  const links = named.flatMap(([pointer, to], place): Inline[] => [
    place === 0 ? '' : ', ',
    { text: schemaName(pointer), to },
  ]);
  const rest = addresses.size - named.length;
  return [line(`${say('further-schemas')}: `, ...links, rest > 0 ? ` … +${rest}` : '')];
}

function introBlocks(index: DocumentFacts, say: Say): Block[] {
  const described = index.tags.filter(({ description }) => description !== '');
  return [
    heading(1, index.title || say('untitled')),
    line(`${say('format')}: ${index.format} · ${say('version')}: ${index.version}`),
    ...serverLines(index.servers, say),
    ...listBlock(
      index.schemes.map((scheme) => ({ head: schemeParts(scheme, say), inside: prose(scheme.description) })),
    ),
    ...prose(index.description),
    ...described.flatMap(({ name, description }) => [heading(2, name), ...prose(description)]),
  ];
}

function schemeParts({ name, type, in: place, param, scheme, flows }: IndexedScheme, say: Say): Inline[] {
  const how = type === 'apiKey' ? `${describePlace(place, say)} ${param}` : type === 'http' ? `http ${scheme}` : type;
  const addresses = flows.flatMap(({ flow, authorizationUrl, tokenUrl, scopes }): Inline[] => [
    ` · ${flow} `,
    ...[authorizationUrl, tokenUrl].filter((url) => url !== '').flatMap((url): Inline[] => [code(url), ' ']),
    scopes.map((scope) => scope.name).join(', '),
  ]);
  return [`${say('access')}: `, code(name), ` · ${how}`, ...addresses];
}

function outlineBlocks(
  listed: readonly ListedOperation[],
  { operationsPath, form, marks = {} }: WrittenOrder,
  say: Say,
): Block[] {
  const groups = new Map<string, ListedOperation[]>();
  for (const entry of listed) {
    const group = groups.get(entry.tag);
    if (group) group.push(entry);
    else groups.set(entry.tag, [entry]);
  }
  const end = form === 'markdown' ? '.md' : '';
  return [...groups].flatMap(([tag, members]) => [
    heading(2, tag || say('operations')),
    ...listBlock(
      members.map((entry) => ({
        head: [
          { text: `${methodName(entry, say)} ${entry.path}`, to: `${operationsPath}${entry.anchor}${end}` },
          entry.summary === '' ? '' : ` ${entry.summary}`,
          entry.isDeprecated ? ` · ${say('deprecated')}` : '',
          ...marksOf(marks, entry.anchor).map(({ text }) => ` · ${text}`),
        ],
        inside: [],
      })),
    ),
  ]);
}

function schemaSections(schemas: ReadonlyMap<string, unknown>, writer: SchemaWriter): Block[][] {
  return [...schemas].map(([pointer, schema]): Block[] => [
    heading(3, schemaName(pointer), schemaId(pointer)),
    line(...writer.typeOf(schema)),
    ...writer.describe(schema),
  ]);
}

/** The modules of the reference's script that make requests and samples: the browser and this page show the same one. */
interface RequestModule {
  isCallable(entry: object, index: object): boolean;
  firstValues(operation: object, index: object, store: object, isReachable: () => boolean): object;
  requestOf(parts: object): object;
}

interface SamplesModule {
  readonly SAMPLES: { readonly curl: (request: object, store: object) => string };
}

const ASSETS = 'templates/theme/assets';

/** Writes the request of an operation as a curl command, with names in place of secrets. */
type SampleWriter = (entry: ListedOperation, operation: IndexedOperation) => string | null;

/** @param schemas those that the operations refer to, by JSON pointer */
async function openSamples(
  facts: DocumentFacts & { readonly beginsWithoutKey: boolean },
  schemas: ReadonlyMap<string, unknown>,
): Promise<SampleWriter> {
  const load = (file: string) => import(pathToFileURL(`${packageFolder()}/${ASSETS}/${file}`).href) as Promise<unknown>;
  const { firstValues, isCallable, requestOf } = (await load('reference-request.js')) as RequestModule;
  const { SAMPLES } = (await load('reference-samples.js')) as SamplesModule;
  const store = { schemas, takesSiblings: !/Swagger|OpenAPI 3\.0/.test(facts.format) };
  return (entry, operation) => {
    if (!isCallable(entry, facts)) return null;
    const values = firstValues(operation, facts, store, () => false);
    return SAMPLES.curl(requestOf({ entry, operation, index: facts, values, secrets: null, store }), store);
  };
}
