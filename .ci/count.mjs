// Adds up the JSON reports of jest: `node .ci/count.mjs FAILED_STEPS REPORT…` prints `N passed, N failed, N skipped`.
// A report that is missing or unreadable is one failure, as is a test file that could not run. Beside NAME.json may lie
// NAME-again.json: files that failed and ran once more, which then count as they did there.
import { existsSync, readFileSync } from 'node:fs';

const [failedSteps, ...reports] = process.argv.slice(2);
const total = { passed: 0, failed: Number(failedSteps), skipped: 0 };

for (const file of reports) {
  try {
    const counts = countsOf(file);
    for (const name of Object.keys(total)) total[name] += counts[name];
  } catch (error) {
    console.error(`no report of a test run: ${error.message}`);
    total.failed += 1;
  }
}

/** @returns how many tests of a report passed, failed and were skipped */
function countsOf(file) {
  const again = file.replace(/\.json$/, '-again.json');
  const { testResults, success } = readReport(file);
  const repeated = existsSync(again) ? readReport(again).testResults : [];
  const names = new Set(repeated.map(({ name }) => name));
  const files = [...testResults.filter(({ name }) => !names.has(name)), ...repeated];
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const { status, assertionResults } of files) {
    const count = (name) => assertionResults.filter((test) => test.status === name).length;
    counts.passed += count('passed');
    counts.skipped += count('pending');
    counts.failed += Math.max(count('failed'), Number(status === 'failed'));
  }
  for (const { name, status } of repeated) {
    if (status !== 'failed')
      console.log(`failed once, and passed when it ran again: ${name.replace(/.*dist-test\//, '')}`);
  }
  // A run that was cut or could not begin.
  if (!success && counts.failed === 0 && repeated.length === 0) counts.failed = 1;
  return counts;
}

function readReport(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;
