// Breaks what real processes of the portal depend on while they are under load, and checks what docs/production.md promises.
// Everything runs on this machine, on loopback, on services that the tests start themselves. At the end a table says what
// was broken and what users met meanwhile; it is kept in .scratch/chaos.md.
//
//   npm run test:chaos [-- --fast] [NAME…]      NAME: how the name of a file of test/chaos begins
//
// --fast takes the tests alone whose name, or that of a describe around them, contains [fast]: those that need less than
// 15 seconds each, for CI.
//
// PORTAL_TEST_DATABASE=mysql takes a MariaDB instead of SQLite, PORTAL_CHAOS_ROWS another number of rows to remove,
// PORTAL_CHAOS_RESTARTS another number of restarts of each replica (5), PORTAL_CHAOS_RATE of requests a second meanwhile (100),
// PORTAL_CHAOS_MINUTES a longer soak (2), PORTAL_CHAOS_CALLS another number of counted calls (40 000).
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const FAST = '[fast]';
const root = fileURLToPath(new URL('..', import.meta.url));
const { values, positionals: names } = parseArgs({ allowPositionals: true, options: { fast: { type: 'boolean' } } });
const files = chaosFiles();
if (files.length === 0) {
  console.error(`test/chaos has no file for ${names.join(', ')}${values.fast ? ` with a test named ${FAST}` : ''}.`);
  process.exit(2);
}
const findings = join(root, '.scratch', 'chaos.jsonl');
mkdirSync(join(root, '.scratch'), { recursive: true });
rmSync(findings, { force: true });
const jest = [
  ...['--disable-warning=ExperimentalWarning', join(root, 'node_modules/jest/bin/jest.js')],
  // The fast part waits half of its time, and says nothing of speed.
  ...[
    '-w',
    values.fast ? '2' : '1',
    '--verbose',
    '--forceExit',
    '--testMatch',
    '<rootDir>/dist-test/test/chaos/**/*.chaos.js',
  ],
  ...(values.fast ? ['--testNamePattern', '\\[fast\\]'] : []),
  ...['--runTestsByPath', ...files],
];
const { status } = spawnSync(process.execPath, jest, {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, PORTAL_CHAOS_FINDINGS: findings },
});
report();
process.exitCode = status ?? 1;

/** Compiled files of the names asked for; those without a fast test would only be loaded in vain. */
function chaosFiles() {
  const folder = join(root, 'dist-test/test/chaos');
  return readdirSync(folder)
    .filter((file) => file.endsWith('.chaos.js'))
    .filter((file) => names.length === 0 || names.some((name) => file.startsWith(name)))
    .map((file) => join(folder, file))
    .filter((file) => !values.fast || readFileSync(file, 'utf8').includes(FAST));
}

function report() {
  const found = readFindings().sort((one, other) => one.rule.localeCompare(other.rule));
  if (found.length === 0) return;
  const rows = found.map(({ rule, fault, measured }) => `| ${rule} | ${fault} | ${measured} |`);
  const table = ['| Rule | What was broken | What users met |', '| --- | --- | --- |', ...rows].join('\n');
  writeFileSync(join(root, '.scratch', 'chaos.md'), `${table}\n`);
  console.log(`\n${table}`);
}

function readFindings() {
  try {
    return readFileSync(findings, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  } catch {
    return [];
  }
}
