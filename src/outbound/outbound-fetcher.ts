import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { ValidationError } from '../core/index.js';
import { OutboundError } from './errors.js';
import { Allowlist } from './allowlist.js';
import { send, type OutboundAnswer, type ResolvedAddress } from './send.js';
import { isSpecialAddress } from './special-addresses.js';

const DEADLINE_MS = 5_000;
const MOST_BYTES = 2 * 1024 * 1024;
const LONGEST_URL = 2048;
/** Ports of public https servers. */
const PORTS: readonly string[] = ['', '443', '8443'];

export interface OutboundSettings {
  /** `outbound.allow` */
  readonly allow: readonly string[];
  /** Also exempt, with exactly this scheme, host and port: `https://login.internal:8443`. */
  readonly origins?: readonly string[];
  /** Milliseconds for the whole exchange, from name resolution to the last byte. */
  readonly deadline?: number;
  readonly resolve?: (host: string) => Promise<readonly ResolvedAddress[]>;
}

export interface FetchOptions {
  /** Limit of the body; 2 MB by default. */
  readonly maxBytes?: number;
  /** Value of `Accept`. */
  readonly accept?: string;
}

export interface OutboundRequest extends Pick<FetchOptions, 'maxBytes'> {
  /** GET by default. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer | undefined;
  /** Only the first `maxBytes` of the answer are wanted: a longer one is cut, a compressed one left out. */
  readonly isCut?: boolean;
}

/**
 * The only way to request a URL from outside: from a user's form, or a provider's metadata (S63). Without exemption:
 * https, a usual port, no user name, and only public addresses behind the name. The name is resolved once and the
 * connection goes to the checked address, so DNS rebinding has no effect. Redirects are not followed. Hosts and
 * networks of `outbound.allow` may also be private, on any port and plain http.
 */
export class OutboundFetcher {
  private readonly allowlist: Allowlist;

  constructor(private readonly settings: OutboundSettings) {
    this.allowlist = new Allowlist(settings.allow);
  }

  /** The same fetcher with other exemptions in place of `outbound.allow`. */
  withExemptions(settings: Pick<OutboundSettings, 'origins' | 'deadline'>): OutboundFetcher {
    return new OutboundFetcher({ ...this.settings, ...settings, allow: [] });
  }

  /** The same fetcher with another deadline in milliseconds. */
  withDeadline(deadline: number): OutboundFetcher {
    return new OutboundFetcher({ ...this.settings, deadline });
  }

  /**
   * One request and its complete response, whatever the status.
   * @throws OutboundError
   */
  async request(text: string, { maxBytes = MOST_BYTES, ...given }: OutboundRequest = {}): Promise<OutboundAnswer> {
    const { method = 'GET', headers = {}, body, isCut = false } = given;
    const deadline = this.settings.deadline ?? DEADLINE_MS;
    const signal = AbortSignal.timeout(deadline);
    try {
      const url = parse(text);
      const addresses = await raceSignal(this.resolvePermitted(url), signal);
      const answer = await send(url, addresses, { method, headers, body, maxBytes, isCut, signal });
      return { ...answer, isPublic: !addresses.some(({ address }) => isSpecialAddress(address)) };
    } catch (error) {
      if (error instanceof OutboundError) throw error;
      if (signal.aborted) throw new OutboundError('too-slow', `no whole answer within ${deadline} ms`, error);
      throw new OutboundError('failed', 'the connection failed', error);
    }
  }

  /**
   * The body at a URL that somebody entered.
   * @throws ValidationError on `url`, with one sentence for whatever is refused, unreachable, too slow or not a 200
   */
  async fetch(text: string, { maxBytes = MOST_BYTES, accept = '*/*' }: FetchOptions = {}): Promise<Buffer> {
    try {
      const { status, body } = await this.request(text, { maxBytes, headers: { Accept: accept } });
      if (status !== 200) throw new OutboundError('failed', `answered ${status}`);
      return body;
    } catch (error) {
      const isTooLarge = error instanceof OutboundError && error.failure === 'too-large';
      const sentence = isTooLarge
        ? `The answer is larger than ${maxBytes} bytes.`
        : 'URL not allowed or not reachable.';
      throw new ValidationError({ url: [sentence] }, { cause: error });
    }
  }

  // All addresses must be permitted, because we do not choose which one is connected to.
  private async resolvePermitted(url: URL): Promise<readonly ResolvedAddress[]> {
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const family = isIP(host);
    const addresses = family === 0 ? await this.resolve(host) : [{ address: host, family }];
    const ordinary = url.protocol === 'https:' && PORTS.includes(url.port);
    const isAllowed = this.allowlist.coversHost(host) || (this.settings.origins ?? []).includes(url.origin);
    const open = ({ address }: ResolvedAddress) =>
      isAllowed || this.allowlist.coversAddress(address) || (ordinary && !isSpecialAddress(address));
    if (addresses.length === 0 || !addresses.every(open)) throw refuse(`${url.origin} is no public https address`);
    return addresses;
  }

  private resolve(host: string): Promise<readonly ResolvedAddress[]> {
    return this.settings.resolve?.(host) ?? lookup(host, { all: true });
  }
}

function parse(text: string): URL {
  if (text.length > LONGEST_URL || !URL.canParse(text)) throw refuse('the address is no URL, or too long');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw refuse('neither https nor http');
  if (url.username !== '' || url.password !== '') throw refuse('a user name in the address');
  return url;
}

const refuse = (detail: string) => new OutboundError('refused', detail);

/** A resolver takes no signal; a late result is ignored. */
function raceSignal<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('too slow')), { once: true });
    work.then(resolve, reject);
  });
}
