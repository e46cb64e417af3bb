import { integer, text, type OptionValues } from '../core/index.js';

export const redisOptions = {
  url: text('', 'Redis shared by all replicas: redis://user:password@host:6379 or rediss://….', {
    pattern: { regex: /^rediss?:\/\/\S+$/, hint: 'redis://host:6379 or rediss://host:6379' },
  }),
  prefix: text('portal:', 'What the keys of this portal begin with, so that several portals may share one Redis.', {
    pattern: { regex: /^[\w.:-]{1,64}$/, hint: 'up to 64 letters, digits, . : _ and -' },
  }),
  timeout: integer(
    400,
    'Milliseconds that a request waits for Redis before it goes on without it (R07, R08); connecting may take as long.',
    { min: 50, max: 5_000 },
  ),
};

export type RedisConfig = OptionValues<typeof redisOptions>;
