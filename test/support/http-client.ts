import { Agent, createServer, request as httpRequest, type IncomingHttpHeaders, type RequestListener } from 'node:http';
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

/** Looks at every answer of an application. */
export interface AnswerWatch {
  watch(listener: RequestListener): RequestListener;
  /** @throws when something was wrong with an answer since the last call */
  assertClean(): void;
}

/** An HTTP client for one application on a free loopback port. */
export class TestClient {
  private readonly agent = new Agent({ keepAlive: true });

  private constructor(
    readonly url: string,
    readonly port: number,
    readonly close: () => Promise<void>,
    private readonly watch: AnswerWatch | undefined,
  ) {}

  /** @param watch hears of every answer; its complaints are thrown at who asked, or when the client is closed */
  static async start(handler: RequestListener, watch?: AnswerWatch): Promise<TestClient> {
    const listener = watch?.watch(handler) ?? handler;
    const server = createServer(listener);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const close = async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    };
    return new TestClient(`http://127.0.0.1:${port}`, port, close, watch);
  }

  /** For who asked by other means. @throws when an answer since the last call was not documented */
  assertDocumented(): void {
    this.watch?.assertClean();
  }

  /** For a server that runs already. */
  static to(url: string): TestClient {
    return new TestClient(url, Number(new URL(url).port), () => Promise.resolve(), undefined);
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
    this.watch?.assertClean();
    return { status: response.status, headers: response.headers, text, json: parse(text) as Envelope };
  }

  /** Sends path and headers as they are, where `fetch` resolves `..` and `%2e%2e` and adds headers of its own. */
  sendAsItIs(method: string, path: string, headers: Record<string, string>, body?: Buffer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { 'content-length': String(body.length) };
      const options = { method, path, port: this.port, agent: this.agent, headers: { ...headers, ...length } };
      const request = httpRequest({ host: '127.0.0.1', ...options }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          try {
            this.watch?.assertClean();
          } catch (fault) {
            return reject(fault instanceof Error ? fault : new Error(String(fault)));
          }
          const text = Buffer.concat(chunks).toString();
          const status = response.statusCode ?? 0;
          resolve({ status, headers: asHeaders(response.headers), text, json: parse(text) as Envelope });
        });
      });
      request.on('error', reject);
      request.end(body);
    });
  }

  /** Sends the head and a part of the body; the rest with `finish`, which resolves with all that comes back. */
  sendSlowly(method: string, path: string, { headers, body }: { headers: Record<string, string>; body: string }) {
    const socket = connect(this.port, '127.0.0.1');
    let received = '';
    socket.on('data', (chunk) => (received += chunk.toString()));
    const ended = new Promise<string>((resolve, reject) => {
      socket.on('close', () => resolve(received));
      socket.on('error', reject);
    });
    const all = {
      host: '127.0.0.1',
      connection: 'close',
      'content-length': String(Buffer.byteLength(body)),
      ...headers,
    };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    const head = `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
    const begun = new Promise<void>((resolve) => socket.write(head + body.slice(0, 5), () => resolve()));
    const finish = () => {
      socket.write(body.slice(5));
      return ended;
    };
    return { begun, finish };
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

function asHeaders(sent: IncomingHttpHeaders): Headers {
  return new Headers(Object.entries(sent).map(([name, value]) => [name, String(value)]));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
