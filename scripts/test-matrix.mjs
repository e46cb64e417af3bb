// Runs the suites of the product itself (API, domains, gateway, attacks) on every database and setting that they must
// hold on, one variant after another on one build: MariaDB with snapshot isolation off and on, each database with a single
// connection, and two replicas with a Redis that take requests in turn. One line per variant; the exit code is 1 when one of them fails.
//
//   npm run test:matrix [-- NAME…]     NAME: part of the title of a variant
//
// With CI=true a missing MariaDB is a failure, as everywhere. `--reports FOLDER` keeps a report of jest per variant.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values, positionals } = parseArgs({ allowPositionals: true, options: { reports: { type: 'string' } } });
const reports = resolve(values.reports ?? join(root, '.scratch', 'matrix'));

const mariadb = { PORTAL_TEST_DATABASE: 'mysql' };
const snapshots = (value) => ({ PORTAL_TEST_MARIADB_ARGUMENTS: `--innodb-snapshot-isolation=${value}` });
const variants = [
  { title: 'sqlite, one connection', environment: { PORTAL_TEST_POOL_MAX: '1' } },
  { title: 'mariadb, snapshot isolation off', environment: { ...mariadb, ...snapshots('OFF') } },
  { title: 'mariadb, snapshot isolation on', environment: { ...mariadb, ...snapshots('ON') }, databaseToo: true },
  { title: 'mariadb, one connection', environment: { ...mariadb, ...snapshots('ON'), PORTAL_TEST_POOL_MAX: '1' } },
  {
    title: 'two replicas, redis',
    environment: { ...mariadb, ...snapshots('ON'), PORTAL_TEST_REPLICAS: 'redis' },
    only: ['api/', 'domain', 'mail', 'modules', 'security', 'theme'],
    without: [
      // A gateway that fails on command, and its calls counted, live in one process.
      ...[
        'api/apps/gateway-budget',
        'api/console/dashboard',
        'domain/apps/recovery',
        'domain/apps/two-sides',
        'theme/apps',
      ],
      // Templates and the clock of one process.
      ...['theme/published-templates', 'theme/browser', 'theme/reference-browser', 'theme/theming'],
      // They start replicas and a Redis of their own.
      ...['security/redis-replicas', 'theme/redis-sessions', 'theme/web-sessions'],
    ],
  },
];

/** What starts a portal, and the rooms below it that talk to the database. */
const suites = ['api', 'cache', 'domain', 'fuzz', 'gateway', 'limits', 'main-job'];

rmSync(reports, { recursive: true, force: true });
mkdirSync(reports, { recursive: true });
const chosen = variants.filter(
  ({ title }) => positionals.length === 0 || positionals.some((name) => title.includes(name)),
);
if (chosen.length === 0) {
  console.error(
    `No variant is called ${positionals.join(', ')}. There are: ${variants.map(({ title }) => title).join('; ')}`,
  );
  process.exit(2);
}
let failed = 0;
for (const variant of chosen) if (!run(variant)) failed += 1;
console.log(`${chosen.length - failed} of ${chosen.length} variants passed`);
process.exitCode = failed > 0 ? 1 : 0;

function run({ title, environment, databaseToo, only = suites, without = [] }) {
  const report = join(reports, `${title.replace(/\W+/g, '-')}.json`);
  const patterns = [...only, ...(databaseToo ? ['database'] : [])].map((suite) => `dist-test/test/${suite}`);
  const ignored = without.flatMap((name) => ['--testPathIgnorePatterns', `dist-test/test/${name}`]);
  const start = performance.now();
  const result = spawnSync(
    process.execPath,
    [...jest(), ...ignored, '--silent', '--json', `--outputFile=${report}`, ...patterns],
    {
      cwd: root,
      env: { ...process.env, ...environment },
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
    },
  );
  const seconds = Math.round((performance.now() - start) / 1000);
  const { numPassedTests: passed = 0, numFailedTests = 0, numPendingTests: skipped = 0 } = readReport(report);
  const ok = result.status === 0 && passed > 0;
  console.log(
    `${ok ? 'ok    ' : 'FAILED'} ${title}: ${passed} passed, ${numFailedTests} failed, ${skipped} skipped, ${seconds} s`,
  );
  if (!ok)
    console.log(
      result.stderr
        .split('\n')
        .filter((line) => !line.startsWith('PASS'))
        .join('\n'),
    );
  return ok;
}

function jest() {
  return ['--disable-warning=ExperimentalWarning', join(root, 'node_modules/jest/bin/jest.js'), ...['-w', '2']];
}

function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return {};
  }
}
