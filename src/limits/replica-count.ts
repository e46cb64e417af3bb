import { randomUUID } from 'node:crypto';
import type { Logger } from '../core/index.js';
import { redisScript, type RedisConnection } from '../cache/index.js';

const BEAT_EVERY_MS = 15_000;
/** A replica without a heartbeat for this long is gone. */
const GONE_AFTER_MS = 50_000;

/** ARGV: name of this replica, milliseconds after which another one is gone. */
const BEAT = redisScript(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[1], string.format('%d', now), ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%d', now - ARGV[2]))
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return redis.call('ZCARD', KEYS[1])`);

/**
 * Number of processes that serve this portal: each sends Redis a heartbeat, every 15 s and whenever Redis comes back.
 */
export class ReplicaCount {
  private readonly name = randomUUID();
  private counts: readonly [now: number, before: number] = [1, 1];
  private timer: NodeJS.Timeout | undefined;
  private hasLeft = false;

  constructor(
    private readonly connection: RedisConnection,
    private readonly logger: Logger,
  ) {
    connection.onUp(() => void this.beat());
    connection.beforeClose(() => this.leave());
  }

  /** At least 1. After Redis lost its data, the earlier count stands until the others have reported again. */
  get current(): number {
    return Math.max(1, ...this.counts);
  }

  private async leave(): Promise<void> {
    this.hasLeft = true;
    if (this.timer === undefined) return;
    clearTimeout(this.timer);
    await this.connection.send(['ZREM', this.key, this.name]).catch(() => undefined);
  }

  private async beat(): Promise<void> {
    if (this.hasLeft) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.beat(), BEAT_EVERY_MS).unref();
    try {
      const count = Number(await this.connection.run(BEAT, [this.key], [this.name, String(GONE_AFTER_MS)]));
      this.counts = [count, this.counts[0]];
    } catch (error) {
      this.logger.debug({ err: error }, 'this replica could not tell Redis that it is there');
    }
  }

  private get key(): string {
    return this.connection.key('replicas');
  }
}
