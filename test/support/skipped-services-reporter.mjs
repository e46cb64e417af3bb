/** Ends a run by naming what was not tested on this machine, so that a green run never hides it. */
export default class SkippedServicesReporter {
  onRunComplete(_contexts, results) {
    const skipped = new Map();
    for (const file of results.testResults) {
      for (const test of file.testResults) {
        if (test.status !== 'pending') continue;
        const reason = /\[needs ([a-z-]+)\]/.exec(test.fullName)?.[1] ?? 'other';
        skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
      }
    }
    for (const [reason, count] of skipped) {
      const why = reason === 'other' ? 'skipped by their own name' : `skipped: ${reason} is not installed`;
      process.stderr.write(`${count} ${count === 1 ? 'test' : 'tests'} ${why}\n`);
    }
  }
}
