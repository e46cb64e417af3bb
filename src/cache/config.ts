import { text, type OptionValues } from '../kernel/index.js';

export const redisOptions = {
  url: text('', 'Redis shared by all replicas: redis://user:password@host:6379 or rediss://….', {
    pattern: { regex: /^rediss?:\/\/\S+$/, hint: 'redis://host:6379 or rediss://host:6379' },
  }),
};

export type RedisConfig = OptionValues<typeof redisOptions>;
