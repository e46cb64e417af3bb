// Breaks what real processes of the portal depend on while they are under load, and checks what docs/production.md promises.
// Everything runs on this machine, on loopback, on services that the tests start themselves. At the end a table says what
// was broken and what users met meanwhile; it is kept in .scratch/chaos.md.
//
//   npm run test:chaos [-- NAME…]      NAME: part of the name of a file of test/chaos
//
// PORTAL_TEST_DATABASE=mysql takes a MariaDB instead of SQLite, PORTAL_CHAOS_ROWS another number of rows to remove.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const names = process.argv.slice(2);
const findings = join(root, '.scratch', 'chaos.jsonl');
mkdirSync(join(root, '.scratch'), { recursive: true });
rmSync(findings, { force: true });
const jest = [
  ...[
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
    join(root, 'node_modules/jest/bin/jest.js'),
  ],
  ...['-w', '1', '--verbose', '--testMatch', '<rootDir>/dist-test/test/chaos/**/*.chaos.js', '--', ...names],
];
const { status } = spawnSync(process.execPath, jest, {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, PORTAL_CHAOS_FINDINGS: findings },
});
report();
process.exitCode = status ?? 1;

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
