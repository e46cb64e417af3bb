import type { Clock } from '../../kernel/index.js';
import { sessionKey, type WebSessionStore } from '../web-session-store.js';
import type { RedisLink } from './redis-link.js';

interface RedisSessionParts {
  readonly link: RedisLink;
  readonly clock: Clock;
}

/**
 * Web sessions in Redis: `session.store: redis`. The end of a session stands in its value, too: what was written under one
 * clock is read under the same one, and the time to live of Redis only clears up.
 */
export class RedisWebSessions implements WebSessionStore {
  constructor(private readonly parts: RedisSessionParts) {}

  async read(id: string): Promise<string | null> {
    const value = await this.parts.link.send(['GET', this.name(id)]);
    if (typeof value !== 'string') return null;
    const end = value.indexOf(' ');
    return Number(value.slice(0, end)) > this.now() ? value.slice(end + 1) : null;
  }

  async create(id: string, data: string, expiresAt: Date): Promise<void> {
    await this.write(id, data, expiresAt);
  }

  /** Only over a session that is there: one that was ended stays ended (S39). */
  async update(id: string, data: string, expiresAt: Date): Promise<void> {
    await this.write(id, data, expiresAt, 'XX');
  }

  async end(id: string): Promise<void> {
    await this.parts.link.send(['DEL', this.name(id)]);
  }

  private async write(id: string, data: string, expiresAt: Date, ...condition: readonly string[]): Promise<void> {
    const end = expiresAt.getTime();
    const value = `${end} ${data}`;
    const life = String(Math.max(1, end - this.now()));
    await this.parts.link.send(['SET', this.name(id), value, 'PX', life, ...condition]);
  }

  private name(id: string): string {
    return this.parts.link.key('session', sessionKey(id));
  }

  private now(): number {
    return this.parts.clock.now().getTime();
  }
}
