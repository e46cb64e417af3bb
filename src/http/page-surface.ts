import express, { type Request, type RequestHandler, type Response } from 'express';
import { MalformedRequestError, type RequestInfo } from '../core/index.js';
import { readCookies } from './cookies.js';
import { readMultipart } from './request/upload.js';
import { bodyError } from './request/body.js';
import { requestInfo } from './request/client.js';
import { MethodNotAllowedError, UnsupportedMediaTypeError } from './errors.js';
import { requestIdOf } from './request/request-id.js';
import { prepareBody } from './answer/send-body.js';
import { sendStream } from './answer/send-stream.js';
import { markRoute } from './traffic.js';

/** Methods of pages and forms. */
const METHODS = ['GET', 'HEAD', 'POST'];
/** Maximum fields of one form; repeated fields count each time. */
const MAX_FIELDS = 500;

/** Field → its values in the order sent. */
export type SentForm = ReadonlyMap<string, readonly string[]>;

/** A request as pages see it: parsed but untrusted. */
export interface PageRequest {
  readonly method: 'GET' | 'POST';
  /** Path below the prefix, decoded segment by segment: `/products/weather` is `['products', 'weather']`. */
  readonly segments: readonly string[];
  /** Path and query as sent, including the prefix. */
  readonly url: string;
  readonly query: SentForm;
  /** Empty unless POST. */
  readonly form: SentForm;
  /** The file of a page that accepts one, if one was chosen. */
  readonly file?: Buffer;
  readonly cookies: ReadonlyMap<string, string>;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly info: RequestInfo;
  /** The client's preferred one of the configured locales, by `Accept-Language`; null without a preference. */
  acceptsLanguage(locales: readonly string[]): string | null;
  /** Node's request, for the middleware of the surface, which attaches its session to it. */
  readonly raw: Request;
}

/** The response of a page. */
export class PageResponse {
  constructor(
    readonly status: number,
    readonly body: string | Buffer | AsyncIterable<string | Buffer>,
    readonly headers: Readonly<Record<string, string>> = {},
    /** Complete `Set-Cookie` lines. */
    readonly cookies: readonly string[] = [],
  ) {}
}

type Middleware = (request: Request, response: Response, next: (error?: unknown) => void) => void;

/** The request for a file. */
export interface FileRequest {
  /** `?v=` of its URL, as sent. */
  readonly version: unknown;
  /** `If-None-Match` */
  readonly known: string | undefined;
}

/** A file field of a form. */
export interface FileRule {
  readonly field: string;
  readonly maxBytes: number;
}

/** Pages below a prefix. The surface answers every request there, including with its own errors. */
export interface PageSurface {
  /** `/portal` */
  readonly prefix: string;
  /** Maximum size of a form in bytes. */
  readonly formLimit: number;
  /** Runs before `handle`, for example the web session. */
  readonly middleware: readonly Middleware[];
  handle(request: PageRequest): Promise<PageResponse>;
  /** The file that the page at this path accepts; null for none, and `multipart/form-data` is refused. */
  fileAt?(request: PageRequest): Promise<FileRule | null>;
  /** Path of the page that answers, as declared: `/products/:slug`; null for none. */
  routeOf?(request: PageRequest): string | null;
  /** A page for an error before or in `handle`; must not throw. */
  fail(error: unknown, request: PageRequest | null): Promise<PageResponse>;
  /**
   * A page for errors outside the surface, whose path may not be below its prefix: must work without session and
   * database, and must not throw. Without it the answer is JSON.
   */
  refuse?(error: unknown, request: PageRequest): Promise<PageResponse>;
  /** Static files of the pages, one name below the path. */
  readonly files?: {
    /** `/portal/assets` */
    readonly path: string;
    /** @returns null if it is not one of our files */
    read(name: string, asked: FileRequest): Promise<PageResponse | null>;
  };
  /** Files at fixed paths outside of the prefix. */
  readonly rootFiles?: Readonly<Record<string, PageResponse>>;
  /** Paths below the prefix whose pages also answer at the same path outside of it, where the standard wants them. */
  readonly rootPages?: readonly string[];
}

/** Serves a surface: reads the request, gets the page, writes the response. */
export function pageHandler(surface: PageSurface): RequestHandler {
  const parse = express.urlencoded({ extended: false, limit: surface.formLimit, parameterLimit: MAX_FIELDS });
  return async (request, response) => {
    let read: PageRequest | null = null;
    let reply: PageResponse;
    try {
      const head = readHead(request, response);
      read = head;
      markRoute(response, () => surface.prefix + (surface.routeOf?.(head) ?? '/*'));
      if (!METHODS.includes(request.method)) throw new MethodNotAllowedError(METHODS);
      for (const step of surface.middleware) await run(step as RequestHandler, request, response);
      if (read.method === 'POST')
        read = { ...read, ...(await readForm(request, response, parse, (await surface.fileAt?.(read)) ?? null)) };
      reply = await surface.handle(read);
    } catch (error) {
      reply = await surface.fail(error, read);
      if (!request.complete) response.setHeader('Connection', 'close');
    }
    await writeReply(request, response, reply);
  };
}

/**
 * Writes the complete response; does nothing if one has begun.
 * @throws ServiceUnavailableError, before anything is written, if too many large bodies are being sent
 */
export async function writeReply(request: Request, response: Response, reply: PageResponse): Promise<void> {
  if (response.headersSent) return;
  const { status, body, headers, cookies } = reply;
  const addCookies = () => cookies.forEach((cookie) => response.append('Set-Cookie', cookie));
  if (typeof body !== 'string' && !Buffer.isBuffer(body)) {
    addCookies();
    return sendStream(request, response, { body, headers });
  }
  const send = prepareBody(response, body);
  addCookies();
  response.statusCode = status;
  // The headers are complete: nothing is left for Express to add.
  for (const name in headers) response.setHeader(name, headers[name] ?? '');
  send();
}

async function run(step: RequestHandler, request: Request, response: Response): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const finish = (error?: unknown) => (error ? reject(asError(error)) : resolve());
    void step(request, response, finish);
  });
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

/** @throws MalformedRequestError for a path that cannot be decoded */
export function readHead(request: Request, response: Response): PageRequest {
  const { method, originalUrl: url, headers } = request;
  return {
    method: method === 'POST' ? 'POST' : 'GET',
    segments: segmentsOf(request.path),
    url,
    query: valuesOf(request.query),
    form: new Map(),
    cookies: readCookies(headers.cookie),
    headers,
    info: requestInfo(request, requestIdOf(response)),
    acceptsLanguage: (locales) => {
      if (!headers['accept-language']) return null;
      return request.acceptsLanguages([...locales]) || null;
    },
    raw: request,
  };
}

async function readForm(
  request: Request,
  response: Response,
  parse: RequestHandler,
  file: FileRule | null,
): Promise<Pick<PageRequest, 'form' | 'file'>> {
  const type = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase();
  const isEmpty = request.headers['content-length'] === '0' || (type === '' && !request.headers['transfer-encoding']);
  if (isEmpty) return { form: new Map() };
  // The token in the form and `Origin` guard this one too (S42).
  if (file && type === 'multipart/form-data') return readFileForm(request, response, file);
  // A form of another site could send multipart or text; of ours, only forms with a file do (S43).
  if (type !== 'application/x-www-form-urlencoded') throw new UnsupportedMediaTypeError();
  await run(parse, request, response).catch((error: unknown) => {
    throw bodyError(error);
  });
  return { form: valuesOf(request.body as unknown) };
}

async function readFileForm(request: Request, response: Response, { field, maxBytes }: FileRule) {
  const { fields, file } = await readMultipart(request, response, { field, maxBytes });
  const form = valuesOf(fields);
  return file === null ? { form } : { form, file };
}

function segmentsOf(path: string): string[] {
  try {
    return path.split('/').filter(Boolean).map(decodeURIComponent);
  } catch (cause) {
    throw new MalformedRequestError({ cause });
  }
}

function valuesOf(parsed: unknown): SentForm {
  const values = new Map<string, readonly string[]>();
  for (const [field, value] of Object.entries((parsed ?? {}) as Record<string, unknown>)) {
    const all = Array.isArray(value) ? value : [value];
    const texts = all.filter((item) => typeof item === 'string');
    // Browsers end the lines of a text area with CR LF.
    values.set(
      field,
      texts.map((text) => text.replaceAll('\r\n', '\n')),
    );
  }
  return values;
}
