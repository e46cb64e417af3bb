import { base, fileOf, long, reporters } from './jest.config.mjs';

/** What never meets the database, or brings its own, is told nothing by another one. */
const databaseless = [
  'openapi',
  'cli/cli',
  'cli/docs-build',
  'cli/gateway.test',
  'cli/init',
  'cli/inspect',
  'cli/locale',
  'cli/migrate',
  'cli/publish',
  'deploy',
  'demo',
  'extending',
  'house',
  'modules/collection',
  'package',
  'theme/theming',
].map((name) => `<rootDir>/dist-test/test/${name}`);

/** These take long, and may do something else on another database. */
const onBoth = [
  'cli/backup',
  'cli/first-api',
  'cli/processes',
  'crash/bulk-jobs',
  'crash/usage',
  'domain/apps/import',
  'fuzz/bodies',
  'modules/browser',
  'modules/echoed-secrets',
  'security/canary-process',
  'theme/docs',
].map(fileOf);

/** `npm run test:mariadb`: the rest of the suite with a MariaDB of its own. */
export default {
  ...base,
  reporters: reporters({ minutes: 6 }),
  testMatch: ['<rootDir>/dist-test/test/**/*.test.js'],
  testPathIgnorePatterns: [...long.filter((file) => !onBoth.includes(file)), ...databaseless],
};
