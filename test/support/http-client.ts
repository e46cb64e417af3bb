import { createServer, type RequestListener } from 'node:http';
import { connect, type AddressInfo } from 'node:net';

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** The parsed envelope; undefined when the body is not JSON. */
  json: Envelope;
}

export interface Envelope {
  success: boolean;
  status: number;
  message: string;
  // Tests read arbitrary records out of it.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  data: any;
  errors: Record<string, string[]>;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  meta: any;
}

export interface Call {
  body?: unknown;
  /** Sent as it is, with `type` as Content-Type. */
  raw?: string | Buffer;
  type?: string;
  token?: string;
  headers?: Record<string, string>;
}

/** An HTTP client for one application on a free loopback port. */
export class TestClient {
  private constructor(
    readonly url: string,
    readonly port: number,
    readonly close: () => Promise<void>,
  ) {}

  static async start(listener: RequestListener): Promise<TestClient> {
    const server = createServer(listener);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    return new TestClient(`http://127.0.0.1:${port}`, port, async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    });
  }

  get = (path: string, call?: Call): Promise<Answer> => this.send('GET', path, call);
  post = (path: string, body?: unknown, call?: Call): Promise<Answer> => this.send('POST', path, { body, ...call });
  put = (path: string, body?: unknown, call?: Call): Promise<Answer> => this.send('PUT', path, { body, ...call });
  delete = (path: string, call?: Call): Promise<Answer> => this.send('DELETE', path, call);

  async send(method: string, path: string, call: Call = {}): Promise<Answer> {
    const headers: Record<string, string> = { accept: 'application/json', ...call.headers };
    if (call.token !== undefined) headers.authorization = `Bearer ${call.token}`;
    let body: string | Buffer | undefined = call.raw;
    if (call.body !== undefined) body = JSON.stringify(call.body);
    if (body !== undefined) headers['content-type'] = call.type ?? 'application/json';
    const response = await fetch(this.url + path, {
      method,
      headers,
      redirect: 'manual',
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: parse(text) as Envelope };
  }

  /** Sends bytes that no client library would and returns all that comes back. */
  rawRequest(bytes: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect(this.port, '127.0.0.1');
      let received = '';
      socket.on('data', (chunk) => (received += chunk.toString()));
      socket.on('close', () => resolve(received));
      socket.on('error', reject);
      socket.write(bytes);
    });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
