import { chmodSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { roomyMemory } from '../../dist-test/test/support/roomy-memory.js';

/** Begins the name of the folder of a run; its process id ends it. */
const FOLDER = 'portalkit-tests-';

/**
 * Begins a run by saying what it runs and how long that takes, and ends it by naming what was not tested on this machine, so
 * that a green run never hides it. In between it keeps the folder for everything that the tests write, in memory where there is
 * much of it.
 */
export default class RunReporter {
  /** @param {{ minutes?: number, elsewhere?: string }} options minutes that the whole takes on two quiet processors */
  constructor(globalConfig, { minutes, elsewhere } = {}) {
    this.isWhole = globalConfig.nonFlagArgs.length === 0;
    this.minutes = minutes;
    this.elsewhere = elsewhere;
  }

  onRunStart({ numTotalTestSuites: files }) {
    const place = roomyMemory() ?? tmpdir();
    this.folder = makeFolder(place);
    // The processes of the tests find these in their environment.
    process.env.PORTAL_TEST_PLACE = place;
    process.env.TMPDIR = this.folder;
    process.env.PORTAL_TEST_TEMPLATES = join(this.folder, 'templates');
    mkdirSync(process.env.PORTAL_TEST_TEMPLATES);
    const database = process.env.PORTAL_TEST_DATABASE === 'mysql' ? 'MariaDB' : 'SQLite';
    const lines = [`${files} ${files === 1 ? 'file' : 'files'} on ${database}`];
    if (this.isWhole && this.minutes) lines.push(`about ${this.minutes} minutes on two quiet processors`);
    if (this.isWhole && this.elsewhere) lines.push(this.elsewhere);
    process.stderr.write(`${lines.join('; ')}\n`);
  }

  onRunComplete(_contexts, results) {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
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

/** An empty folder in `place` for this run. Those of runs that were killed go. */
function makeFolder(place) {
  const left = readdirSync(place).filter((name) => name.startsWith(FOLDER));
  for (const name of left.filter((name) => !lives(Number(name.slice(FOLDER.length))))) remove(join(place, name));
  const folder = join(place, `${FOLDER}${process.pid}`);
  mkdirSync(folder);
  // Like /tmp: servers that are started by root go on as somebody else.
  chmodSync(folder, 0o1777);
  return folder;
}

function remove(folder) {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // It is somebody else's.
  }
}

function lives(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
