import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** One request as it arrived. */
export interface RecordedRequest {
  readonly method: string;
  /** As it was sent: encoded, with its query. */
  readonly path: string;
  /** Decoded once; `..` stays what it is. */
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** Empty unless JSON was sent. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Empty unless a form was sent. */
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
