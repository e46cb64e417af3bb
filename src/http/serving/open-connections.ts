import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Load balancers keep probing; that does not mean they still send traffic. */
const PROBE = /\/health\/(ready|live)$/;
/** A new connection usually sends a request at once; browsers also preconnect and may never send one. */
const FIRST_REQUEST_MS = 1_000;

/**
 * Tracks connections and their pending answers, so that a server can close without cutting one off. Node itself treats
 * a connection as idle while the end of a long answer is still buffered, and keeps open those that never sent a
 * request.
 */
export class OpenConnections {
  private readonly answers = new Map<Socket, Set<ServerResponse>>();
  private readonly unasked = new Set<Socket>();
  private askedAt = -Infinity;
  private count = 0;
  private isLeaving = false;
  private isClosing = false;

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => this.opened(socket));
    server.prependListener('request', ({ socket, url = '' }, response) => {
      if (!PROBE.test(url)) this.askedAt = performance.now();
      this.asked(socket, response);
    });
    // `server.close` calls it too.
    server.closeIdleConnections = () => this.closeIdle();
  }

  /** From now on every answer closes its connection, so that proxies do not reuse it. */
  leave(): void {
    this.isLeaving = true;
    for (const responses of this.answers.values()) for (const response of responses) markLast(response);
  }

  /** Number of connections accepted so far. */
  get taken(): number {
    return this.count;
  }

  /** Milliseconds since the last request other than a health probe. */
  quietFor(): number {
    return performance.now() - this.askedAt;
  }

  /** Closes idle connections now, and the others once their answers are sent. */
  private closeIdle(): void {
    this.isClosing = true;
    for (const [socket, responses] of this.answers) {
      if (responses.size === 0 && !this.unasked.has(socket)) socket.destroy();
    }
    const closeUnasked = () => {
      for (const socket of this.unasked) socket.destroy();
    };
    // After the round that reads what has come by then.
    setTimeout(() => setImmediate(closeUnasked), FIRST_REQUEST_MS).unref();
  }

  private opened(socket: Socket): void {
    this.count += 1;
    this.answers.set(socket, new Set());
    this.unasked.add(socket);
    socket.once('close', () => {
      this.answers.delete(socket);
      this.unasked.delete(socket);
    });
  }

  private asked(socket: Socket, response: ServerResponse): void {
    this.unasked.delete(socket);
    const responses = this.answers.get(socket);
    responses?.add(response);
    if (this.isLeaving) markLast(response);
    response.once('close', () => {
      responses?.delete(response);
      // What was announced as one of several is closed by us.
      if (this.isClosing && responses?.size === 0) socket.end();
    });
  }
}

function markLast(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}
