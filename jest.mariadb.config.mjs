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
  'theme/reference',
  'theme/theming',
].map((name) => `<rootDir>/dist-test/test/${name}`);

/** These take long, and may do something else on another database. */
const onBoth = [
  'api/apps/admin-apps',
  'api/apps/plans',
  'api/authorization',
  'api/catalog/uploads',
  'api/teams/team-apps',
  'api/teams/team-webhooks',
  'cli/backup',
  'cli/first-api',
  'cli/processes',
  'console/roles-walk',
  'console/security',
  'console/view-as-security',
  'crash/bulk-jobs',
  'crash/notices',
  'crash/search',
  'crash/usage',
  'crash/usage-alerts',
  'database/migrations',
  'database/sorts',
  'domain/apps/import',
  'domain/sunsets',
  'fuzz/bodies',
  'fuzz/declared',
  'modules/apigee/statistics',
  'modules/browser',
  'modules/mfa/login',
  'modules/mfa/pathways',
  'modules/oidc/accounts',
  'modules/oidc/hostile',
  'security/canary-process',
  'theme/apps',
  'theme/redis-sessions',
  'theme/web-sessions',
].map(fileOf);

/** `npm run test:mariadb`: the rest of the suite with a MariaDB of its own. */
export default {
  ...base,
  reporters: reporters({ minutes: 7 }),
  testMatch: ['<rootDir>/dist-test/test/**/*.test.js'],
  testPathIgnorePatterns: [...long.filter((file) => !onBoth.includes(file)), ...databaseless],
};
