import { createServer, STATUS_CODES, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { errorEnvelope } from './answer/envelope.js';
import { OpenConnections } from './open-connections.js';
import { SECURITY_HEADERS } from './protection.js';

/**
 * Slow clients are cut off (R31); idle connections outlive those of common proxies (nginx 60 s, ALB 60 s). Node looks for
 * slow clients every 30 s unless told otherwise, which would add as much to each limit. Milliseconds.
 * @internal
 */
export const SERVER_TIMEOUTS = {
  headersTimeout: 15_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 2_000,
  keepAliveTimeout: 75_000,
};
const DRAIN_MS = 25_000;
const QUIET_MS = 500;
const SHORT_ROUND_MS = 1;
const QUIET_ROUNDS = 3;
/** Longest time that requests are held while the listener closes. */
const LONGEST_HOLD_MS = 1_000;

export interface ServerOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Called first when closing, so that readiness fails before the listener closes. */
  readonly onDrain: () => void;
  /**
   * Seconds between that and closing the listener, for load balancers to notice; up to twice as many while requests
   * still arrive. None by default.
   */
  readonly drainDelay?: number;
  readonly timeouts?: typeof SERVER_TIMEOUTS;
}

export interface RunningServer {
  /** The bound address, with the actual port if 0 was requested. */
  readonly address: AddressInfo;
  /**
   * Drains: turns readiness off, waits for `drainDelay`, stops accepting, lets running requests finish for at most 25
   * s, then closes what is left (R03).
   * @param options.atOnce skips the delay, for a server that got no traffic
   */
  close(options?: { readonly atOnce?: boolean }): Promise<void>;
}

/**
 * Listens until closed.
 * @throws the system error of `listen`, for example EADDRINUSE
 */
export async function startServer(listener: RequestListener, options: ServerOptions): Promise<RunningServer> {
  const { host, port, onDrain, drainDelay = 0, timeouts = SERVER_TIMEOUTS } = options;
  // The application refuses a missing Host, with the error envelope.
  const requests = new RequestHold(listener);
  const server = createServer({ ...timeouts, requireHostHeader: false }, requests.listener);
  const connections = new OpenConnections(server);
  server.on('checkExpectation', (_request, response) => refuseExpectation(response));
  server.on('clientError', refuseBrokenRequest);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return {
    address: server.address() as AddressInfo,
    async close({ atOnce = false } = {}) {
      onDrain();
      connections.leave();
      if (!atOnce) await waitForQuiet(connections, drainDelay * 1000);
      await drain(server, requests, connections);
    },
  };
}

async function waitForQuiet(connections: OpenConnections, delay: number): Promise<void> {
  await pause(delay);
  const end = performance.now() + delay;
  while (performance.now() < end && connections.measureQuiet() < QUIET_MS) await pause(QUIET_MS / 5);
}

// Closing resets connections that the system has accepted but we have not. The event loop accepts one per turn, so
// close only after turns that accepted none and were otherwise idle.
async function waitForPendingConnections(connections: OpenConnections): Promise<void> {
  const end = performance.now() + LONGEST_HOLD_MS;
  for (let quiet = 0; quiet < QUIET_ROUNDS && performance.now() < end;) {
    const [began, taken] = [performance.now(), connections.taken];
    await turn();
    const isQuiet = connections.taken === taken && performance.now() - began < SHORT_ROUND_MS;
    quiet = isQuiet ? quiet + 1 : 0;
  }
}

// Under load there would be no idle turn: every answer brings its client back on a new connection. So new requests are
// held for a moment.
async function drain(server: Server, requests: RequestHold, connections: OpenConnections): Promise<void> {
  requests.hold();
  await waitForPendingConnections(connections);
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  requests.release();
  const deadline = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  await closed;
  clearTimeout(deadline);
}

// Node handles `Expect: 100-continue` itself; to any other expectation it would answer without a body.
function refuseExpectation(response: ServerResponse): void {
  const { headers, body } = refusal(417);
  response.writeHead(417, headers).end(body);
}

// Input that is not HTTP never reaches Express; it still gets the error envelope.
function refuseBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
  const status = error.code === 'HPE_HEADER_OVERFLOW' ? 431 : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
  const { headers, body } = refusal(status);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
}

function refusal(status: number): { headers: Record<string, string>; body: string } {
  const message = status === 400 ? 'Malformed request.' : `${STATUS_CODES[status]}.`;
  const body = JSON.stringify(errorEnvelope(status, message));
  const headers = {
    ...SECURITY_HEADERS,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  };
  return { headers, body };
}

/**
 * Sits between a server and its application and can hold requests back. Clients that wait for an answer open no new
 * connection, so the server reaches a moment with no connection pending.
 */
class RequestHold {
  private waiting: (() => void)[] | null = null;

  constructor(private readonly application: RequestListener) {}

  readonly listener: RequestListener = (request, response) => {
    const begin = () => this.application(request, response);
    if (this.waiting) this.waiting.push(begin);
    else begin();
  };

  hold(): void {
    this.waiting ??= [];
  }

  /** Starts all held requests, in order of arrival. */
  release(): void {
    const waiting = this.waiting ?? [];
    this.waiting = null;
    for (const begin of waiting) begin();
  }
}
