import { untraced, type Tracer } from '../core/index.js';
import { CallFailure } from './call-failure.js';

export interface RemoteRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Its name in the log; never contains keys or tokens. */
  readonly label: string;
}

export interface RemoteAnswer {
  readonly status: number;
  /** Without parameters, in lower case. */
  readonly contentType: string;
  /** Seconds. */
  readonly retryAfter: number | null;
  readonly text: string;
}

/** A page of records with all their attributes is far smaller. */
const MOST_BYTES = 8 * 1024 * 1024;

/** Error codes that mean the request was never sent. */
const UNREACHABLE = [
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/,
  /^(ERR_TLS|ERR_SSL|CERT_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_)/,
];

/**
 * One request and its complete response. Redirects are not followed: they would carry the credentials elsewhere.
 * @param timeout milliseconds, from DNS lookup to the last byte
 * @throws CallFailure
 */
async function exchange(request: RemoteRequest, timeout: number): Promise<RemoteAnswer> {
  const { method, url, headers, body, label } = request;
  const signal = AbortSignal.timeout(timeout);
  try {
    const response = await fetch(url, { method, headers, body, signal, redirect: 'manual' });
    return {
      status: response.status,
      contentType: (response.headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '',
      retryAfter: secondsOf(response.headers.get('retry-after')),
      text: await textOf(response, label),
    };
  } catch (error) {
    if (error instanceof CallFailure) throw error;
    throw failureOf(error, signal.aborted, `${label}: no answer`, timeout);
  }
}

async function textOf(response: Response, label: string): Promise<string> {
  if (response.body === null) return '';
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > MOST_BYTES)
      throw new CallFailure('unreadable', `${label}: the answer is longer than ${MOST_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function failureOf(error: unknown, isLate: boolean, what: string, timeout: number): CallFailure {
  if (isLate) return new CallFailure('timeout', `${what} within ${timeout} ms`, { cause: error });
  const code = codeOf(error);
  const kind = UNREACHABLE.some((pattern) => pattern.test(code)) ? 'unreachable' : 'lost';
  return new CallFailure(kind, `${what}, ${code === '' ? 'the connection broke' : code}`, { cause: error });
}

/** The system error beneath the generic one of `fetch`. */
function codeOf(error: unknown): string {
  const { cause } = error as { cause?: { code?: unknown; errors?: readonly { code?: unknown }[] } };
  const code = cause?.code ?? cause?.errors?.[0]?.code;
  return typeof code === 'string' ? code : '';
}

// HTTP dates are not supported: gateways send seconds.
function secondsOf(header: string | null): number | null {
  return header !== null && /^\d{1,6}$/.test(header) ? Number(header) : null;
}

interface Caller {
  /** The backend's name in errors and logs. */
  readonly name: string;
  readonly tracer?: Tracer | undefined;
}

/**
 * The same as {@link exchange}, in a span that the backend can continue. The span shows the request's label instead of
 * its URL, which may contain e-mails and keys. @throws CallFailure
 */
export function traceExchange(
  { name, tracer = untraced }: Caller,
  request: RemoteRequest,
  timeout: number,
): Promise<RemoteAnswer> {
  if (tracer === untraced) return exchange(request, timeout);
  const { method, url, label } = request;
  const { hostname, port, protocol } = new URL(url);
  const facts = {
    'http.request.method': method,
    'server.address': hostname,
    'server.port': Number(port || (protocol === 'https:' ? 443 : 80)),
    'portal.gateway.call': label,
  };
  return tracer.step(
    { name: `${method} ${name}`, kind: 'client', facts },
    () => exchange({ ...request, headers: { ...request.headers, ...tracer.writeOutgoing() } }, timeout),
    ({ status }) => ({ 'http.response.status_code': status, ...(status >= 400 && { 'error.type': String(status) }) }),
  );
}
