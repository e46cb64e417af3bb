import type { DriverFinding } from '../gateway/index.js';

/**
 * The checks of `portal doctor`: stable name, as in `--json`, and description for the docs. Gateway drivers add their
 * own.
 * @internal
 */
export const CHECKS = {
  node: 'Node.js is new enough',
  'env-file': 'nobody but its owner reads `.env`',
  configuration: 'every setting is possible, and none is unsafe',
  storage: 'the folders that the portal writes to are writable',
  'database-file': 'nobody but its owner reads the SQLite file',
  views: 'published views have what the package changed since',
  words: 'every language of `theme.locales` has every word',
  proxy: '`app.trustProxy` counts the proxies that terminate https',
  metrics: 'metrics are not open to everybody',
  database: 'the database answers',
  journal: 'SQLite writes ahead, so that readers do not wait for writers',
  clock: 'this machine and the database server agree on the time',
  migrations: 'all have run, and none is gone',
  admins: 'there are roles, and somebody who can sign in to the admin part',
  'activity-log': 'triggers refuse changes of the log',
  keys: 'what is stored was written with `APP_KEY`, and nothing needs an earlier one',
  gateway: 'the gateway answers and is of the configured kind',
  'gateway-products': 'the gateway knows the products of the catalog',
  redis: 'Redis answers and drops no keys when it is full',
  mail: 'the mail server takes mails',
  webhooks: 'messages to endpoints are sent, and those of the operator take them',
  search: 'what can be found is indexed, and nothing waits for long',
  content: 'files of guides and news hold nothing broken',
  verify: 'proxies elsewhere can ask for keys',
} as const;

type Check = keyof typeof CHECKS;

/** What one check of `portal doctor` found. */
export type Finding = DriverFinding;

export function pass(check: Check, message: string): Finding {
  return { check, status: 'ok', message };
}

export function warning(check: Check, message: string, fix: string): Finding {
  return { check, status: 'warning', message, fix };
}

export function failure(check: Check, message: string, fix?: string): Finding {
  return { check, status: 'failure', message, ...(fix === undefined ? {} : { fix }) };
}
