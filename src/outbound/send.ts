import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { OutboundError } from './errors.js';

/** An address that a name resolves to, as `dns.lookup` returns it. */
export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

export interface OutboundAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Whether it came from a public address. */
  readonly isPublic: boolean;
}

type Received = Omit<OutboundAnswer, 'isPublic'>;

export interface Sending {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | undefined;
  readonly maxBytes: number;
  readonly isCut: boolean;
  readonly signal: AbortSignal;
}

/**
 * One request to addresses that were checked before, and its complete response.
 * @throws OutboundError for a response that is too large or breaks off, and the system error of the connection
 */
export function send(url: URL, addresses: readonly ResolvedAddress[], sending: Sending): Promise<Received> {
  const { method, headers, body, signal } = sending;
  return new Promise((resolve, reject) => {
    const open = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const request = open(url, {
      method,
      signal,
      // No shared agent: a connection opened under other rules must not be reused.
      agent: false,
      lookup: pinAddresses(addresses),
      headers: { 'User-Agent': 'portalkit', ...headers, 'Accept-Encoding': 'identity' },
    });
    request.on('error', reject);
    request.on('response', (response) => {
      collect(response, sending)
        .then(resolve, reject)
        .finally(() => request.destroy());
    });
    request.end(body);
  });
}

/** Returns the checked addresses, whatever the resolver would say now. */
function pinAddresses(addresses: readonly ResolvedAddress[]): LookupFunction {
  return (_host, options, callback) => {
    const [first] = addresses;
    if (options.all) callback(null, [...addresses]);
    else callback(null, first?.address ?? '', first?.family);
  };
}

async function collect(response: IncomingMessage, { maxBytes, isCut }: Sending): Promise<Received> {
  const { statusCode: status = 0, headers } = response;
  const isCompressed = (headers['content-encoding'] ?? 'identity') !== 'identity';
  if (isCompressed && isCut) return { status, headers, body: Buffer.alloc(0) };
  if (isCompressed) throw reportFailure('the answer is compressed');
  if (!isCut && Number(headers['content-length'] ?? 0) > maxBytes) throw refuseSize(maxBytes);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes && !isCut) throw refuseSize(maxBytes);
    chunks.push(chunk);
    if (size >= maxBytes && isCut) return { status, headers, body: Buffer.concat(chunks).subarray(0, maxBytes) };
  }
  if (!response.complete) throw reportFailure('the answer broke off');
  return { status, headers, body: Buffer.concat(chunks) };
}

const reportFailure = (detail: string) => new OutboundError('failed', detail);
const refuseSize = (maxBytes: number) => new OutboundError('too-large', `the answer is larger than ${maxBytes} bytes`);
