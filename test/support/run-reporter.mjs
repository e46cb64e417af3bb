import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Begins a run by saying what it runs and how long that takes, and ends it by naming what was not tested on this machine, so
 * that a green run never hides it. In between it keeps a folder for what the files of the run share.
 */
export default class RunReporter {
  /** @param {{ minutes?: number, elsewhere?: string }} options minutes that the whole takes on two quiet processors */
  constructor(globalConfig, { minutes, elsewhere } = {}) {
    this.isWhole = globalConfig.nonFlagArgs.length === 0;
    this.minutes = minutes;
    this.elsewhere = elsewhere;
  }

  onRunStart({ numTotalTestSuites: files }) {
    // The processes of the tests find it in their environment.
    process.env.PORTAL_TEST_TEMPLATES = mkdtempSync(join(tmpdir(), 'portal-templates-'));
    const database = process.env.PORTAL_TEST_DATABASE === 'mysql' ? 'MariaDB' : 'SQLite';
    const lines = [`${files} ${files === 1 ? 'file' : 'files'} on ${database}`];
    if (this.isWhole && this.minutes) lines.push(`about ${this.minutes} minutes on two quiet processors`);
    if (this.isWhole && this.elsewhere) lines.push(this.elsewhere);
    process.stderr.write(`${lines.join('; ')}\n`);
  }

  onRunComplete(_contexts, results) {
    rmSync(process.env.PORTAL_TEST_TEMPLATES, { recursive: true, force: true });
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
