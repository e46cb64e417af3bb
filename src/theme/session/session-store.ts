import { Store, type SessionData } from 'express-session';
import type { SessionTimes, Timed } from './session-times.js';

/** A store of sessions; by contract an `update` never revives one that has ended or expired (S39). */
export interface SessionRows {
  read(id: string): Promise<string | null>;
  create(id: string, data: string, expiresAt: Date): Promise<void>;
  update(id: string, data: string, expiresAt: Date): Promise<void>;
  end(id: string): Promise<void>;
}

type Done = (error?: unknown) => void;

/** Stores sessions of express-session as rows, in the database or in this process. */
export class RowSessionStore extends Store {
  constructor(
    private readonly rows: SessionRows,
    private readonly times: SessionTimes,
  ) {
    super();
  }

  override get(id: string, done: (error: unknown, session?: SessionData | null) => void): void {
    this.rows.read(id).then(
      (data) => done(null, data === null ? null : (JSON.parse(data) as SessionData)),
      (error: unknown) => done(error),
    );
  }

  override set(id: string, session: Timed, done: Done = () => undefined): void {
    this.write(id, session).then(() => done(), done);
  }

  override touch(id: string, session: Timed, done: Done = () => undefined): void {
    if (!this.times.isDue(session)) return done();
    this.write(id, session).then(() => done(), done);
  }

  override destroy(id: string, done: Done = () => undefined): void {
    this.rows.end(id).then(() => done(), done);
  }

  private async write(id: string, session: Timed): Promise<void> {
    const { data, expiresAt } = this.times.stamp(session);
    if (session.beganAt === undefined) await this.rows.create(id, data, expiresAt);
    else await this.rows.update(id, data, expiresAt);
    this.times.markBegun(session);
  }
}
