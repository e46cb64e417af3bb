import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { buildDocument, type DocumentSettings, type OpenApiDocument } from '../../src/openapi/index.js';
import type { Portal } from '../../src/portal.js';

type Operation = OpenApiDocument['paths'][string][string];

interface DocumentedPath {
  readonly pattern: RegExp;
  readonly operations: Readonly<Record<string, Operation>>;
}

interface DocumentedResponse {
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
}

/** Headers that no answer may carry unless the document tells of them. */
const TOLD_HEADERS = ['etag', 'retry-after', 'www-authenticate', 'idempotency-replayed', 'portal-device'];
/** Before any route is known: a strange host, an unknown route or method, a portal that is not ready. */
const OUTSIDE_ROUTES = [400, 404, 405, 500, 503];
const ROOT = 'document.json';
/** A document of a product may be huge, and says nothing about the portal. */
const MOST_BYTES = 1_000_000;

interface ReadDocument {
  readonly routes: Portal['routes'];
  /** What else the document was made of. */
  readonly settings: string;
  readonly document: OpenApiDocument;
  readonly paths: readonly DocumentedPath[];
  readonly ajv: Ajv2020;
  readonly validators: Map<object, ValidateFunction>;
}

/** Nearly all portals of a process have the same routes, and a document costs more than starting one. */
const lastRead: ReadDocument[] = [];
const MOST_DOCUMENTS = 8;

/** Holds every answer of an API against its document: status, media type, headers, and each field of the body. */
export class DocumentedApi {
  private readonly faults: string[] = [];
  private known: ReadDocument | undefined;

  constructor(private readonly portal: Pick<Portal, 'routes' | 'config'>) {}

  /** The same listener, whose answers are looked at just before they are sent. */
  watch(listener: RequestListener): RequestListener {
    return (request, response) => {
      this.collect(request, response);
      listener(request, response);
    };
  }

  /** @throws when an answer since the last call was not documented */
  assertClean(): void {
    const faults = this.faults.splice(0);
    if (faults.length > 0) throw new Error(`The API answered what its document does not tell:\n${faults.join('\n')}`);
  }

  private collect(request: IncomingMessage, response: ServerResponse): void {
    const chunks: Buffer[] = [];
    const keep = (chunk: unknown) => {
      if (typeof chunk === 'string' || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk as string));
    };
    const { write, end } = response;
    response.write = ((...args: Parameters<typeof write>) => {
      keep(args[0]);
      return write.apply(response, args);
    }) as typeof write;
    response.end = ((...args: Parameters<typeof end>) => {
      keep(args[0]);
      const fault = this.look(request, response, Buffer.concat(chunks));
      if (fault !== null) this.faults.push(`${request.method} ${urlOf(request)}: ${fault}`);
      return end.apply(response, args);
    }) as typeof end;
  }

  private look(request: IncomingMessage, response: ServerResponse, body: Buffer): string | null {
    try {
      return this.faultOf(request, response, body);
    } catch (error) {
      return `could not be looked at: ${String(error)}`;
    }
  }

  private faultOf(request: IncomingMessage, response: ServerResponse, body: Buffer): string | null {
    const { prefix } = this.portal.config.portalApi;
    const [path = ''] = urlOf(request).split('?', 1);
    if (!path.startsWith(`${prefix}/`) || request.method === 'OPTIONS') return null;
    const { document, paths } = this.load();
    const method = request.method === 'HEAD' ? 'get' : (request.method ?? '').toLowerCase();
    const below = path.slice(prefix.length).replace(/(?<=.)\/$/, '');
    const operation = paths.find(({ pattern, operations }) => method in operations && pattern.test(below))?.operations[
      method
    ];
    const { statusCode: status } = response;
    if (!operation) return this.outsideFault(status, body, request.method === 'HEAD');
    const stated = operation.responses[String(status)];
    if (!stated) return `${operation.operationId} answered the undocumented status ${status}: ${body.subarray(0, 300)}`;
    const told = resolved(stated, document) as DocumentedResponse;
    const fault =
      headersFault(response, told) ?? (request.method === 'HEAD' ? null : this.bodyFault(response, told, body));
    return fault === null ? null : `${operation.operationId} ${status} ${fault}`;
  }

  private outsideFault(status: number, body: Buffer, isHead: boolean): string | null {
    if (!OUTSIDE_ROUTES.includes(status)) return `is no documented operation and answered ${status}`;
    return isHead ? null : this.schemaFault({ $ref: '#/components/schemas/Error' }, parse(body));
  }

  private bodyFault(response: ServerResponse, { content }: DocumentedResponse, body: Buffer): string | null {
    if (!content) return body.length === 0 ? null : 'has an undocumented body';
    const [type = ''] = String(response.getHeader('content-type')).split(';', 1);
    const told = content[type];
    if (!told) return `is of the undocumented type ${type}`;
    if (body.length > MOST_BYTES) return null;
    return this.schemaFault(told.schema, type === 'application/json' ? parse(body) : body.toString());
  }

  private schemaFault(schema: object, value: unknown): string | null {
    const { ajv, validators } = this.load();
    const key = '$ref' in schema ? schemaKey(ajv, String(schema.$ref)) : schema;
    const validate = validators.get(key) ?? ajv.compile(strict(schema));
    validators.set(key, validate);
    if (validate(value)) return null;
    const [{ instancePath = '', message = '', params = {} } = {}] = validate.errors ?? [];
    return `is not as documented: ${instancePath || 'the answer'} ${message} ${JSON.stringify(params)}`;
  }

  private load(): ReadDocument {
    return (this.known ??= readDocument(this.portal));
  }
}

function readDocument({ routes, config: { app, portalApi, docs } }: Pick<Portal, 'routes' | 'config'>): ReadDocument {
  const { prefix, adminPrefix, pagination } = portalApi;
  const parts: DocumentSettings = {
    app: { name: app.name },
    portalApi: { prefix, adminPrefix, pagination },
    docs: { servers: docs.servers },
  };
  const settings = JSON.stringify(parts);
  const isSame = (known: ReadDocument) =>
    known.settings === settings &&
    known.routes.length === routes.length &&
    known.routes.every((route, index) => route === routes[index]);
  const known = lastRead.find(isSame);
  if (known) return known;
  const document = buildDocument(routes, parts);
  const ajv = new Ajv2020({ strict: false, formats: fullFormats });
  ajv.addSchema({ components: strict({ schemas: document.components.schemas }) }, ROOT);
  const paths = Object.entries(document.paths)
    .map(([path, operations]) => ({ path, operations, variables: path.split('{').length }))
    .sort((a, b) => a.variables - b.variables)
    .map(({ path, operations }) => ({ pattern: patternOf(path), operations }));
  const made = { routes, settings, document, paths, ajv, validators: new Map<object, ValidateFunction>() };
  lastRead.unshift(made);
  lastRead.splice(MOST_DOCUMENTS);
  return made;
}

const KEYS = new WeakMap<Ajv2020, Map<string, object>>();

/** One object for each reference, so that what it stands for is compiled once. */
function schemaKey(ajv: Ajv2020, reference: string): object {
  const keys = KEYS.get(ajv) ?? new Map<string, object>();
  KEYS.set(ajv, keys);
  const key = keys.get(reference) ?? {};
  keys.set(reference, key);
  return key;
}

function urlOf(request: IncomingMessage & { originalUrl?: string }): string {
  return request.originalUrl ?? request.url ?? '';
}

function patternOf(path: string): RegExp {
  const source = path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '[^/]+');
  return new RegExp(`^${source}$`);
}

function headersFault(response: ServerResponse, { headers = {} }: DocumentedResponse): string | null {
  if (!response.hasHeader('x-request-id')) return 'lacks X-Request-Id';
  const told = Object.keys(headers).map((name) => name.toLowerCase());
  const untold = TOLD_HEADERS.filter((name) => response.hasHeader(name) && !told.includes(name));
  return untold.length > 0 ? `has the undocumented header ${untold.join(', ')}` : null;
}

function resolved(response: object, { components }: OpenApiDocument): object {
  const name = /^#\/components\/responses\/(.+)$/.exec(String((response as { $ref?: string }).$ref))?.[1];
  return name === undefined ? response : (components.responses[name] ?? {});
}

/**
 * A schema under which no field may come that is not told. The document itself leaves objects open, because clients must
 * bear new fields; the portal must not send one without telling.
 */
function strict(value: unknown): Record<string, unknown> {
  return JSON.parse(
    JSON.stringify(value, (key, part: unknown) => {
      if (key === '$ref') return `${ROOT}${String(part)}`;
      if (typeof part !== 'object' || part === null || !('properties' in part) || !('type' in part)) return part;
      return 'additionalProperties' in part ? part : { ...part, additionalProperties: false };
    }),
  ) as Record<string, unknown>;
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
