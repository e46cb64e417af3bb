import { apiRoutes } from '../api/index.js';
import type { WantedChange } from '../domain/console/index.js';
import { routePath } from '../http/index.js';
import { PortRefusal, type AdminPort, type AdminCall, type PortDocument } from './port.js';

const PREFIXES = { prefix: '/api/v1', adminPrefix: 'admin' };
const PER_PAGE = '100';
const PATIENCE_MS = 60_000;
/** For all changes at once. */
const APPLYING_MS = 290_000;

interface Envelope {
  readonly message?: string;
  readonly data?: unknown;
  readonly errors?: Readonly<Record<string, readonly string[]>>;
  readonly meta?: { readonly pagination?: { readonly total?: number; readonly last_page?: number } } | null;
}

/** The admin API of a portal over the network, with a service token. */
export class RestPort implements AdminPort {
  readonly place: string;

  /** @param server address of the portal, `https://portal.example.com` */
  constructor(
    server: string,
    private readonly token: string,
    /** What the activity log tells in place of a browser. */
    private readonly origin = '',
    private readonly send: typeof fetch = fetch,
  ) {
    this.place = server.replace(/(?<!\/)\/+$/, '');
  }

  async call(operation: string, call: AdminCall = {}): Promise<unknown> {
    return (await this.envelope(operation, call)).data;
  }

  async all(operation: string, query: AdminCall['query'] = {}, params: AdminCall['params'] = {}) {
    const records: Record<string, unknown>[] = [];
    for (let page = 1; ; page += 1) {
      const { data, meta } = await this.envelope(operation, {
        params,
        query: { ...query, per_page: PER_PAGE, page: String(page) },
      });
      const found = data as Record<string, unknown>[];
      records.push(...found);
      if (found.length === 0 || records.length >= (meta?.pagination?.total ?? 0)) return records;
    }
  }

  async count(operation: string, query: Readonly<Record<string, string>>): Promise<number> {
    const { meta } = await this.envelope(operation, { query: { ...query, per_page: '1' } });
    return meta?.pagination?.total ?? 0;
  }

  async read(
    operation: string,
    params: Readonly<Record<string, string | number>>,
    known?: string,
  ): Promise<PortDocument> {
    const headers = { Accept: 'application/json', ...(known !== undefined && { 'If-None-Match': `"${known}"` }) };
    const answer = await this.fetch(operation, { params }, headers);
    const tag = (answer.headers.get('etag') ?? '').replace(/^W\//, '').replaceAll('"', '');
    if (answer.status === 304) return { tag, bytes: null };
    if (!answer.ok) throw new PortRefusal(answer.status, `${operation} was answered with ${answer.status}.`);
    return { tag, bytes: Buffer.from(await answer.arrayBuffer()) };
  }

  async applyAtOnce(changes: readonly WantedChange[]): Promise<void> {
    const operation = 'applyManagedChanges';
    const file = Buffer.from(changes.map((change) => JSON.stringify(change)).join('\n'));
    const answer = await this.fetch(operation, { file }, {}, APPLYING_MS);
    const envelope = parse(await answer.text());
    if (answer.ok && envelope) return;
    const { etag, changes: refused } = envelope?.errors ?? {};
    if (etag) throw new PortRefusal(412, etag.join(' '));
    if (refused) throw new PortRefusal(answer.status, refused.join(' '));
    const told = sentenceOf(operation, answer.status, envelope);
    // An older portal, and more than a request may hold.
    const hint = [404, 413].includes(answer.status) ? ' With --one-by-one each record is a request of its own.' : '';
    throw new PortRefusal(answer.status, `${told}${hint}`);
  }

  private async envelope(operation: string, call: AdminCall): Promise<Envelope> {
    const answer = await this.fetch(operation, call);
    const text = await answer.text();
    const envelope = parse(text);
    if (answer.ok && envelope) return envelope;
    throw new PortRefusal(answer.status, sentenceOf(operation, answer.status, envelope));
  }

  private async fetch(
    operation: string,
    call: AdminCall,
    more: Readonly<Record<string, string>> = {},
    patience = PATIENCE_MS,
  ): Promise<Response> {
    const { method, url, field } = this.locate(operation, call);
    const { body, type } = bodyOf(call, field);
    const headers = {
      ...more,
      Authorization: `Bearer ${this.token}`,
      ...(this.origin !== '' && { 'User-Agent': this.origin }),
      ...(type !== undefined && { 'Content-Type': type }),
      ...(call.ifMatch !== undefined && { 'If-Match': call.ifMatch }),
    };
    const options = { method, headers, redirect: 'error', signal: AbortSignal.timeout(patience) } as const;
    try {
      return await this.send(url, { ...options, ...(body !== undefined && { body }) });
    } catch (cause) {
      // The address alone: what the runtime says may hold headers.
      throw new Error(`${this.place} cannot be reached.`, { cause });
    }
  }

  private locate(operation: string, { params = {}, query = {} }: AdminCall) {
    const route = apiRoutes.find((one) => one.operation === operation);
    if (!route) throw new Error(`no route declares the operation ${operation}`);
    const path = routePath(route, PREFIXES).replace(/:(\w+)/g, (_all, name: string) =>
      encodeURIComponent(params[name] ?? ''),
    );
    const search = new URLSearchParams(query).toString();
    const url = `${this.place}${path}${search === '' ? '' : `?${search}`}`;
    return { method: route.method.toUpperCase(), url, field: route.upload?.field };
  }
}

function bodyOf({ body, file }: AdminCall, field: string | undefined) {
  if (file === undefined) {
    return body === undefined ? {} : { body: JSON.stringify(body), type: 'application/json' };
  }
  const form = new FormData();
  form.append(field ?? 'file', new Blob([new Uint8Array(file)]), 'file');
  return { body: form };
}

function parse(text: string): Envelope | null {
  try {
    return JSON.parse(text) as Envelope;
  } catch {
    return null;
  }
}

function sentenceOf(operation: string, status: number, envelope: Envelope | null): string {
  const faults = Object.entries(envelope?.errors ?? {}).map(([field, sentences]) => `${field}: ${sentences.join(' ')}`);
  return [`${operation} was answered with ${status}: ${envelope?.message ?? 'no JSON'}`, ...faults].join(' ');
}
