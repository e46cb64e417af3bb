import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Messages have 20 kB at most. */
const MOST_BYTES = 65_536;

/** A message that came, with all that is signed. */
export interface HeardWebhook {
  readonly id: string;
  readonly timestamp: string;
  readonly signatures: string;
  /** As it came. */
  readonly body: string;
}

/** Takes the messages of an endpoint and echoes challenges, for `portal webhooks:listen`. */
export class WebhookListener {
  private constructor(private readonly server: Server) {}

  /**
   * @param hear called with each message. @returns whether it is to be taken; others are answered with 401
   * @throws what `node:http` throws when the port cannot be had
   */
  static async start(
    { host, port }: { readonly host: string; readonly port: number },
    hear: (message: HeardWebhook) => boolean,
  ): Promise<WebhookListener> {
    const server = createServer((request, response) => void take(request, response, hear));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(port, host, resolve);
    });
    return new WebhookListener(server);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

async function take(
  request: IncomingMessage,
  response: ServerResponse,
  hear: (message: HeardWebhook) => boolean,
): Promise<void> {
  if (request.method !== 'POST') return void response.writeHead(405, { Allow: 'POST' }).end();
  const body = await readBody(request);
  if (body === null) return void response.writeHead(413).end();
  const header = (name: string) => String(request.headers[name] ?? '');
  const signed = { timestamp: header('webhook-timestamp'), signatures: header('webhook-signature') };
  if (!hear({ id: header('webhook-id'), ...signed, body })) return void response.writeHead(401).end();
  const challenge = challengeOf(body);
  response.writeHead(200, { 'Content-Type': 'application/json' });
  response.end(challenge === null ? '{}' : JSON.stringify({ challenge }));
}

async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function challengeOf(body: string): string | null {
  try {
    const { type, data } = JSON.parse(body) as { type?: unknown; data?: { challenge?: unknown } };
    return type === 'webhook.challenge' && typeof data?.challenge === 'string' ? data.challenge : null;
  } catch {
    return null;
  }
}
