import { createServer, STATUS_CODES, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { errorEnvelope } from './envelope.js';

/** Slow clients are cut off (R31); idle connections outlive those of common proxies (nginx 60 s, ALB 60 s). */
const HEADERS_TIMEOUT_MS = 15_000;
const REQUEST_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_TIMEOUT_MS = 75_000;
const DRAIN_MS = 25_000;

export interface RunningServer {
  /** The address that was bound; tells the port when 0 was asked for. */
  readonly address: AddressInfo;
  /** Stops accepting, lets running requests finish for at most 25 s, then closes what is left (R03). */
  close(): Promise<void>;
}

/**
 * Listens until closed.
 * @param onDrain called first when closing, so that readiness turns before the listener goes
 * @throws the system error of `listen`, for example EADDRINUSE
 */
export async function startServer(
  listener: RequestListener,
  host: string,
  port: number,
  onDrain: () => void,
): Promise<RunningServer> {
  const server = createServer({
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
  });
  let closing = false;
  server.on('request', (request, response) => {
    if (closing) response.setHeader('Connection', 'close');
    listener(request, response);
  });
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
    close: () => {
      closing = true;
      onDrain();
      return drain(server);
    },
  };
}

async function drain(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const deadline = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  await closed;
  clearTimeout(deadline);
}

// What is not even HTTP never reaches Express; it still gets the envelope.
function refuseBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
  const status = error.code === 'HPE_HEADER_OVERFLOW' ? 431 : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
  const message = status === 400 ? 'Malformed request.' : `${STATUS_CODES[status]}.`;
  const body = JSON.stringify(errorEnvelope(status, message));
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\nX-Content-Type-Options: nosniff\r\n\r\n${body}`,
  );
}
