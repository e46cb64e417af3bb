// `npm audit` of what ships: fails on high and critical advisories. A registry without an audit service is not a failure,
// but is said aloud; scripts/check-lockfile.mjs holds the floors either way.
import { spawnSync } from 'node:child_process';

const { stdout, stderr } = spawnSync('npm', ['audit', '--omit=dev', '--json'], {
  encoding: 'utf8',
  shell: process.platform === 'win32',
});
const report = parse(stdout);
const counts = report?.metadata?.vulnerabilities;
const refused = /\b(404|405|501)\b|ENOTFOUND|ECONNREFUSED|EAI_AGAIN|ETIMEDOUT|endpoint/i;

if (counts) {
  console.log(
    `audit: ${counts.critical} critical, ${counts.high} high, ${counts.moderate} moderate, ${counts.low} low`,
  );
  process.exitCode = counts.critical + counts.high > 0 ? 1 : 0;
} else if (refused.test(`${stdout} ${stderr}`)) {
  console.log('audit: not available');
} else {
  console.error(`audit: npm audit gave no report\n${stdout}\n${stderr}`);
  process.exitCode = 1;
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
