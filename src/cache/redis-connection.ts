import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { foreignError, untraced, within, type Logger, type Tracer } from '../core/index.js';
import type { RedisConfig } from './config.js';
import { RedisUnavailableError } from './errors.js';
import { connectRedis, RedisRefusal, type Connect, type RedisClient, type RedisReply } from './redis-client.js';

const CONNECT_MS = 2_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

/** Begin of a script whose ARGV[1] is now in milliseconds, or empty for the clock of Redis, which all replicas share (R30). */
export const REDIS_NOW = `
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end`;

/** A Lua script, which Redis runs atomically. */
export interface RedisScript {
  readonly source: string;
  readonly sha: string;
}

export function redisScript(source: string): RedisScript {
  return { source, sha: createHash('sha1').update(source).digest('hex') };
}

export interface RedisConnectionParts {
  readonly config: RedisConfig;
  readonly logger: Logger;
  readonly tracer?: Tracer;
  /** @internal */
  readonly connect?: Connect;
}

/**
 * The Redis connection, opened on first use. No command waits longer than `redis.timeout`: a timeout closes the
 * connection, and until there is a new one every command fails at once, so that a dead or frozen Redis costs one
 * request a timeout and the following ones nothing (R07, R08). Reconnects by itself.
 */
export class RedisConnection {
  private client: RedisClient | null = null;
  private opening: Promise<RedisClient> | null = null;
  private isAway = false;
  private readonly end = new AbortController();
  private readonly listeners: (() => void)[] = [];
  private readonly farewells: (() => Promise<void>)[] = [];

  constructor(private readonly parts: RedisConnectionParts) {}

  /** Full name of a key. */
  key(...names: readonly string[]): string {
    return this.parts.config.prefix + names.join(':');
  }

  /** Called whenever a connection is established. */
  onUp(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Milliseconds that nobody waits longer for Redis. */
  get timeout(): number {
    return this.parts.config.timeout;
  }

  /** @throws RedisUnavailableError */
  send(command: readonly string[]): Promise<RedisReply> {
    return this.trace(command[0] ?? '', (client) => client.send(command));
  }

  /** Runs a script; its source is sent only when Redis does not have it cached. @throws RedisUnavailableError */
  run({ sha, source }: RedisScript, keys: readonly string[], values: readonly string[]): Promise<RedisReply> {
    const rest = [String(keys.length), ...keys, ...values];
    return this.trace('EVALSHA', async (client) => {
      try {
        return await client.send(['EVALSHA', sha, ...rest]);
      } catch (error) {
        if (!(error instanceof RedisRefusal) || error.kind !== 'NOSCRIPT') throw error;
        return client.send(['EVAL', source, ...rest]);
      }
    });
  }

  /** Runs before closing, while Redis is still reachable. */
  beforeClose(farewell: () => Promise<void>): void {
    this.farewells.push(farewell);
  }

  /** Ends the connection for good. */
  async close(): Promise<void> {
    await Promise.all(this.farewells.splice(0).map((farewell) => farewell()));
    this.end.abort();
    this.client?.close();
    this.client = null;
  }

  // Keys and values are hashes and addresses: only the command is logged.
  private trace(command: string, work: (client: RedisClient) => Promise<RedisReply>): Promise<RedisReply> {
    const { tracer = untraced } = this.parts;
    if (tracer === untraced) return this.ask(work);
    const facts = { 'db.system.name': 'redis', 'db.operation.name': command };
    return tracer.step({ name: `redis ${command}`, kind: 'client', facts }, () => this.ask(work));
  }

  private async ask(work: (client: RedisClient) => Promise<RedisReply>): Promise<RedisReply> {
    const client = this.client ?? (await this.firstClient());
    try {
      return await within(this.parts.config.timeout, work(client));
    } catch (error) {
      // After a failover the old primary is read-only; reconnecting by name finds the new one.
      if (!(error instanceof RedisRefusal) || error.kind === 'READONLY') this.lose(client, error);
      else this.parts.logger.error({ err: foreignError(error) }, 'Redis refused a command');
      throw new RedisUnavailableError({ cause: foreignError(error) });
    }
  }

  // The first callers wait for the connection, but no longer than for an answer.
  private async firstClient(): Promise<RedisClient> {
    if (this.isAway || this.end.signal.aborted) throw new RedisUnavailableError({ detail: 'Redis is away' });
    this.opening ??= this.open();
    this.opening.catch((error: unknown) => this.markAway(error));
    try {
      return await within(this.parts.config.timeout, this.opening);
    } catch (cause) {
      throw new RedisUnavailableError({ cause });
    }
  }

  private async open(): Promise<RedisClient> {
    const { config, connect = connectRedis } = this.parts;
    // Either may come first: the connection, or its end.
    const fate: { client?: RedisClient; end?: unknown } = {};
    const onLost = (error: unknown) => {
      fate.end ??= error;
      this.lose(fate.client, error);
    };
    const client = await connect({ url: config.url, timeout: CONNECT_MS, onLost });
    if (fate.end !== undefined || this.end.signal.aborted) {
      client.close();
      throw new RedisUnavailableError({ cause: fate.end });
    }
    fate.client = client;
    this.client = client;
    this.isAway = false;
    for (const listener of this.listeners) listener();
    return client;
  }

  private lose(client: RedisClient | undefined, error: unknown): void {
    if (client === undefined || this.client !== client) return;
    this.client = null;
    client.close();
    this.markAway(error);
  }

  private markAway(error: unknown): void {
    if (this.isAway || this.end.signal.aborted) return;
    this.isAway = true;
    this.parts.logger.error({ err: foreignError(error) }, 'Redis is away');
    void this.comeBack();
  }

  private async comeBack(): Promise<void> {
    const { signal } = this.end;
    for (let wait = FIRST_PAUSE_MS; !signal.aborted; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
      try {
        // Jitter: all replicas lost the connection at the same moment.
        await pause(wait * (0.5 + Math.random() / 2), undefined, { signal, ref: false });
        await this.open();
        this.parts.logger.info({}, 'Redis is back');
        return;
      } catch {
        // The next round retries; the first reason is already logged.
      }
    }
  }
}
