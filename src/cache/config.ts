import { choice, text, type OptionValues } from '../kernel/index.js';

export const redisOptions = {
  url: text('', 'Redis shared by all replicas: redis://user:password@host:6379 or rediss://….', {
    pattern: { regex: /^rediss?:\/\/\S+$/, hint: 'redis://host:6379 or rediss://host:6379' },
  }),
};

/** The part of `limits` that says where is counted. */
export const limitStoreOptions = {
  store: choice(
    ['memory', 'database'],
    'memory',
    'Where the limits are counted: in each process, or in the database for all workers and replicas together (S15).',
  ),
};

export type RedisConfig = OptionValues<typeof redisOptions>;
