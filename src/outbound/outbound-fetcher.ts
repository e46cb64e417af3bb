import { lookup } from 'node:dns/promises';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { get as httpsGet } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { ValidationError } from '../kernel/index.js';
import { Exemptions } from './exemptions.js';
import { isSpecialAddress } from './special-addresses.js';

const DEADLINE_MS = 5_000;
const MOST_BYTES = 2 * 1024 * 1024;
const LONGEST_URL = 2048;
/** What public servers of https listen on. */
const PORTS: readonly string[] = ['', '443', '8443'];

/** An address that a name stands for, as `dns.lookup` gives it. */
export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

export interface OutboundSettings {
  /** `outbound.allow` */
  readonly allow: readonly string[];
  /** Milliseconds for everything, from the name to the last byte. */
  readonly deadline?: number;
  readonly resolve?: (host: string) => Promise<readonly ResolvedAddress[]>;
}

export interface FetchOptions {
  /** Of the body; 2 MB by default. */
  readonly maxBytes?: number;
  /** Value of `Accept`. */
  readonly accept?: string;
}

/**
 * The only way to an address that somebody typed (S63). Without exemption: https, a usual port, no user name in it, and
 * nothing but ordinary public addresses behind the name. The name is resolved once and the connection goes to the very
 * address that was judged, so a resolver that changes its mind changes nothing. Redirects are not followed. Hosts and
 * networks of `outbound.allow` may also be private, on any port and plain http.
 */
export class OutboundFetcher {
  private readonly exemptions: Exemptions;

  constructor(private readonly settings: OutboundSettings) {
    this.exemptions = new Exemptions(settings.allow);
  }

  /**
   * The body behind a URL.
   * @throws ValidationError on `url`, with one sentence for whatever is refused, away, slow or not answering with 200
   */
  async fetch(text: string, { maxBytes = MOST_BYTES, accept = '*/*' }: FetchOptions = {}): Promise<Buffer> {
    const signal = AbortSignal.timeout(this.settings.deadline ?? DEADLINE_MS);
    try {
      const url = parse(text);
      const addresses = await inTime(this.permitted(url), signal);
      return await download(url, addresses, { maxBytes, accept, signal });
    } catch (error) {
      if (error instanceof TooLarge) throw refused(`The answer is larger than ${maxBytes} bytes.`, error);
      throw refused('URL not allowed or not reachable.', error);
    }
  }

  // All of the addresses have to be permitted: which one is connected to is not ours to say.
  private async permitted(url: URL): Promise<readonly ResolvedAddress[]> {
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const family = isIP(host);
    const addresses = family === 0 ? await this.resolve(host) : [{ address: host, family }];
    const ordinary = url.protocol === 'https:' && PORTS.includes(url.port);
    const open = ({ address }: ResolvedAddress) =>
      this.exemptions.coversHost(host) ||
      this.exemptions.coversAddress(address) ||
      (ordinary && !isSpecialAddress(address));
    if (addresses.length === 0 || !addresses.every(open)) throw new Refused(`${url.host} is not allowed`);
    return addresses;
  }

  private resolve(host: string): Promise<readonly ResolvedAddress[]> {
    return this.settings.resolve?.(host) ?? lookup(host, { all: true });
  }
}

class Refused extends Error {}
class TooLarge extends Error {}

function parse(text: string): URL {
  const url = new URL(text.length <= LONGEST_URL ? text : '');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new Refused('neither https nor http');
  if (url.username !== '' || url.password !== '') throw new Refused('a user name in the address');
  return url;
}

interface Download {
  readonly maxBytes: number;
  readonly accept: string;
  readonly signal: AbortSignal;
}

function download(url: URL, addresses: readonly ResolvedAddress[], options: Download): Promise<Buffer> {
  const { maxBytes, accept, signal } = options;
  return new Promise((resolve, reject) => {
    const get = url.protocol === 'https:' ? httpsGet : httpGet;
    // No shared agent: a connection that was opened under other rules must not be used again.
    const request = get(url, {
      agent: false,
      signal,
      lookup: pinned(addresses),
      headers: { Accept: accept, 'Accept-Encoding': 'identity', 'User-Agent': 'portalkit' },
    });
    request.on('error', reject);
    request.on('response', (response) => {
      collect(response, maxBytes)
        .then(resolve, reject)
        .finally(() => request.destroy());
    });
  });
}

/** Answers with the addresses that were judged, whatever the resolver would say now. */
function pinned(addresses: readonly ResolvedAddress[]): LookupFunction {
  return (_host, options, callback) => {
    const [first] = addresses;
    if (options.all) callback(null, [...addresses]);
    else callback(null, first?.address ?? '', first?.family);
  };
}

async function collect(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const encoding = response.headers['content-encoding'] ?? 'identity';
  if (response.statusCode !== 200 || encoding !== 'identity') throw new Refused(`answered ${response.statusCode}`);
  if (Number(response.headers['content-length'] ?? 0) > maxBytes) throw new TooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw new TooLarge();
    chunks.push(chunk);
  }
  if (!response.complete) throw new Refused('the answer broke off');
  return Buffer.concat(chunks);
}

/** A resolver takes no signal; what it says too late is not heard. */
function inTime<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Refused('too slow')), { once: true });
    work.then(resolve, reject);
  });
}

function refused(sentence: string, cause: unknown): ValidationError {
  return new ValidationError({ url: [sentence] }, { cause });
}
