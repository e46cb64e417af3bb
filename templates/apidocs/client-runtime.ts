type Responses<K extends keyof operations> = operations[K]['responses'];
type JsonOf<R> = R extends { content: { 'application/json': infer Body } } ? Body : never;

/** What an operation answers when it went well. */
export type Success<K extends keyof operations> = JsonOf<Responses<K>[Extract<keyof Responses<K>, 200 | 201 | 202>]>;

type ParametersOf<K extends keyof operations, Place extends string> = operations[K] extends {
  parameters: { [P in Place]?: infer Values };
}
  ? Exclude<Values, undefined>
  : never;

type BodyOf<K extends keyof operations> = operations[K] extends { requestBody?: infer Request }
  ? Exclude<Request, undefined> extends { content: infer Content }
    ?
        | (Content extends { 'application/json': infer Json } ? Json : never)
        | (Content extends { 'multipart/form-data': unknown } ? FormData : never)
    : never
  : never;

type Part<Name extends string, Value> = [Value] extends [never]
  ? unknown
  : Record<never, never> extends Value
    ? { [N in Name]?: Value }
    : { [N in Name]: Value };

/** Lists may be given as arrays, and filters as an object. */
type Query<Values> = [Values] extends [never]
  ? never
  : { [N in keyof Values]: N extends 'filters' ? Values[N] | Record<string, unknown> : Values[N] };

/** What an operation takes. */
export type Input<K extends keyof operations> = Part<'path', ParametersOf<K, 'path'>> &
  Part<'query', Query<ParametersOf<K, 'query'>>> &
  Part<'headers', ParametersOf<K, 'header'>> &
  Part<'body', BodyOf<K>> & { signal?: AbortSignal };

type InputArguments<K extends keyof operations> = Record<never, never> extends Input<K> ? [input?: Input<K>] : [input: Input<K>];

export interface ClientOptions {
  /** Address of the API, with its prefix: `https://portal.example.com/api/v1`. */
  baseUrl: string;
  /** The access token, or what gives it for each request. */
  token?: string | (() => string | undefined | Promise<string | undefined>);
  /** Sent with every request. */
  headers?: Record<string, string>;
  fetch?: typeof fetch;
}

/** The API refused or failed. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    readonly status: number,
    message: string,
    /** Field → what is wrong with it. */
    readonly errors: Record<string, string[]>,
    /** Finds the request in the log of the portal. */
    readonly requestId: string | null,
    /** Seconds until it is worth another attempt. */
    readonly retryAfter: number | null,
  ) {
    super(message);
  }
}

interface LooseInput {
  path?: Record<string, unknown>;
  query?: Record<string, unknown>;
  headers?: Record<string, unknown>;
  body?: unknown;
  signal?: AbortSignal;
}

abstract class ClientBase {
  constructor(private readonly options: ClientOptions) {}

  /** @throws ApiError */
  protected async json<K extends keyof operations>(operation: K, input: LooseInput = {}): Promise<Success<K>> {
    const response = await this.response(operation, input);
    return (await response.json()) as Success<K>;
  }

  /** The answer of what is not an envelope. @throws ApiError */
  protected async response(operation: keyof operations, input: LooseInput = {}): Promise<Response> {
    const [method, path] = OPERATIONS[operation];
    const { baseUrl, token, headers = {}, fetch: send = globalThis.fetch } = this.options;
    const bearer = typeof token === 'function' ? await token() : token;
    const isForm = input.body instanceof FormData;
    const response = await send(baseUrl.replace(/\/+$/, '') + fill(path, input.path) + queryOf(input.query), {
      method,
      headers: {
        accept: 'application/json',
        ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
        ...(input.body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
        ...headers,
        ...texts(input.headers),
      },
      ...(input.body === undefined ? {} : { body: isForm ? (input.body as FormData) : JSON.stringify(input.body) }),
      ...(input.signal === undefined ? {} : { signal: input.signal }),
    });
    if (response.ok || response.status === 304) return response;
    throw await errorOf(response);
  }
}

function fill(path: string, values: Record<string, unknown> = {}): string {
  return path.replace(/\{(\w+)\}/g, (_match, name: string) => encodeURIComponent(String(values[name])));
}

function queryOf(values: Record<string, unknown> = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) continue;
    if (Array.isArray(value)) query.set(name, value.join(','));
    else query.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
  }
  return query.size > 0 ? `?${query.toString()}` : '';
}

function texts(values: Record<string, unknown> = {}): Record<string, string> {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
}

async function errorOf(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => ({}))) as Partial<components['schemas']['Error']>;
  const retryAfter = response.headers.get('retry-after');
  return new ApiError(
    response.status,
    body.message ?? response.statusText,
    body.errors ?? {},
    response.headers.get('x-request-id'),
    retryAfter === null ? null : Number(retryAfter),
  );
}
