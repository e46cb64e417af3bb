import type { SessionData } from 'express-session';
import { addSeconds, type Clock } from '../../core/index.js';

export interface SessionLifetime {
  /** Maximum seconds between requests. */
  readonly idle: number;
  /** Maximum lifetime in seconds. */
  readonly absolute: number;
}

/** When the session began and was last written, in addition to the data of the theme. */
export interface Timed extends SessionData {
  beganAt?: number;
  writtenAt?: number;
}

/** Precision of a session's end; a write per request would be too many. */
const WRITE_EVERY_MS = 60_000;

/** When a web session ends, by the portal's clock and whatever its store (S38). */
export class SessionTimes {
  constructor(
    private readonly lifetime: SessionLifetime,
    private readonly clock: Clock,
  ) {}

  get now(): number {
    return this.clock.now().getTime();
  }

  /** A session to be written: its data, and when it ends unless it is used again. */
  stamp(session: Timed): { readonly data: string; readonly expiresAt: Date } {
    const { now } = this;
    const { beganAt = now } = session;
    return { data: JSON.stringify({ ...session, beganAt, writtenAt: now }), expiresAt: this.endOf(beganAt, now) };
  }

  /** Whether a session has already ended, unless another request has used it since it was read. */
  isOver({ beganAt = this.now, writtenAt = beganAt }: Timed): boolean {
    return this.endOf(beganAt, writtenAt).getTime() <= this.now;
  }

  /** Notes that a session is stored from now on, and may only be changed while it is. */
  markBegun(session: Timed): void {
    session.beganAt ??= this.now;
  }

  private endOf(beganAt: number, writtenAt: number): Date {
    const idleEnd = addSeconds(new Date(writtenAt), this.lifetime.idle);
    const end = addSeconds(new Date(beganAt), this.lifetime.absolute);
    return idleEnd < end ? idleEnd : end;
  }

  /** Whether a read-only request must still write the session. */
  isDue({ writtenAt }: Timed): boolean {
    return writtenAt !== undefined && Math.abs(this.now - writtenAt) >= WRITE_EVERY_MS;
  }
}
