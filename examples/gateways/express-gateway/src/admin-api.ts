import {
  GatewayConflictError,
  GatewayNotFoundError,
  GatewayRefusedError,
  GatewayTimeoutError,
  GatewayUnavailableError,
} from 'portalkit';

const TIMEOUT_MS = 4_000;

/** Calls of the admin API. It answers with JSON when all is well and with plain text when not. */
export class AdminApi {
  constructor(private readonly url: string) {}

  get<T>(...names: readonly string[]): Promise<T> {
    return this.call<T>('GET', names);
  }

  /** A part of a collection; it is read from Redis in no order. */
  list<T>(collection: string, start: number): Promise<T> {
    return this.call<T>('GET', [collection], undefined, `?start=${start}&count=100`);
  }

  /** The same, undefined when it is not there. */
  async find<T>(...names: readonly string[]): Promise<T | undefined> {
    try {
      // An unknown credential is `null` with status 200.
      return (await this.get<T | null>(...names)) ?? undefined;
    } catch (error) {
      if (error instanceof GatewayNotFoundError) return undefined;
      throw error;
    }
  }

  post<T>(body: unknown, ...names: readonly string[]): Promise<T> {
    return this.call<T>('POST', names, body);
  }

  async put(body: unknown, ...names: readonly string[]): Promise<void> {
    await this.call('PUT', names, body);
  }

  async delete(...names: readonly string[]): Promise<void> {
    await this.call('DELETE', names);
  }

  private async call<T>(method: string, names: readonly string[], body?: unknown, search = ''): Promise<T> {
    const path = names.map(segment).join('/') + search;
    const response = await this.fetch(method, `${this.url}/${path}`, body, `${method} /${names[0] ?? ''}`);
    const text = await response.text();
    if (!response.ok) throw refusal(response.status, text, `${method} /${names[0] ?? ''}: ${response.status}`);
    return (response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : undefined) as T;
  }

  private async fetch(method: string, url: string, body: unknown, label: string): Promise<Response> {
    try {
      return await fetch(url, {
        method,
        headers: { 'content-type': 'application/json' },
        body: body === undefined ? undefined : JSON.stringify(body),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
    } catch (cause) {
      if ((cause as Error).name === 'TimeoutError') throw new GatewayTimeoutError({ detail: label, cause });
      throw new GatewayUnavailableError(1, { detail: `${label}: not reachable`, cause });
    }
  }
}

/** Names enter a path encoded once, and never as `.` or `..`. */
function segment(name: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/.test(name)) return name;
  throw new GatewayRefusedError({ detail: `not a name for a path: ${JSON.stringify(name)}` });
}

// A name that is taken is told by the text alone. Details go to the log, so the text, which may repeat keys, is not one.
function refusal(status: number, text: string, detail: string): Error {
  if (status === 404 || /not found|does ?n[o']t exist/i.test(text)) return new GatewayNotFoundError({ detail });
  if (status === 409 || /already/.test(text)) return new GatewayConflictError({ detail });
  return new GatewayRefusedError({ detail });
}
