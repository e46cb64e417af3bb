import type { CallProof } from '../portal.js';
import { ExpressionError, type Exchange } from './workflow-expressions.js';
import type { PreparedRequest } from './workflow-request.js';

/** Bytes of an answer that are read. */
const MOST_BYTES = 5_000_000;
const MOST_REDIRECTS = 5;
const MILLISECONDS = 1_000;

export interface CallerOptions {
  /** Seconds for a call, with its answer and redirects. */
  readonly timeout: number;
  /** Sent with each call; names in small letters. */
  readonly headers: Readonly<Record<string, string>>;
  /** Sent where the document of the API asks for a credential. */
  readonly key: string | null;
  /** Whether redirects of GET and HEAD are followed. */
  readonly follows: boolean;
}

/** Sends requests of steps, with the credentials of the person who runs them. */
export class WorkflowCaller {
  constructor(private readonly options: CallerOptions) {}

  /** @throws ExpressionError, whose sentence says why there is no answer */
  async send(request: PreparedRequest): Promise<Exchange> {
    const { timeout } = this.options;
    try {
      return await this.exchange(request, AbortSignal.timeout(timeout * MILLISECONDS));
    } catch (error) {
      if (error instanceof ExpressionError) throw error;
      const { name, cause } = error as Error & { cause?: { code?: string; message?: string } };
      if (name === 'TimeoutError') throw new ExpressionError(`there was no answer within ${timeout} s.`);
      // Its message would show the value of a header.
      if (cause === undefined)
        throw new ExpressionError('the request cannot be sent: a header or its body is not allowed.');
      throw new ExpressionError(`the server cannot be reached: ${cause.code ?? cause.message ?? 'unknown'}.`);
    }
  }

  private async exchange(request: PreparedRequest, signal: AbortSignal): Promise<Exchange> {
    const { method } = request.operation;
    const response = await this.follow(request, signal);
    const text = await readText(response);
    const headers = Object.fromEntries(response.headers);
    return {
      ...{ url: request.url.href, method, status: response.status },
      request: { headers: request.headers, body: request.bodyValue, query: request.query, path: request.path },
      response: { headers, body: valueOf(text, response.headers.get('content-type')) },
    };
  }

  private async follow(request: PreparedRequest, signal: AbortSignal): Promise<Response> {
    const { operation, body } = request;
    const { method } = operation;
    let { url, headers } = this.sign(request);
    for (let hop = 0; ; hop += 1) {
      const response = await fetch(url, { method, headers, body, signal, redirect: 'manual' });
      const next = this.options.follows && ['GET', 'HEAD'].includes(method) ? redirectOf(response, url) : null;
      if (!next) return response;
      await response.body?.cancel();
      if (hop === MOST_REDIRECTS) throw new ExpressionError(`the server redirects more than ${MOST_REDIRECTS} times.`);
      // Another server gets neither the key nor anything else that was meant for this one.
      if (next.origin !== url.origin) {
        headers = Object.fromEntries(
          Object.entries(headers).filter(([name]) => ['accept', 'user-agent'].includes(name)),
        );
      }
      url = next;
    }
  }

  /** Values that a step sets itself stay. */
  private sign({ url: plain, headers: own, operation }: PreparedRequest) {
    const url = new URL(plain);
    const headers: Record<string, string> = { ...this.options.headers, ...own };
    const { key } = this.options;
    const proof = operation.proofs.find(({ kind }) => kind !== 'other');
    if (key === null || !proof) return { url, headers };
    const name = proof.name.toLowerCase();
    if (proof.kind === 'query') {
      if (!url.searchParams.has(proof.name)) url.searchParams.set(proof.name, key);
    } else if (proof.kind === 'cookie') {
      headers.cookie = [headers.cookie, `${proof.name}=${encodeURIComponent(key)}`].filter(Boolean).join('; ');
    } else if (proof.kind === 'header') headers[name] ??= key;
    else headers.authorization ??= authorizationOf(proof, key);
    return { url, headers };
  }
}

/** Of a key for HTTP Basic, `user:password`, and of a token for the rest. */
function authorizationOf({ kind }: Pick<CallProof, 'kind'>, key: string): string {
  return kind === 'basic' ? `Basic ${Buffer.from(key).toString('base64')}` : `Bearer ${key}`;
}

function redirectOf({ status, headers }: Response, from: URL): URL | null {
  const location = headers.get('location');
  if (![301, 302, 303, 307, 308].includes(status) || location === null || !URL.canParse(location, from.href))
    return null;
  const next = new URL(location, from);
  return /^https?:$/.test(next.protocol) ? next : null;
}

async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop cancels what is still to come.
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) throw new ExpressionError(`the answer is longer than ${MOST_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function valueOf(text: string, type: string | null): unknown {
  if (type !== null && !/[/+]json\b/i.test(type)) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
