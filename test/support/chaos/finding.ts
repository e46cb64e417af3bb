import { appendFileSync } from 'node:fs';

/**
 * Adds a line to the report of `npm run test:chaos`.
 *
 * @param rule id of the promise, for example `R06`
 * @param fault what was broken, for example `MariaDB frozen for 10 s under load`
 * @param measured what users met, with units, for example `slowest answer 2.1 s, 0 × 500`
 */
export function finding(rule: string, fault: string, measured: string): void {
  // Set by scripts/test-chaos.mjs; without it nobody reads a report.
  const file = process.env.PORTAL_CHAOS_FINDINGS;
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ rule, fault, measured })}\n`);
}
