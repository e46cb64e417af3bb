import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Balancers ask on for as long as they live; that is no sign that they send anybody. */
const PROBE = /\/health\/(ready|live)$/;
/** Whoever connected a moment ago is about to ask; browsers also connect ahead and may never do so. */
const FIRST_REQUEST_MS = 1_000;

/**
 * The connections of a server and the answers that are under way on each, so that it can end without breaking one off.
 * Node's own bookkeeping calls a connection idle while the end of a long answer still waits to be sent, and leaves one open
 * on which nothing was ever asked.
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

  /** From now on every answer is the last one of its connection, so that no proxy keeps one that is about to go. */
  leave(): void {
    this.isLeaving = true;
    for (const responses of this.answers.values()) for (const response of responses) markLast(response);
  }

  /** How many connections were taken from the system until now. */
  get taken(): number {
    return this.count;
  }

  /** Milliseconds since somebody asked for more than how we are. */
  quietFor(): number {
    return performance.now() - this.askedAt;
  }

  /** Closes what nobody waits on, and everything else as soon as its answers are sent. */
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
