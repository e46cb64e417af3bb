import type { Socket } from 'node:net';

/** Longest interval between checks. */
const LONGEST_ROUND_MS = 2_000;

interface Progress {
  /** Bytes that the operating system has accepted. */
  sent: number;
  since: number;
}

/** Closes connections whose client stops reading, so that no data is buffered for it indefinitely (R31). */
export class StalledSockets {
  private readonly watched = new Map<Socket, Progress>();
  private timer: NodeJS.Timeout | undefined;

  /** @param patience milliseconds without progress */
  constructor(private readonly patience: number) {}

  /** Call it when a response begins. */
  watch(socket: Socket): void {
    this.watched.set(socket, { sent: -1, since: 0 });
    this.timer ??= setInterval(
      () => this.look(performance.now()),
      Math.min(this.patience / 4, LONGEST_ROUND_MS),
    ).unref();
  }

  /** Call it when the response has ended. */
  forget(socket: Socket): void {
    this.watched.delete(socket);
  }

  /** @internal */
  look(now: number): void {
    for (const [socket, progress] of this.watched) {
      const { writableLength: waiting } = socket;
      const sent = socket.bytesWritten - waiting;
      if (waiting === 0 || sent !== progress.sent) Object.assign(progress, { sent, since: now });
      else if (now - progress.since >= this.patience) socket.destroy();
    }
    if (this.watched.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }
}
