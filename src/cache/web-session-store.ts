import { createHash } from 'node:crypto';
import { defineRecord, fieldOf, Op, type Database } from '../database/index.js';
import type { Clock } from '../core/index.js';

/** A store of web sessions. Ids come from cookies; a store keeps only their hashes. */
interface WebSessionStore {
  /** The data of an unexpired session. */
  read(id: string): Promise<string | null>;
  /** @param expiresAt expiry unless it is used again */
  create(id: string, data: string, expiresAt: Date): Promise<void>;
  /** Changes an existing session; an ended or expired one is not revived, however late the write (S39). */
  update(id: string, data: string, expiresAt: Date): Promise<void>;
  end(id: string): Promise<void>;
}

const webSessionRecord = defineRecord({
  name: 'WebSession',
  table: 'portal_web_sessions',
  alias: 'w',
  fields: {
    /** See {@link sessionKey}. */
    id: fieldOf.text(64).key(),
    data: fieldOf.longText(),
    expiresAt: fieldOf.time(),
    createdAt: fieldOf.time(),
  },
});

/** Web sessions in the database: `session.store: database`. */
export class DatabaseWebSessions implements WebSessionStore {
  constructor(private readonly parts: { readonly database: Database; readonly clock: Clock }) {}

  async read(id: string): Promise<string | null> {
    const { database, clock } = this.parts;
    const live = { id: sessionKey(id), expiresAt: { [Op.gt]: clock.now() } };
    const row = await webSessionRecord.find(database, live, { only: ['data'] });
    return row?.data ?? null;
  }

  async create(id: string, data: string, expiresAt: Date): Promise<void> {
    const { database, clock } = this.parts;
    const sql = 'INSERT INTO portal_web_sessions (id, data, expires_at, created_at) VALUES (?, ?, ?, ?)';
    await database.execute(sql, [sessionKey(id), data, expiresAt, clock.now()]);
  }

  async update(id: string, data: string, expiresAt: Date): Promise<void> {
    const { database, clock } = this.parts;
    const sql = 'UPDATE portal_web_sessions SET data = ?, expires_at = ? WHERE id = ? AND expires_at > ?';
    await database.execute(sql, [data, expiresAt, sessionKey(id), clock.now()]);
  }

  async end(id: string): Promise<void> {
    await webSessionRecord.remove(this.parts.database, { id: sessionKey(id) });
  }
}

/** Web sessions in this process, for tests: `session.store: memory`. */
export class MemoryWebSessions implements WebSessionStore {
  private readonly sessions = new Map<string, { data: string; expiresAt: Date }>();

  constructor(private readonly clock: Clock) {}

  read(id: string): Promise<string | null> {
    return Promise.resolve(this.findLive(id)?.data ?? null);
  }

  create(id: string, data: string, expiresAt: Date): Promise<void> {
    this.sessions.set(sessionKey(id), { data, expiresAt });
    return Promise.resolve();
  }

  update(id: string, data: string, expiresAt: Date): Promise<void> {
    if (this.findLive(id)) this.sessions.set(sessionKey(id), { data, expiresAt });
    return Promise.resolve();
  }

  end(id: string): Promise<void> {
    this.sessions.delete(sessionKey(id));
    return Promise.resolve();
  }

  private findLive(id: string): { data: string } | undefined {
    const found = this.sessions.get(sessionKey(id));
    return found && found.expiresAt > this.clock.now() ? found : undefined;
  }
}

/** Stored in place of the id: reading the store is not enough to take over a session. */
export function sessionKey(id: string): string {
  return createHash('sha256').update(id).digest('hex');
}
