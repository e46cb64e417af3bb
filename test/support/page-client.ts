import type { TestClient } from './http-client.js';

export interface PageAnswer {
  status: number;
  headers: Headers;
  html: string;
  /** Where the browser stands after redirects. */
  path: string;
}

export interface Form {
  action: string;
  /** Hidden fields and what is filled in. */
  fields: Record<string, string>;
}

interface Sent {
  headers?: Record<string, string>;
  /** Default true. */
  follow?: boolean;
}

/** A browser without scripts: keeps cookies, reads forms out of pages, follows redirects. */
export class PageClient {
  readonly cookies = new Map<string, string>();
  /** Every `Set-Cookie` line so far. */
  readonly setCookies: string[] = [];

  constructor(private readonly client: TestClient) {}

  /** One with the same cookies, as somebody who copied them would have, perhaps at another replica. */
  copy(client = this.client): PageClient {
    const other = new PageClient(client);
    for (const [name, value] of this.cookies) other.cookies.set(name, value);
    return other;
  }

  get(path: string, sent: Sent = {}): Promise<PageAnswer> {
    return this.send('GET', path, undefined, sent);
  }

  post(path: string, fields: Readonly<Record<string, string | string[]>>, sent: Sent = {}): Promise<PageAnswer> {
    const pairs = Object.entries(fields).flatMap(([name, value]) =>
      [value].flat().map((one): [string, string] => [name, one]),
    );
    return this.send('POST', path, new URLSearchParams(pairs).toString(), sent);
  }

  /** Opens a page, fills in its form with this action, and sends it. */
  async submit(
    page: string,
    fields: Record<string, string>,
    { action = page, ...sent }: Sent & { action?: string } = {},
  ) {
    const { html } = await this.get(page);
    const form = formsOf(html).find((candidate) => candidate.action.split('?', 1)[0] === action.split('?', 1)[0]);
    if (!form) throw new Error(`${page} has no form that posts to ${action}`);
    return this.post(form.action, { ...form.fields, ...fields }, sent);
  }

  /** The token that forms of a page carry. */
  async csrf(page: string): Promise<string> {
    const { html } = await this.get(page);
    return formsOf(html).find(({ fields }) => fields._csrf !== undefined)?.fields._csrf ?? '';
  }

  get cookieHeader(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  private async send(method: string, path: string, body: string | undefined, sent: Sent): Promise<PageAnswer> {
    const cookie = this.cookieHeader;
    const call = { headers: { accept: 'text/html', ...(cookie ? { cookie } : {}), ...sent.headers } };
    const form = body === undefined ? {} : { raw: body, type: 'application/x-www-form-urlencoded' };
    const { status, headers, text } = await this.client.send(method, path, { ...call, ...form });
    for (const line of headers.getSetCookie()) this.keep(line);
    const isPage = headers.get('content-type')?.startsWith('text/html') === true;
    // To load it again would send the form again, and its address cannot be opened.
    if (method === 'POST' && status === 200 && isPage)
      throw new Error(`POST ${path} answers with a page, not with a way on`);
    const [, title] = /<title>(console[./][\w./-]+|[\w-]+\/[\w./-]+\.title) ·/.exec(text) ?? [];
    if (title !== undefined) throw new Error(`${path} has no words for its title, ${title}`);
    const target = headers.get('location');
    if (sent.follow !== false && status === 303 && target?.startsWith('/'))
      return this.send('GET', target, undefined, {});
    return { status, headers, html: text, path };
  }

  private keep(line: string): void {
    this.setCookies.push(line);
    const [pair = '', ...attributes] = line.split('; ');
    const [name = '', value = ''] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)];
    if (attributes.includes('Max-Age=0') || value === '') this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}

export function formsOf(html: string): Form[] {
  return [...html.matchAll(/<form([^>]*)>(.*?)<\/form>/gs)]
    .filter(([, tag = '']) => /method="post"/.test(tag))
    .map(([, tag = '', body = '']) => ({ action: attribute(tag, 'action') ?? '', fields: fieldsOf(body) }));
}

function fieldsOf(body: string): Record<string, string> {
  const inputs = [...body.matchAll(/<input([^>]*)>/g)].map(([, tag = '']) => tag);
  const named = inputs.map((tag) => [attribute(tag, 'name'), attribute(tag, 'value') ?? ''] as const);
  return Object.fromEntries(named.filter(([name]) => name !== undefined)) as Record<string, string>;
}

function attribute(tag: string, name: string): string | undefined {
  const value = new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1];
  return value === undefined ? undefined : decoded(value);
}

/** Text of a page as people read it. */
export function decoded(html: string): string {
  return html
    .replace(/&#x([0-9a-f]+);/gi, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
}
