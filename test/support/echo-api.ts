import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface EchoedCall {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What the paths that begin so answer instead. */
const ANSWERS: Readonly<Record<string, { readonly type: string; readonly body: string | Buffer }>> = {
  '/picture': {
    type: 'image/png',
    body: Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    ),
  },
  '/drawing': { type: 'image/svg+xml', body: '<svg xmlns="http://www.w3.org/2000/svg" onload="window.__xss = 1"/>' },
  '/page': { type: 'text/html', body: '<img src=x onerror="window.__xss = 1"><script>window.__xss = 1</script>' },
  '/bytes': { type: 'application/octet-stream', body: Buffer.from([0, 1, 2, 255]) },
  '/large': {
    type: 'application/json',
    body: JSON.stringify(Array.from({ length: 400_000 }, (_none, index) => index)),
  },
};

/** An API somewhere else: it tells what it was asked, and takes requests of web pages unless the path is `/closed`. */
export class EchoApi {
  /** Without those that browsers send ahead to ask. */
  readonly calls: EchoedCall[] = [];

  private constructor(
    readonly origin: string,
    readonly close: () => Promise<void>,
  ) {}

  static async start(): Promise<EchoApi> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const api = new EchoApi(`http://127.0.0.1:${port}`, async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    });
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { method = '', url = '', headers } = request;
        if (!url.startsWith('/closed')) {
          response.setHeader('Access-Control-Allow-Origin', '*');
          response.setHeader('Access-Control-Allow-Headers', '*, Authorization');
          response.setHeader('Access-Control-Allow-Methods', '*');
        }
        if (method === 'OPTIONS') return void response.writeHead(204).end();
        const call = { method, url, headers, body: Buffer.concat(chunks).toString() };
        api.calls.push(call);
        if (url.startsWith('/away')) return void response.writeHead(302, { Location: '/elsewhere' }).end();
        const other = Object.entries(ANSWERS).find(([start]) => url.startsWith(start))?.[1];
        if (other) return void response.writeHead(200, { 'Content-Type': other.type }).end(other.body);
        response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ asked: url, method }));
      });
    });
    return api;
  }
}
