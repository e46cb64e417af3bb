import type { AdminActor, ConsumerActor } from '../domain/auth/index.js';
import type { DocumentIndex, DocumentIndexes } from '../domain/catalog/index.js';
import { isHeld, MethodNotAllowedError, PageResponse, type PageRequest, type PageSurface } from '../http/index.js';
import { NotFoundError, UnauthenticatedError, type Logger, type RequestInfo } from '../core/index.js';
import { LOCALE_COOKIE } from './cookies.js';
import { failureOf } from './failure.js';
import { writePlainFailure } from './layout/page-headers.js';
import { serveIndex } from './format/reference-data.js';
import {
  findOperation,
  markdownOf,
  operationValues,
  prefersMarkdown,
  printValues,
  schemaMarkdownOf,
  operationTitle,
  type WrittenDocument,
} from './format/written-reference.js';
import type { Download } from './page.js';
import type { ApiDocuments, DocsContext, DocsFile } from './api-documents.js';
import { DocsPage, type DocsPageParts } from './docs-page.js';

const CONTEXTS: readonly DocsContext[] = ['consumer', 'admin'];
const TYPES: Readonly<Record<DocsFile, string>> = {
  'openapi.json': 'application/json; charset=utf-8',
  'openapi.yaml': 'application/yaml; charset=utf-8',
  'postman.json': 'application/json; charset=utf-8',
};

type Authenticate = (context: DocsContext, token: string, info: RequestInfo) => Promise<ConsumerActor | AdminActor>;

export interface DocsSurfaceParts extends DocsPageParts {
  readonly documents: ApiDocuments;
  readonly indexes: DocumentIndexes;
  /** Parts that everybody may read; the others require a token of that part. */
  readonly publicContexts: readonly string[];
  readonly authenticate: Authenticate;
  readonly logger: Logger;
}

/** The reference of the portal's own API, and the same content as files for tools. */
export class DocsSurface implements PageSurface {
  readonly prefix: string;
  readonly formLimit = 0;
  readonly middleware: PageSurface['middleware'] = [];
  readonly files: NonNullable<PageSurface['files']>;
  private readonly page: DocsPage;

  constructor(private readonly parts: DocsSurfaceParts) {
    this.prefix = parts.prefix;
    this.page = new DocsPage(parts);
    this.files = { path: `${parts.prefix}/assets`, read: (name, asked) => this.page.asset(name, asked) };
  }

  async handle(request: PageRequest): Promise<PageResponse> {
    if (request.method === 'POST') throw new MethodNotAllowedError(['GET', 'HEAD']);
    const [first, second = '', hash = '', part = ''] = request.segments;
    const { length } = request.segments;
    if (first === undefined) return prefersMarkdown(request) ? this.outline(request) : this.reference(request);
    if (first === 'data' && length === 4) return this.data(request, second, hash, part);
    if (length === 1 && Object.hasOwn(TYPES, first)) return this.file(request, first as DocsFile);
    const context = CONTEXTS.find((name) => name === first);
    if (context) return this.writeReference(request, context, request.segments.slice(1));
    throw new NotFoundError();
  }

  async fail(error: unknown, request: PageRequest | null): Promise<PageResponse> {
    const { status, headers, template } = failureOf(error);
    if (status >= 500 && status !== 503) this.parts.logger.error({ err: error, status }, 'the API docs failed');
    const answerPlainly = () =>
      new PageResponse(status, writePlainFailure(status), { ...headers, 'Content-Type': 'text/html; charset=utf-8' });
    if (!request) return answerPlainly();
    try {
      const reply = await this.page.failure(request, this.localeOf(request), status, template);
      return new PageResponse(status, reply.body, { ...reply.headers, ...headers });
    } catch {
      // Without the database, the portal still reports the problem.
      return answerPlainly();
    }
  }

  private async reference(request: PageRequest): Promise<PageResponse> {
    const offered = CONTEXTS.map((name) => ({
      ...{ name, hash: this.parts.documents.of(name).hash },
      isPublic: this.parts.publicContexts.includes(name),
    }));
    // Public parts come first, so that the page has something to show.
    offered.sort((a, b) => Number(b.isPublic) - Number(a.isPublic));
    const [first] = offered;
    const index = first?.isPublic ? await this.readIndex(first.name) : null;
    return this.page.reference(request, this.localeOf(request), offered, index);
  }

  private async data(request: PageRequest, context: string, hash: string, part: string): Promise<PageResponse> {
    const name = CONTEXTS.find((one) => one === context);
    if (!name) throw new NotFoundError();
    if (!(await this.listReadable(request)).includes(name)) throw new UnauthenticatedError();
    if (this.parts.documents.of(name).hash !== hash) throw new NotFoundError();
    const { body, headers } = serveIndex(await this.readIndex(name), part, request);
    return new PageResponse(200, body, { ...headers, Vary: 'Authorization' });
  }

  /** The outline of the first part that this request may read. */
  private async outline(request: PageRequest): Promise<PageResponse> {
    const [first] = await this.listReadable(request);
    if (!first) throw new UnauthenticatedError();
    return this.writeReference(request, first, ['reference.md']);
  }

  /** What is written of a part: an operation, everything for printing, and both as Markdown. */
  private async writeReference(
    request: PageRequest,
    context: DocsContext,
    [kind, name, ...others]: readonly string[],
  ): Promise<PageResponse> {
    if (others.length > 0 || (name !== undefined) !== (kind === 'operations' || kind === 'schemas'))
      throw new NotFoundError();
    if (!(await this.listReadable(request)).includes(context)) throw new UnauthenticatedError();
    const index = await this.readIndex(context);
    if (!index) throw new NotFoundError();
    const locale = this.localeOf(request);
    const messages = await this.page.messages(locale);
    const path = `${this.prefix}/${context}`;
    const document: WrittenDocument = { indexes: this.parts.indexes, index, messages, path, isKeyless: false };
    if (kind === 'reference.md') return fileOf(await markdownOf(document, [], request));
    if (kind === 'print') {
      return this.page.writePage(
        request,
        locale,
        'docs-print',
        index.outline.title,
        await printValues(document, request),
      );
    }
    if (kind === 'schemas' && name !== undefined) return fileOf(await schemaMarkdownOf(document, name, request));
    if (kind !== 'operations' || name === undefined) throw new NotFoundError();
    const found = findOperation(document, name, request);
    if (found.isMarkdown) return fileOf(await markdownOf(document, [found.number], request));
    const values = await operationValues(document, found);
    return this.page.writePage(request, locale, 'docs-operation', operationTitle(found.operation), values);
  }

  private async file(request: PageRequest, file: DocsFile): Promise<PageResponse> {
    const readable = await this.listReadable(request);
    const asked = request.query.get('context')?.at(-1);
    const contexts = readable.filter((name) => asked === undefined || name === asked);
    if (contexts.length === 0) throw asked === undefined ? new UnauthenticatedError() : new NotFoundError();
    const written = this.parts.documents.file(file, contexts);
    if (written === null) throw new NotFoundError();
    const { bytes, tag } = written;
    const caching = { ETag: `"${tag}"`, 'Cache-Control': 'private, no-cache', Vary: 'Authorization' };
    if (isHeld(request.headers['if-none-match'], tag)) return new PageResponse(304, '', caching);
    return new PageResponse(200, bytes, { ...caching, 'Content-Type': TYPES[file] });
  }

  private readIndex(context: DocsContext): Promise<DocumentIndex | null> {
    const { json, hash } = this.parts.documents.of(context);
    return this.parts.indexes.of(hash, () => Promise.resolve(json));
  }

  /** The parts that this request may read: the public ones, and those whose token it carries. */
  private async listReadable({ headers, info }: PageRequest): Promise<DocsContext[]> {
    const { publicContexts, authenticate } = this.parts;
    const [, token] = /^Bearer ([\w.~+/=-]{1,4096})$/i.exec(String(headers.authorization ?? '')) ?? [];
    const found: DocsContext[] = [];
    for (const context of CONTEXTS) {
      if (publicContexts.includes(context)) found.push(context);
      else if (token !== undefined && (await isGood(authenticate, context, token, info))) found.push(context);
    }
    return found;
  }

  private localeOf({ query, cookies, acceptsLanguage }: PageRequest): string {
    const { locales, defaultLocale } = this.parts.services.site.about;
    const chosen = [query.get('locale')?.at(-1), cookies.get(LOCALE_COOKIE)];
    return (
      chosen.find((code) => code !== undefined && locales.includes(code)) ?? acceptsLanguage(locales) ?? defaultLocale
    );
  }
}

/** May differ with the token that was sent. */
function fileOf({ status, body, headers }: Download): PageResponse {
  return new PageResponse(status, body, { ...headers, Vary: `${headers.Vary ?? ''}, Authorization` });
}

async function isGood(authenticate: Authenticate, context: DocsContext, token: string, info: RequestInfo) {
  try {
    await authenticate(context, token, info);
    return true;
  } catch (error) {
    if (error instanceof UnauthenticatedError) return false;
    throw error;
  }
}
