// Adds up the JSON reports of jest: `node .ci/count.mjs FAILED_STEPS REPORT…` prints `N passed, N failed, N skipped`.
// A report that is missing or unreadable is one failure, as is a test file that could not run.
import { readFileSync } from 'node:fs';

const [failedSteps, ...reports] = process.argv.slice(2);
const total = { passed: 0, failed: Number(failedSteps), skipped: 0 };

for (const file of reports) {
  try {
    const report = JSON.parse(readFileSync(file, 'utf8'));
    const failed = report.numFailedTests + report.numRuntimeErrorTestSuites;
    total.passed += report.numPassedTests;
    total.failed += failed === 0 && !report.success ? 1 : failed;
    total.skipped += report.numPendingTests;
  } catch (error) {
    console.error(`no report of a test run: ${error.message}`);
    total.failed += 1;
  }
}

console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;
