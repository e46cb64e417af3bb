import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../core/index.js';
import { makeLedger, isStale, findEnd, secondsBetween, type AttemptLedger } from './attempt-ledger.js';
import type { ConsumeOutcome } from './limit-store.js';
import { LedgerLimitStore, type Counters, type Ledgers } from './ledger-limit-store.js';
import { WaitingLines } from './waiting-lines.js';
import { REDIS_NOW, redisScript, RedisUnavailableError, type RedisConnection } from '../cache/index.js';

/** Consecutive races lost to other replicas before a step gives up; each loss means that another one succeeded. */
const MOST_LOSSES = 100;
const LONGEST_PAUSE_MS = 5;

const READ = redisScript(`${REDIS_NOW}
local answer = { string.format('%d', now) }
for i, key in ipairs(KEYS) do answer[i + 1] = redis.call('GET', key) or '' end
return answer`);

/** For each key: expected value, new value, lifetime in milliseconds (0: delete). */
const REPLACE = redisScript(`
for i, key in ipairs(KEYS) do
  if (redis.call('GET', key) or '') ~= ARGV[i * 3 - 2] then return 0 end
end
for i, key in ipairs(KEYS) do
  local ttl = tonumber(ARGV[i * 3])
  if ttl > 0 then redis.call('SET', key, ARGV[i * 3 - 1], 'PX', ttl) else redis.call('DEL', key) end
end
return 1`);

/**
 * ARGV: now, max, window in milliseconds. A window that ends too late was written before the clock was set back (R29).
 */
const CONSUME = redisScript(`${REDIS_NOW}
local max, window = tonumber(ARGV[2]), tonumber(ARGV[3])
local kept = redis.call('HMGET', KEYS[1], 'hits', 'ends')
local hits, ends = tonumber(kept[1]) or 0, tonumber(kept[2]) or 0
if ends <= now then hits, ends = 0, now + window end
if ends > now + window then ends = now + window end
local granted = hits < max and 1 or 0
redis.call('HSET', KEYS[1], 'hits', hits + granted, 'ends', string.format('%d', ends))
redis.call('PEXPIRE', KEYS[1], ends - now)
return { granted, ends - now }`);

export interface RedisLimitParts {
  readonly connection: RedisConnection;
  /** Null: the clock of Redis. */
  readonly clock: Clock | null;
}

/** Limits of every worker and replica that shares a Redis (S15). */
export class RedisLimitStore extends LedgerLimitStore {
  constructor(parts: RedisLimitParts) {
    super(new RedisLedgers(parts), new RedisCounters(parts));
  }
}

/**
 * Ledgers as JSON: read, changed by `step`, and written back by a script that fails if one of them has changed since.
 */
class RedisLedgers implements Ledgers {
  private readonly turns = new WaitingLines();

  constructor(private readonly parts: RedisLimitParts) {}

  change<T>(
    keys: readonly string[],
    step: (ledgers: ReadonlyMap<string, AttemptLedger>, now: number) => T,
  ): Promise<T> {
    return this.runInTurn(keys, 'create', step);
  }

  // In parallel: one round trip.
  changeEach(keys: readonly string[], step: (ledger: AttemptLedger, key: string, now: number) => void): Promise<void> {
    return this.runInTurn(keys, 'skip', (ledgers, now) => ledgers.forEach((ledger, key) => step(ledger, key, now)));
  }

  private runInTurn<T>(
    keys: readonly string[],
    missing: 'create' | 'skip',
    step: (ledgers: ReadonlyMap<string, AttemptLedger>, now: number) => T,
  ): Promise<T> {
    const distinct = [...new Set(keys)];
    // Steps of this process are serialised here; only other replicas can still interfere.
    return this.turns.inTurn('', () => this.retryOnConflict(distinct, missing, step));
  }

  private async retryOnConflict<T>(
    keys: readonly string[],
    missing: 'create' | 'skip',
    step: (ledgers: ReadonlyMap<string, AttemptLedger>, now: number) => T,
  ): Promise<T> {
    for (let losses = 0; losses < MOST_LOSSES; losses += 1) {
      const { documents, now } = await this.read(keys);
      const ledgers = parse(keys, documents, missing);
      const result = step(ledgers, now);
      if (await this.replace(keys, documents, ledgers, now)) return result;
      await pause(Math.random() * LONGEST_PAUSE_MS);
    }
    throw new RedisUnavailableError({
      detail: `lost ${MOST_LOSSES} times against other replicas at ${keys.join(', ')}`,
    });
  }

  private async read(keys: readonly string[]) {
    const { connection, clock } = this.parts;
    const reply = (await connection.run(READ, this.names(keys), [timeOf(clock)])) as string[];
    const [now = '', ...documents] = reply;
    return { now: Number(now), documents };
  }

  /** @returns false when another replica came first */
  private async replace(
    keys: readonly string[],
    documents: readonly string[],
    ledgers: ReadonlyMap<string, AttemptLedger>,
    now: number,
  ): Promise<boolean> {
    const changes = keys.map((key, index) => {
      const before = documents[index] ?? '';
      const ledger = ledgers.get(key);
      if (!ledger || isStale(ledger, now)) return [before, '', '0'];
      return [before, JSON.stringify(ledger), String(Math.max(1, Math.ceil(findEnd(ledger) - now)))];
    });
    if (changes.every(([before, after]) => before === after)) return true;
    return (await this.parts.connection.run(REPLACE, this.names(keys), changes.flat())) === 1;
  }

  private names(keys: readonly string[]): string[] {
    return keys.map((key) => this.parts.connection.key('ledger', key));
  }
}

class RedisCounters implements Counters {
  constructor(private readonly parts: RedisLimitParts) {}

  async consume(key: string, max: number, window: number): Promise<ConsumeOutcome> {
    const { connection, clock } = this.parts;
    const values = [timeOf(clock), String(max), String(window * 1000)];
    const [granted, left] = (await connection.run(CONSUME, [connection.key('counter', key)], values)) as [
      number,
      number,
    ];
    return granted === 1 ? { granted: true } : { granted: false, retryAfter: secondsBetween(0, left) };
  }

  async clear(keys: readonly string[]): Promise<void> {
    const { connection } = this.parts;
    await connection.send(['DEL', ...keys.map((key) => connection.key('counter', key))]);
  }
}

function parse(keys: readonly string[], documents: readonly string[], missing: 'create' | 'skip') {
  const ledgers = new Map<string, AttemptLedger>();
  keys.forEach((key, index) => {
    const document = documents[index] ?? '';
    if (document !== '') ledgers.set(key, JSON.parse(document) as AttemptLedger);
    else if (missing === 'create') ledgers.set(key, makeLedger());
  });
  return ledgers;
}

function timeOf(clock: Clock | null): string {
  return clock === null ? '' : String(clock.now().getTime());
}
