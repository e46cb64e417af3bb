// Breaks what real processes of the portal depend on while they are under load, and checks what docs/production.md promises
// (R07–R10, R38). Everything runs on this machine, on loopback, on services that the tests start themselves.
//
//   npm run test:chaos [-- NAME…]      NAME: part of the name of a file of test/chaos
//
// PORTAL_TEST_DATABASE=mysql takes a MariaDB instead of SQLite, PORTAL_CHAOS_ROWS another number of rows to remove.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const names = process.argv.slice(2);
const jest = [
  ...[
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
    join(root, 'node_modules/jest/bin/jest.js'),
  ],
  ...['-w', '1', '--verbose', '--testMatch', '<rootDir>/dist-test/test/chaos/**/*.chaos.js', '--', ...names],
];
const { status } = spawnSync(process.execPath, jest, { cwd: root, stdio: 'inherit' });
process.exitCode = status ?? 1;
