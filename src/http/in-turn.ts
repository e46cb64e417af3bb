import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Maximum unanswered requests per connection, including the current one. Browsers and proxies send one at a time,
 * clients that pipeline a few.
 * @internal
 */
export const MOST_UNANSWERED = 32;

interface TurnWatch {
  /** A response begins. */
  watch(socket: Socket): void;
  /** The response has ended, or its client is gone. */
  forget(socket: Socket): void;
}

/**
 * Handles the requests of a connection one at a time, in order. Node delivers all that a client pipelined, more than a
 * thousand in one read, and would run them in parallel for a client that may be gone. Clients that send too many ahead
 * are cut off.
 */
export function inTurn(listener: RequestListener, watch: TurnWatch): RequestListener {
  const lines = new WeakMap<Socket, (() => void)[]>();
  const lineOf = (socket: Socket) => {
    const known = lines.get(socket);
    if (known) return known;
    const line: (() => void)[] = [];
    lines.set(socket, line);
    // Queued responses get no close event.
    socket.once('close', () => {
      line.length = 0;
      watch.forget(socket);
    });
    return line;
  };
  return (request, response) => {
    const { socket } = request;
    if (isGone(socket)) return;
    const line = lineOf(socket);
    if (line.length >= MOST_UNANSWERED) return void socket.destroy();
    line.push(() => {
      if (isGone(socket)) return;
      watch.watch(socket);
      listener(request, response);
    });
    response.once('close', () => {
      line.shift();
      watch.forget(socket);
      line[0]?.();
    });
    if (line.length === 1) line[0]?.();
  };
}

/** No longer answerable; a client that only half-closed its side still is. */
function isGone({ destroyed, writableEnded }: Socket): boolean {
  return destroyed || writableEnded;
}
