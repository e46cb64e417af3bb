// `npm audit` of what ships, what is bundled included (scripts/shipped.mjs): fails on high and critical advisories, and when no advisories can be had, because then nothing is
// known. With --if-available the second is only said: for runs without a network, which release nothing.
import { spawnSync } from 'node:child_process';
import { isShipped } from './shipped.mjs';

const mayBeAway = process.argv.includes('--if-available');
// Of everything: --omit=dev would leave out what the build bundles. What does not ship is left out below.
const { stdout, stderr, error } = spawnSync('npm', ['audit', '--json'], {
  encoding: 'utf8',
  shell: process.platform === 'win32',
});
const counts = countShipped(parse(stdout)?.vulnerabilities);
const unreachable = /\b(404|405|50\d)\b|ENOTFOUND|ECONNREFUSED|ECONNRESET|EAI_AGAIN|ETIMEDOUT|endpoint/i;
const isAway = unreachable.test(`${stdout} ${stderr}`);

if (counts) {
  console.log(
    `audit: ${counts.critical} critical, ${counts.high} high, ${counts.moderate} moderate, ${counts.low} low`,
  );
  process.exitCode = counts.critical + counts.high > 0 ? 1 : 0;
} else if (isAway && mayBeAway) {
  console.warn('audit: NOT DONE, the registry gives no advisories from here; a release needs them');
} else if (isAway) {
  console.error(
    'audit: the registry gives no advisories, so nothing is known of the packages that ship.\n' +
      'audit: run it where registry.npmjs.org, or a registry that answers `npm audit`, is reached.',
  );
  process.exitCode = 1;
} else {
  console.error(`audit: npm audit gave no report\n${error?.message ?? ''}${stdout ?? ''}\n${stderr ?? ''}`);
  process.exitCode = 1;
}

/** Packages with advisories by severity, of those that ship in some copy; as npm counts them. */
function countShipped(vulnerabilities) {
  if (vulnerabilities === undefined) return undefined;
  const counts = { critical: 0, high: 0, moderate: 0, low: 0 };
  for (const { name, severity, nodes = [] } of Object.values(vulnerabilities)) {
    const shipped = nodes.filter(isShipped);
    if (shipped.length === 0) continue;
    counts[severity] += 1;
    console.log(`audit: ${severity}: ${name} (${shipped.join(', ')})`);
  }
  return counts;
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
