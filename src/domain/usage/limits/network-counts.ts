import { redisScript, type RedisConnection } from '../../../cache/index.js';
import type { Clock } from '../../../core/index.js';
import { DAY_MS } from '../usage.js';
import type { PlanAllowance } from './call-limits.js';
import { judge, Periods, type LimitDecision, type WindowCount } from './limit-decision.js';

/** The callers of a product without a key. */
export interface NetworkOwner {
  readonly productId: number;
  /** `192.0.2.7/32`, `2001:db8:0:1::/64`; empty: not known. */
  readonly network: string;
}

/**
 * KEYS: for each rate the calls of the present and the previous window, for each quota those of its period, by network. ARGV: network; how
 * many networks are told apart; 1 for soft limits; number of rates, each with milliseconds of the window, those that are over, and
 * calls; number of quotas, each with the calls that pass and milliseconds until its period is over. Answers 1 if the call passed and
 * was counted, else 0; present and previous calls of each window; calls in each period.
 */
const DECIDE = redisScript(`
local network, most = ARGV[1], tonumber(ARGV[2])
local at = 4
local function take()
  at = at + 1
  return tonumber(ARGV[at - 1])
end
local function fieldIn(key)
  if redis.call('HEXISTS', key, network) == 1 or redis.call('HLEN', key) < most then return network end
  return '*'
end
local function callsIn(key, field)
  return tonumber(redis.call('HGET', key, field)) or 0
end
local answer, passes, counted, key = { 1 }, true, {}, 1
for n = 1, take() do
  local size, elapsed, max = take(), take(), take()
  local field = fieldIn(KEYS[key])
  local current, previous = callsIn(KEYS[key], field), callsIn(KEYS[key + 1], fieldIn(KEYS[key + 1]))
  if previous * (size - elapsed) + (current + 1) * size > max * size then passes = false end
  table.insert(answer, current)
  table.insert(answer, previous)
  table.insert(counted, { KEYS[key], field, size * 2 })
  key = key + 2
end
for n = 1, take() do
  local passing, left = take(), take()
  local field = fieldIn(KEYS[key])
  local used = callsIn(KEYS[key], field)
  if used >= passing then passes = false end
  table.insert(answer, used)
  table.insert(counted, { KEYS[key], field, left })
  key = key + 1
end
if not passes and ARGV[3] ~= '1' then
  answer[1] = 0
  return answer
end
for n, one in ipairs(counted) do
  redis.call('HINCRBY', one[1], one[2], 1)
  redis.call('PEXPIRE', one[1], string.format('%d', one[3]))
end
return answer`);

/** Further networks of a product and window count as one: what is made up must not fill Redis. */
const MOST_NETWORKS = 100_000;
/** After a period, for replicas whose clocks are behind. */
const SLACK_MS = 60_000;

/** Counts calls without a key for all replicas in Redis, by network. Nothing of it outlives its window or period. */
export class NetworkCounts {
  private readonly periods = new Periods();

  constructor(
    private readonly parts: {
      readonly connection: RedisConnection;
      readonly clock: Clock;
      readonly most?: number | undefined;
    },
  ) {}

  /** @throws RedisUnavailableError; the call is not counted here then */
  async decide({ productId, network }: NetworkOwner, limits: PlanAllowance): Promise<LimitDecision> {
    const { connection, clock, most = MOST_NETWORKS } = this.parts;
    const now = clock.now();
    const time = now.getTime();
    const periods = this.periods.rangesAt(limits, now);
    const keyOf = (kind: string, number: number) => connection.key('open', String(productId), kind, String(number));
    const windows = limits.rates.map(({ windowMs, max }) => {
      const index = Math.floor(time / windowMs);
      const keys = [keyOf(`w${windowMs}`, index), keyOf(`w${windowMs}`, index - 1)];
      return { index, keys, values: [windowMs, time - index * windowMs, max] };
    });
    const quotas = limits.quotas.map(({ period, passing }, index) => {
      const { first = 0, end = 0 } = periods[index] ?? {};
      return { key: keyOf(period, first), values: [passing, end * DAY_MS - time + SLACK_MS] };
    });
    const keys = [...windows.flatMap((window) => window.keys), ...quotas.map(({ key }) => key)];
    const numbers = [
      ...[most, Number(limits.isSoft), windows.length, ...windows.flatMap(({ values }) => values)],
      ...[quotas.length, ...quotas.flatMap(({ values }) => values)],
    ];
    const reply = (await connection.run(DECIDE, keys, [network, ...numbers.map(String)])) as number[];
    const counts = reply.slice(1);
    const before = windows.map(({ index }, number): WindowCount => {
      const [current = 0, previous = 0] = counts.slice(number * 2);
      return { index, current, previous };
    });
    return judge(limits, { windows: before, periods, used: counts.slice(windows.length * 2) }, now);
  }
}
