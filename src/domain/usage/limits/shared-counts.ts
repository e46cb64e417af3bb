import { REDIS_NOW, redisScript, type RedisConnection } from '../../../cache/index.js';
import { BoundedCache, within, type Clock } from '../../../core/index.js';
import { callsBetween, type CallsByDay, type CountStart } from '../../catalog/index.js';
import type { PlanAllowance } from './call-limits.js';
import { callerName, type CallOwner, type StoredCalls } from './stored-calls.js';
import { judge, Periods, type DayRange, type LimitDecision, type WindowCount } from './limit-decision.js';

/**
 * KEYS: calls by day, windows. ARGV: now; 1 for soft limits; number of rates, each with window in milliseconds and calls; number
 * of quotas, each with first day, day after the last, calls that pass. Answers 1 if the call passed and was counted, 0 if not, -1 if
 * the calls of earlier days are not known here, -2 if the days are not those of now; now; index, present and previous calls of each
 * window; calls in each period.
 */
const DECIDE = redisScript(`${REDIS_NOW}
local day = math.floor(now / 86400000)
local answer = { 1, string.format('%d', now) }
local at = 3
local function take()
  at = at + 1
  return tonumber(ARGV[at - 1])
end
local passes = true
local windows = {}
for n = 1, take() do
  local size, max = take(), take()
  local kept = redis.call('HMGET', KEYS[2], size .. 'i', size .. 'c', size .. 'p')
  local last, current, previous = tonumber(kept[1]) or 0, tonumber(kept[2]) or 0, tonumber(kept[3]) or 0
  local index = math.floor(now / size)
  if last == index + 1 then index = last
  elseif last == index - 1 then current, previous = 0, current
  elseif last ~= index then current, previous = 0, 0 end
  local elapsed = math.max(0, now - index * size)
  if previous * (size - elapsed) + (current + 1) * size > max * size then passes = false end
  windows[n] = { size, index, current, previous }
  table.insert(answer, index)
  table.insert(answer, current)
  table.insert(answer, previous)
end
local isKnown = redis.call('HEXISTS', KEYS[1], 'known') == 1
local days
local function usedIn(first, stop)
  if stop - first == 1 then return tonumber(redis.call('HGET', KEYS[1], string.format('%d', first))) or 0 end
  days = days or redis.call('HGETALL', KEYS[1])
  local used = 0
  for n = 1, #days, 2 do
    local which = tonumber(days[n])
    if which and which >= first and which < stop then used = used + tonumber(days[n + 1]) end
  end
  return used
end
for n = 1, take() do
  local first, stop, passing = take(), take(), take()
  if not isKnown then return { -1, answer[2] } end
  if day < first or day >= stop then return { -2, answer[2] } end
  local used = usedIn(first, stop)
  if used >= passing then passes = false end
  table.insert(answer, used)
end
if not passes and ARGV[2] ~= '1' then
  answer[1] = 0
  return answer
end
local longest = 0
for n, window in ipairs(windows) do
  local size = window[1]
  redis.call('HSET', KEYS[2], size .. 'i', string.format('%d', window[2]), size .. 'c', window[3] + 1, size .. 'p', window[4])
  longest = math.max(longest, size)
end
if longest > 0 then redis.call('PEXPIRE', KEYS[2], string.format('%d', longest * 2)) end
if isKnown and redis.call('HINCRBY', KEYS[1], string.format('%d', day), 1) == 1 then
  redis.call('PEXPIRE', KEYS[1], 3456000000)
  for n, field in ipairs(redis.call('HKEYS', KEYS[1])) do
    local which = tonumber(field)
    if which and which < day - 40 then redis.call('HDEL', KEYS[1], field) end
  end
end
return answer`);

/** KEYS: calls by day. ARGV: day and calls, again and again. What is counted there already only grows. */
const RAISE = redisScript(`
for n = 1, #ARGV, 2 do
  local calls = tonumber(redis.call('HGET', KEYS[1], ARGV[n])) or 0
  if calls < tonumber(ARGV[n + 1]) then redis.call('HSET', KEYS[1], ARGV[n], ARGV[n + 1]) end
end
redis.call('HSET', KEYS[1], 'known', 1)
redis.call('PEXPIRE', KEYS[1], 3456000000)
return 1`);

export interface SharedCountsParts {
  readonly connection: RedisConnection;
  /** null: calls are not written to the database. */
  readonly stored: Pick<StoredCalls, 'read'> | null;
  readonly clock: Clock;
  /** Whether `clock` is the machine's; all replicas then go by the clock of Redis. */
  readonly isMachineClock: boolean;
  /** Seconds between two flushes of a process. */
  readonly flush: number;
  readonly onUnread: (error: unknown) => void;
}

interface QuotaPlaces {
  readonly periods: readonly DayRange[];
  readonly before: readonly number[];
}

const NONE: CallsByDay = new Map();
const NOT_KNOWN = -1;
const OTHER_DAYS = -2;
/** The count was not known, then the day was another. */
const MOST_ATTEMPTS = 4;
const MOST_COMPARED = 50_000;
/** Flushes after which no process has calls any more that Redis may have missed. */
const FLUSHES_TO_COMPARE = 3;

/**
 * Counts for all replicas in Redis: one script decides about a call by all its limits and counts it. What Redis does not know,
 * since it was emptied or the count has run out, is taken up from the database. For a while after it was away its counts are raised
 * to what the database has, which is never more than was called.
 */
export class SharedCounts {
  /** Milliseconds. */
  private comparesUntil = Number.NEGATIVE_INFINITY;
  /** When the calls of an app and a product were last compared, and until when they are. */
  private readonly compared = new BoundedCache<{ readonly at: number; readonly until: number }>({
    entries: MOST_COMPARED,
  });
  private readonly periods = new Periods();
  private readonly raising = new Map<string, Promise<void>>();

  constructor(private readonly parts: SharedCountsParts) {
    parts.connection.onUp(() => (this.comparesUntil = this.whileAfter()));
  }

  /** @throws RedisUnavailableError, DatabaseUnavailableError or TimeLimitError; the call is not counted here then */
  async decide(owner: CallOwner, limits: PlanAllowance): Promise<LimitDecision> {
    try {
      this.compare(owner, limits.countStart);
      return await this.attempt(owner, limits);
    } catch (error) {
      this.comparesUntil = this.whileAfter();
      throw error;
    }
  }

  private async attempt(owner: CallOwner, limits: PlanAllowance): Promise<LimitDecision> {
    let now = this.parts.clock.now();
    for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt += 1) {
      const periods = this.periods.rangesAt(limits, now);
      const before = periods.map(({ first, end }) => callsBetween(limits.countStart?.calls ?? NONE, first, end));
      const { status, at, counts } = await this.run(owner, limits, { periods, before }, now);
      if (status === NOT_KNOWN) {
        await within(this.parts.connection.timeout, this.raise(owner, limits.countStart));
        this.compared.set(this.keysOf(owner).join(), { at: now.getTime(), until: this.whileAfter() });
      } else if (status !== OTHER_DAYS) {
        const windows = windowsOf(limits, counts);
        const called = counts.slice(windows.length * 3);
        const used = called.map((calls, index) => Math.max(0, calls - (before[index] ?? 0)));
        return judge(limits, { windows, periods, used }, at);
      }
      now = at;
    }
    throw new Error('Redis forgets what it is told');
  }

  /** @param places the period of each quota, and the calls in it that do not count. */
  private async run(owner: CallOwner, limits: PlanAllowance, { periods, before }: QuotaPlaces, now: Date) {
    const { connection, isMachineClock } = this.parts;
    const rates = limits.rates.flatMap(({ windowMs, max }) => [windowMs, max]);
    const quotas = limits.quotas.flatMap(({ passing }, index) => {
      const { first = 0, end = 0 } = periods[index] ?? {};
      return [first, end, passing + (before[index] ?? 0)];
    });
    const values = [Number(limits.isSoft), limits.rates.length, ...rates, limits.quotas.length, ...quotas].map(String);
    const time = isMachineClock ? '' : String(now.getTime());
    const reply = (await connection.run(DECIDE, this.keysOf(owner), [time, ...values])) as [
      number,
      string,
      ...number[],
    ];
    const [status, at, ...counts] = reply;
    return { status, at: new Date(Number(at)), counts };
  }

  /** The count in Redis, raised to that of the database first. @throws RedisUnavailableError */
  async readCounted(owner: CallOwner, stored: CallsByDay): Promise<CallsByDay> {
    await this.raiseTo(owner, stored);
    const [key = ''] = this.keysOf(owner);
    const found = (await this.parts.connection.send(['HGETALL', key])) as readonly string[];
    const days = found.flatMap((field, index) => (index % 2 === 0 ? [[Number(field), Number(found[index + 1])]] : []));
    return new Map(days.filter(([day]) => Number.isInteger(day)) as [number, number][]);
  }

  private whileAfter(): number {
    return this.parts.clock.now().getTime() + FLUSHES_TO_COMPARE * this.parts.flush * 1_000;
  }

  /** Once in a flush, while Redis may lack calls that processes decided about by themselves, or that it has forgotten. */
  private compare(owner: CallOwner, countStart: CountStart | undefined): void {
    const now = this.parts.clock.now().getTime();
    const key = this.keysOf(owner).join();
    const { at, until } = this.compared.get(key) ?? { at: Number.NEGATIVE_INFINITY, until: 0 };
    if (now >= Math.max(until, this.comparesUntil) || now - at < this.parts.flush * 1_000) return;
    this.compared.set(key, { at: now, until });
    this.raise(owner, countStart).catch(this.parts.onUnread);
  }

  private raise(owner: CallOwner, countStart: CountStart | undefined): Promise<void> {
    const [key = ''] = this.keysOf(owner);
    const raising = this.raising.get(key) ?? this.raiseNow(owner, countStart).finally(() => this.raising.delete(key));
    this.raising.set(key, raising);
    return raising;
  }

  private async raiseNow(owner: CallOwner, countStart: CountStart | undefined): Promise<void> {
    const days = (await this.parts.stored?.read(owner, 'period')) ?? NONE;
    // What was counted at a reset was called, whatever the database has of it.
    await this.raiseTo(owner, [...days, ...(countStart?.calls ?? NONE)]);
  }

  private async raiseTo(owner: CallOwner, days: Iterable<readonly [number, number]>): Promise<void> {
    const [key = ''] = this.keysOf(owner);
    await this.parts.connection.run(RAISE, [key], [...days].flat().map(String));
  }

  private keysOf({ productId, ...caller }: CallOwner): string[] {
    const { connection } = this.parts;
    const name = callerName(caller);
    return [connection.key('calls', name, `${productId}`), connection.key('rates', name, `${productId}`)];
  }
}

function windowsOf({ rates }: PlanAllowance, counts: readonly number[]): WindowCount[] {
  return rates.map((_, at) => {
    const [index = 0, current = 0, previous = 0] = counts.slice(at * 3);
    return { index, current, previous };
  });
}
