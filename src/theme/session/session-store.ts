import { Store, type SessionData } from 'express-session';
import { addSeconds, type Clock } from '../../kernel/index.js';

/** Where sessions are kept; by contract an `update` never brings an ended session back (S39). */
export interface SessionRows {
  read(id: string): Promise<string | null>;
  create(id: string, data: string, expiresAt: Date): Promise<void>;
  update(id: string, data: string, expiresAt: Date): Promise<void>;
  end(id: string): Promise<void>;
}

export interface SessionLifetime {
  /** Seconds without a request. */
  readonly idle: number;
  /** Seconds in any case. */
  readonly absolute: number;
}

/** When the session began and was last written, beside what the theme keeps in it. */
interface Stored extends SessionData {
  beganAt?: number;
  writtenAt?: number;
}

type Done = (error?: unknown) => void;

/** The end of a session is exact to this; a write per request would be too many. */
const WRITE_EVERY_MS = 60_000;

/** express-session over rows whose end the server decides (S38). */
export class SessionStore extends Store {
  constructor(
    private readonly rows: SessionRows,
    private readonly lifetime: SessionLifetime,
    private readonly clock: Clock,
  ) {
    super();
  }

  override get(id: string, done: (error: unknown, session?: SessionData | null) => void): void {
    this.rows.read(id).then(
      (data) => done(null, data === null ? null : (JSON.parse(data) as SessionData)),
      (error: unknown) => done(error),
    );
  }

  override set(id: string, session: Stored, done: Done = () => undefined): void {
    this.write(id, session).then(() => done(), done);
  }

  override touch(id: string, session: Stored, done: Done = () => undefined): void {
    const { writtenAt } = session;
    if (writtenAt === undefined || Math.abs(this.now() - writtenAt) < WRITE_EVERY_MS) return done();
    this.write(id, session).then(() => done(), done);
  }

  override destroy(id: string, done: Done = () => undefined): void {
    this.rows.end(id).then(() => done(), done);
  }

  private async write(id: string, session: Stored): Promise<void> {
    const now = this.now();
    const { beganAt = now } = session;
    const data = JSON.stringify({ ...session, beganAt, writtenAt: now });
    const idleEnd = addSeconds(new Date(now), this.lifetime.idle);
    const end = addSeconds(new Date(beganAt), this.lifetime.absolute);
    const expiresAt = idleEnd < end ? idleEnd : end;
    if (session.beganAt === undefined) await this.rows.create(id, data, expiresAt);
    else await this.rows.update(id, data, expiresAt);
    // From now on it is there, and may only be changed as long as it is.
    session.beganAt = beganAt;
  }

  private now(): number {
    return this.clock.now().getTime();
  }
}
