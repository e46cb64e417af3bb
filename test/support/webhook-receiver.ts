import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a receiver got. */
export interface ReceivedWebhook {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly id: string;
  readonly type: string;
}

/** A server that takes webhooks and echoes challenges; `answer` decides what else it says. */
export class WebhookReceiver {
  readonly received: ReceivedWebhook[] = [];
  /** Nothing: it never answers. */
  answer: { status: number; body?: string; headers?: Record<string, string> } | null = { status: 200, body: 'ok' };
  /** Sends back another challenge than it was given. */
  isLiar = false;
  /** The most requests that were under way at once. */
  mostAtOnce = 0;
  /** Also those without a request. */
  connections = 0;
  /** Waited for before a challenge is echoed. */
  beforeEcho: () => Promise<unknown> = () => Promise.resolve();
  private atOnce = 0;

  private constructor(private readonly server: Server) {}

  /** @param port any free one by default */
  static async start(port = 0): Promise<WebhookReceiver> {
    const listen: { handle: RequestListener } = { handle: () => undefined };
    const server = createServer((request, response) => listen.handle(request, response));
    const receiver = new WebhookReceiver(server);
    server.on('connection', () => (receiver.connections += 1));
    listen.handle = (request, response) => {
      const chunks: Buffer[] = [];
      receiver.count(response);
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => receiver.take(request.headers, Buffer.concat(chunks).toString(), response));
    };
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/hook`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private count(response: Parameters<RequestListener>[1]): void {
    this.mostAtOnce = Math.max(this.mostAtOnce, (this.atOnce += 1));
    response.on('close', () => (this.atOnce -= 1));
  }

  private take(headers: IncomingHttpHeaders, body: string, response: Parameters<RequestListener>[1]): void {
    const { type, data } = JSON.parse(body) as { type: string; data: { challenge?: string } };
    if (type === 'webhook.challenge') {
      const challenge = this.isLiar ? 'something else' : data.challenge;
      return void this.beforeEcho().then(() => response.end(JSON.stringify({ challenge })));
    }
    this.received.push({ headers, body, id: String(headers['webhook-id']), type });
    if (this.answer) response.writeHead(this.answer.status, this.answer.headers).end(this.answer.body);
  }
}
