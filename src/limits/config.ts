import { choice } from '../core/index.js';

/** The options of `limits` that choose the store. */
export const limitStoreOptions = {
  store: choice(
    ['memory', 'database', 'redis'],
    'memory',
    'Where the limits are counted: in each process, or for all workers and replicas together in the database or in Redis (S15).',
    { derived: 'redis when redis.url is set, database for more than one worker, else memory' },
  ),
};
