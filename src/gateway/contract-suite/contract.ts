import type { GatewayCapabilities } from '../index.js';
import { accessChecks } from './access-checks.js';
import { obstacle, type GatewayCheck } from './check.js';
import { GatewayStage } from './stage.js';
import type { GatewaySubject } from './subject.js';
import { lifecycleChecks } from './lifecycle-checks.js';
import { moveChecks } from './move-checks.js';
import { safetyChecks } from './safety-checks.js';

/** Checks that every driver must pass. Each creates its own developers and removes them; nothing else is touched. */
export const gatewayContract: readonly GatewayCheck[] = [
  ...lifecycleChecks,
  ...moveChecks,
  ...accessChecks,
  ...safetyChecks,
];

export interface CheckResult {
  readonly name: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  /** Why it failed or was skipped. */
  readonly reason?: string;
  readonly milliseconds: number;
}

/** Runs one check, for test runners. @throws the check's failure */
export async function runGatewayCheck(
  check: GatewayCheck,
  subject: GatewaySubject,
): Promise<'passed' | { skipped: string }> {
  const reason = obstacle(check, subject);
  if (reason !== undefined) return { skipped: reason };
  const stage = new GatewayStage(subject);
  try {
    await check.run(stage);
  } finally {
    await stage.clear();
  }
  return 'passed';
}

/** Runs all checks, one after another. @param tell receives each result as it comes */
export async function runGatewayContract(
  subject: GatewaySubject,
  tell: (result: CheckResult) => void = () => undefined,
): Promise<readonly CheckResult[]> {
  const results: CheckResult[] = [];
  for (const check of gatewayContract) {
    const started = performance.now();
    const finding = await runGatewayCheck(check, subject).then(outcomeOf, reportFailure);
    const result = { name: check.name, ...finding, milliseconds: Math.round(performance.now() - started) };
    results.push(result);
    tell(result);
  }
  return results;
}

/** Meaning of each capability, for a table. */
export const capabilityMeanings: Readonly<Record<keyof GatewayCapabilities, string>> = {
  developers: 'a developer can be closed with all keys at once',
  pending: 'knows apps and products that wait for approval',
  keyStatus: 'a key can be closed and opened again',
  productsPerKey: 'products are granted to a key, not to an app',
  productStatusPerKey: 'a product on a key has a status',
  readSecret: 'key and secret can be shown again',
  importKey: 'takes keys that were made elsewhere',
  expiry: 'keys end by themselves',
  usage: 'tells when a key was last used',
  plans: 'keeps the plan of a product on a key',
  limits: 'holds calls against the limits of plans itself',
  teams: 'keeps teams as records of their own',
  moveApps: 'gives an app another owner with its keys',
  movesPauseKeys: 'each key is away for a moment while its app moves',
};

function outcomeOf(outcome: 'passed' | { skipped: string }): Pick<CheckResult, 'outcome' | 'reason'> {
  return outcome === 'passed' ? { outcome } : { outcome: 'skipped', reason: outcome.skipped };
}

function reportFailure(error: unknown): Pick<CheckResult, 'outcome' | 'reason'> {
  const { message, detail } = error as Partial<Error & { detail: string }>;
  return {
    outcome: 'failed',
    reason: [message ?? String(error), detail].filter((part) => part !== undefined).join(' '),
  };
}
