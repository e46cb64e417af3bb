import type { IndexedScheme } from '../catalog/index.js';

/** What somebody fills in who tries an API. Nothing of it is trusted. */
export interface TriedCall {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer | null;
  /** Id of a key of their own that the portal adds, and the security scheme of the document that says where. */
  readonly credential: { readonly id: string; readonly scheme: string } | null;
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const TOKEN = /^[\w!#$%&'*+.^`|~-]{1,200}$/;
/** Printable Latin letters: what HTTP can write. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]{0,8000}$/;
const MOST_HEADERS = 60;
/**
 * Belong to the connection, would tell the API something about the sender that only its proxies may tell, or could
 * carry a session of the portal.
 */
const REFUSED =
  /^(?:host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|content-length|expect|cookie2?|origin|referer|via|forwarded|user-agent|accept-encoding|date|true-client-ip|cf-connecting-ip|(?:x-forwarded|x-real|x-client|x-original|x-rewrite|x-http-method|x-envoy|x-ssl|ssl|proxy|sec|access-control)-?.*)$/i;
/** Of an answer: what belongs to the connection, and cookies. */
const NOT_SHOWN = /^(?:set-cookie2?|connection|keep-alive|transfer-encoding|trailer|upgrade|proxy-.*|alt-svc)$/i;

/** The headers that may be sent; null if the call is none that HTTP knows. */
export function pickAllowedHeaders({ method, headers }: TriedCall): Record<string, string> | null {
  if (!METHODS.has(method) || headers.length > MOST_HEADERS) return null;
  const sent: Record<string, string> = {};
  for (const [name, value] of headers) {
    if (!TOKEN.test(name) || !VALUE.test(value)) return null;
    if (!REFUSED.test(name)) sent[name.toLowerCase()] = value;
  }
  return sent;
}

/** The address of a call, if it is on one of the allowed origins. */
export function parseAllowedAddress(url: string, origins: readonly string[]): URL | null {
  if (!URL.canParse(url)) return null;
  const address = new URL(url);
  const isPlain = address.username === '' && address.password === '';
  address.hash = '';
  return isPlain && origins.includes(address.origin) ? address : null;
}

/**
 * Whether the document names the origin as a server, with its variables standing for anything but another origin: a key
 * goes nowhere else.
 */
export function isServer(origin: string, servers: readonly { readonly url: string }[]): boolean {
  return servers.some(({ url }) => {
    const [start = ''] = /^https?:\/\/[^/?#]*/i.exec(url) ?? [];
    if (start === '') return false;
    if (!start.includes('{')) return URL.canParse(start) && new URL(start).origin === origin;
    return holdsInOrder(origin, start.toLowerCase().split(/\{[^{}]*\}/));
  });
}

// Not a regular expression made from the document: one with many variables could run practically forever.
function holdsInOrder(text: string, [first = '', ...others]: readonly string[]): boolean {
  if (!text.startsWith(first)) return false;
  const last = others.pop() ?? '';
  let end = first.length;
  for (const part of others) {
    const at = text.indexOf(part, end);
    if (at < 0) return false;
    end = at + part.length;
  }
  return text.endsWith(last) && text.length - last.length >= end;
}

/** Puts the key where the scheme says. @returns false if it says nothing that the portal can do */
export function addKey(key: string, scheme: IndexedScheme, address: URL, headers: Record<string, string>): boolean {
  if (scheme.type === 'http' && scheme.scheme === 'bearer') headers.authorization = `Bearer ${key}`;
  else if (scheme.type !== 'apiKey' || scheme.param === '') return false;
  else if (scheme.in === 'query') {
    // Not by `searchParams`, which would write the rest of the query anew.
    address.search += `${address.search === '' ? '?' : '&'}${encodeURIComponent(scheme.param)}=${encodeURIComponent(key)}`;
  } else if (scheme.in !== 'header' || !TOKEN.test(scheme.param) || REFUSED.test(scheme.param)) return false;
  else headers[scheme.param.toLowerCase()] = key;
  return true;
}

/** The headers of an answer as a page may show them. */
export function selectShownHeaders(headers: Readonly<Record<string, string | readonly string[] | undefined>>) {
  return Object.entries(headers)
    .filter(([name]) => !NOT_SHOWN.test(name))
    .map(([name, value]) => [name, [value ?? ''].flat().join(', ')] as const);
}

/** Without the key, which an API may say again. */
export function withoutKey(bytes: Buffer, key: string): Buffer {
  return bytes.includes(key) ? Buffer.from(bytes.toString('latin1').replaceAll(key, '****'), 'latin1') : bytes;
}
