import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

export interface RecordedRequest {
  readonly method: string;
  /** As sent: encoded, with the query. */
  readonly path: string;
  /** Decoded once; `..` is not resolved. */
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** Empty for other content. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Empty for other content. */
  readonly form: URLSearchParams;
  readonly at?: Date;
}

/** Reads a request without tidying its path up, as a URL parser would. */
export async function readApiRequest(incoming: IncomingMessage): Promise<RecordedRequest> {
  const { method = 'GET', url: path = '/', headers } = incoming;
  const [place = '', query = ''] = path.split('?', 2);
  const chunks: Buffer[] = [];
  for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  const type = headers['content-type'] ?? '';
  return {
    ...{ method, path, headers },
    segments: place
      .split('/')
      .filter((_, index) => index > 0)
      .map(decodeURIComponent),
    query: new URLSearchParams(query),
    body: type.startsWith('application/json') && text !== '' ? (JSON.parse(text) as Record<string, unknown>) : {},
    form: new URLSearchParams(type.startsWith('application/x-www-form-urlencoded') ? text : ''),
  };
}
