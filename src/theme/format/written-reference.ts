import {
  marksOf,
  type DocumentIndex,
  type DocumentIndexes,
  type OutlineOperation,
  type WrittenOrder,
  type WrittenPage,
} from '../../domain/catalog/index.js';
import { isHeld, type PageRequest } from '../../http/index.js';
import { NotFoundError } from '../../core/index.js';
import { Download } from '../page.js';
import type { OperationMarks } from './operation-marks.js';

/** Operations of its tag that the page of one leads to. */
const MOST_BESIDE = 100;
/** Characters of a page in Markdown: further schemas are only named, each with a page of its own. */
const MOST_MARKDOWN = 4_000;
/** Operations on one page for printing. */
const PRINTED = 100;

type SectionMessages = Readonly<Record<string, string>>;

/** A document with the addresses of its pages. */
export interface WrittenDocument {
  readonly indexes: Pick<DocumentIndexes, 'write' | 'writeSchema'>;
  readonly index: DocumentIndex;
  /** `/portal/products/weather/spec` */
  readonly path: string;
  readonly messages: SectionMessages;
  /** Whether calls need no key, whatever the document says. */
  readonly isKeyless: boolean;
  /** What is said of operations beside their addresses. */
  readonly marks?: OperationMarks;
}

/** Where one of its operations stands. */
export interface FoundOperation {
  readonly number: number;
  readonly operation: OutlineOperation;
  readonly isMarkdown: boolean;
}

export const operationsPath = (path: string): string => `${path}/operations/`;

/**
 * The operation that the last segment of an address names: its anchor, with `.md` for its Markdown.
 * @throws NotFoundError
 */
export function findOperation({ index }: WrittenDocument, name: string, request: PageRequest): FoundOperation {
  const isFile = name.endsWith('.md');
  const number = index.numberOf(isFile ? name.slice(0, -3) : name);
  const operation = number === undefined ? undefined : index.outline.operations[number];
  if (number === undefined || !operation) throw new NotFoundError();
  return { number, operation, isMarkdown: isFile || prefersMarkdown(request) };
}

/** Whether a client asks for Markdown rather than for a page. */
export function prefersMarkdown({ headers }: Pick<PageRequest, 'headers'>): boolean {
  const wishes = String(headers.accept ?? '')
    .toLowerCase()
    .split(',')
    .map((wish) => {
      const [type = '', ...settings] = wish.split(';').map((part) => part.trim());
      const quality = Number(settings.find((part) => part.startsWith('q='))?.slice(2) ?? 1);
      return { type, quality };
    });
  const weigh = (type: string) => wishes.find((wish) => wish.type === type)?.quality ?? 0;
  return weigh('text/markdown') > weigh('text/html');
}

/**
 * Operations as Markdown, or the outline of the whole document without any; not sent to clients that have it already.
 * @throws NotFoundError for one that takes too long to be written
 */
export async function markdownOf(
  document: WrittenDocument,
  numbers: readonly number[],
  request: PageRequest,
): Promise<Download> {
  return fileOf(writeOf(document, numbers, 'markdown'), request);
}

/**
 * A schema as Markdown, named by the last segment of an address.
 * @throws NotFoundError
 */
export async function schemaMarkdownOf(
  document: WrittenDocument,
  name: string,
  request: PageRequest,
): Promise<Download> {
  const { indexes, index } = document;
  const number = index.schemaNamed(name.endsWith('.md') ? name.slice(0, -3) : name);
  if (number === undefined) throw new NotFoundError();
  return fileOf(indexes.writeSchema(index, number, orderOf(document, 'markdown', false)), request);
}

async function fileOf(page: WrittenPage, request: PageRequest): Promise<Download> {
  const caching = { ETag: `"${page.tag}"`, 'Cache-Control': 'private, no-cache', Vary: 'Accept, Accept-Language' };
  if (isHeld(request.headers['if-none-match'], page.tag)) return new Download('', caching, 304);
  const body = await page.read();
  if (body.length === 0) throw new NotFoundError();
  return new Download(body, { ...caching, 'Content-Type': 'text/markdown; charset=utf-8' });
}

function writeOf(document: WrittenDocument, numbers: readonly number[], form: 'markdown' | 'html'): WrittenPage {
  const { indexes, index } = document;
  const order = orderOf(document, form, form === 'markdown' && numbers.length === 0);
  const anchors = numbers.map((number) => index.outline.operations[number]?.anchor ?? '');
  const all = document.marks ?? {};
  const marks =
    numbers.length === 0 ? all : Object.fromEntries(anchors.map((anchor) => [anchor, marksOf(all, anchor)]));
  return indexes.write(index, numbers, { ...order, ...(document.marks && { marks }) });
}

function orderOf(
  { path, messages, isKeyless }: WrittenDocument,
  form: 'markdown' | 'html',
  withIntro: boolean,
): WrittenOrder {
  const paths = { operationsPath: operationsPath(path), schemasPath: `${path}/schemas/` };
  return { form, messages, withIntro, isKeyless, ...paths, ...(form === 'markdown' && { most: MOST_MARKDOWN }) };
}

/** Values of the page of one operation: `partials/written.hbs` shows them. */
export async function operationValues(document: WrittenDocument, { number, operation }: FoundOperation) {
  const { path, index } = document;
  const { operations } = index.outline;
  const base = operationsPath(path);
  const linkTo = (other: OutlineOperation | undefined) =>
    other ? { address: base + other.anchor, title: operationTitle(other) } : null;
  return {
    article: await htmlOf(document, [number]),
    canonical: base + operation.anchor,
    markdownAddress: `${base}${operation.anchor}.md`,
    reference: `${path}#op-${operation.anchor}`,
    previous: linkTo(operations[number - 1]),
    next: linkTo(operations[number + 1]),
    beside: operations
      .filter(({ tag }) => tag === operation.tag)
      .slice(0, MOST_BESIDE)
      .map((other) => ({ ...linkTo(other), method: other.method, isCurrent: other === operation })),
    sheets: ['reference.css', 'reference-print.css'],
  };
}

export function operationTitle({ summary, path }: Pick<OutlineOperation, 'summary' | 'path'>): string {
  return summary || path;
}

/** Values of the page for printing: everything, or one tag, so many operations at a time. */
export async function printValues(document: WrittenDocument, { query }: Pick<PageRequest, 'query'>) {
  const { operations } = document.index.outline;
  const tag = query.get('tag')?.at(-1) ?? null;
  const numbers = operations.flatMap((operation, number) => (tag === null || operation.tag === tag ? [number] : []));
  if (tag !== null && numbers.length === 0) throw new NotFoundError();
  const pages = Math.max(1, Math.ceil(numbers.length / PRINTED));
  const page = Math.min(Math.max(1, Math.trunc(Number(query.get('page')?.at(-1)) || 1)), pages);
  const address = (other: number) => `?${new URLSearchParams({ ...(tag !== null && { tag }), page: String(other) })}`;
  const tags = [...new Set(operations.map((operation) => operation.tag))];
  const shown = numbers.slice((page - 1) * PRINTED, page * PRINTED);
  return {
    article: shown.length === 0 ? '' : await htmlOf(document, shown),
    canonical: `${document.path}/print`,
    tag,
    outline: document.index.outline,
    tags: tags.length < 2 ? [] : tags.map((name) => ({ name, address: `?${new URLSearchParams({ tag: name })}` })),
    paging: {
      ...{ page, pages, total: numbers.length },
      previous: page > 1 ? address(page - 1) : null,
      next: page < pages ? address(page + 1) : null,
    },
    reference: document.path,
    sheets: ['reference.css', 'reference-print.css'],
  };
}

/** HTML that a template shows as it is: every text of the document in it is escaped. Null when it takes too long. */
async function htmlOf(document: WrittenDocument, numbers: readonly number[]) {
  const html = (await writeOf(document, numbers, 'html').read()).toString();
  return html === '' ? null : { toHTML: () => html };
}
