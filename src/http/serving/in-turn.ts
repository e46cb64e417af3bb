import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Requests of one connection that may be without an answer, the one that is worked on included. Browsers and proxies send
 * one, clients that pipeline a few.
 * @internal
 */
export const MOST_UNANSWERED = 32;

interface TurnWatch {
  /** An answer begins. */
  watch(socket: Socket): void;
  /** It has ended, or its client is gone. */
  forget(socket: Socket): void;
}

/**
 * Works on the requests of a connection one after the other, as they are answered. Node hands over all that a client sent at
 * once, more than a thousand in one read: they would be worked on side by side, for a client that may be gone. Whoever sends
 * too many ahead is cut off.
 */
export function inTurn(listener: RequestListener, watch: TurnWatch): RequestListener {
  const lines = new WeakMap<Socket, (() => void)[]>();
  const lineOf = (socket: Socket) => {
    const known = lines.get(socket);
    if (known) return known;
    const line: (() => void)[] = [];
    lines.set(socket, line);
    // Answers whose turn had not come are never told that it closed.
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

/** Nothing can be answered any more; a client that has said all it has to say is still there. */
function isGone({ destroyed, writableEnded }: Socket): boolean {
  return destroyed || writableEnded;
}
