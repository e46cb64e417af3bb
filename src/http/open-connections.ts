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
  private readonly silent = new Set<Socket>();
  private lastRequestAt = -Infinity;
  private count = 0;
  private isLeaving = false;
  private isClosing = false;

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => this.trackSocket(socket));
    server.prependListener('request', ({ socket, url = '' }, response) => {
      if (!PROBE.test(url)) this.lastRequestAt = performance.now();
      this.trackRequest(socket, response);
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
  measureQuiet(): number {
    return performance.now() - this.lastRequestAt;
  }

  /** Closes idle connections now, and the others once their answers are sent. */
  private closeIdle(): void {
    this.isClosing = true;
    for (const [socket, responses] of this.answers) {
      if (responses.size === 0 && !this.silent.has(socket)) socket.destroy();
    }
    const closeSilent = () => {
      for (const socket of this.silent) socket.destroy();
    };
    // Only after the poll phase that follows the timer has read what arrived.
    setTimeout(() => setImmediate(closeSilent), FIRST_REQUEST_MS).unref();
  }

  private trackSocket(socket: Socket): void {
    this.count += 1;
    this.answers.set(socket, new Set());
    this.silent.add(socket);
    socket.once('close', () => {
      this.answers.delete(socket);
      this.silent.delete(socket);
    });
  }

  private trackRequest(socket: Socket, response: ServerResponse): void {
    this.silent.delete(socket);
    const responses = this.answers.get(socket);
    responses?.add(response);
    if (this.isLeaving) markLast(response);
    response.once('close', () => {
      responses?.delete(response);
      // A response that did not announce `Connection: close` leaves the socket open, so close it here.
      if (this.isClosing && responses?.size === 0) socket.end();
    });
  }
}

function markLast(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}
