import type { DriverFinding } from '../gateway/index.js';
import type { Ui } from './ui.js';

/**
 * The checks of `portal doctor`: stable name, as in `--json`, and description for the docs. Gateway drivers add their
 * own.
 * @internal
 */
export const CHECKS = {
  node: 'Node.js is new enough',
  package: 'the portalkit that runs is of the version that the project asks for',
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

/**
 * Those of `portal deploy:check`.
 * @internal
 */
export const DEPLOY_CHECKS = {
  files: 'what `portal publish` writes for the target is there',
  settings: 'the portal starts in production with the settings that are written there, and none is unsafe',
  names: 'each setting is one that this version knows',
  examples: 'no address of an example is left',
  elsewhere: 'settings that only the target has; the check takes stand-ins, or an `--env-file`',
  proxy: '`app.trustProxy` counts the proxies that terminate https',
  replicas: 'what several replicas share is not kept by one of them',
  patience: 'the target waits for requests that run when it stops a replica',
  health: 'it asks for health where the portal tells it',
  image: 'the image can be built, and takes no secrets of this machine along',
} as const;

type Check = keyof typeof CHECKS | keyof typeof DEPLOY_CHECKS;

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

/** The message of a fault or a warning of the configuration, and its fix, which is part of the sentence. */
export function splitFault(fault: string): readonly [message: string, fix?: string] {
  const [message = '', fix] = fault.split(' Fix: ');
  return fix === undefined ? [message] : [message.replace(/\.$/, ''), fix.replace(/\.$/, '')];
}

const MARKS = { ok: '✓', warning: '!', failure: '✗' } as const;

/** Prints findings and what they come to, or with `--json` an object of them. @returns whether all is well */
export function reportFindings(
  findings: readonly Finding[],
  { ui, json, strict, ...facts }: { ui: Ui; json: boolean; strict: boolean; target?: string },
): boolean {
  const [failures, warnings] = (['failure', 'warning'] as const).map(
    (kind) => findings.filter(({ status }) => status === kind).length,
  ) as [number, number];
  const isFine = failures === 0 && !(strict && warnings > 0);
  if (json) {
    ui.json({ ok: isFine, ...facts, checks: findings });
    return isFine;
  }
  const width = Math.max(...findings.map(({ check }) => check.length));
  for (const { check, status, message, fix } of findings) {
    ui.line(`${MARKS[status]} ${check.padEnd(width)}  ${message}`);
    if (fix !== undefined) ui.line(`${' '.repeat(width + 4)}Fix: ${fix}`);
  }
  ui.line();
  if (failures > 0) ui.error(`${count(failures, 'failure')}, ${count(warnings, 'warning')}.`);
  else ui.success(warnings === 0 ? 'Everything is well.' : `Works, with ${count(warnings, 'warning')}.`);
  return isFine;
}

function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? '' : 's'}`;
}
