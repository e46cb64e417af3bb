/**
 * Proofs that take half a minute or more each, many processes or a browser: kills, fuzzing, whole projects made and installed,
 * every route against every caller, pages in Chromium. `npm run test:long` runs them; `npm test` leaves them out, so that it
 * ends within three minutes on two quiet processors.
 */
export const long = [
  'agents/mcp',
  'agents/mcp-conformance',
  'agents/visibility',
  'api/apps/admin-apps',
  'api/apps/gateway-budget',
  'api/apps/plans',
  'api/authorization',
  'api/catalog/uploads',
  'api/catalog/versions',
  'api/route-walk',
  'api/small-pool',
  'api/teams/team-apps',
  'api/teams/team-webhooks',
  'as-code/many-edits',
  'as-code/portal-as-code',
  'cli/backup',
  'cli/demo-seed',
  'cli/docs-build',
  'cli/first-api',
  'cli/gateway',
  'cli/init',
  'cli/install',
  'cli/processes',
  'cli/product-import',
  'cli/push',
  'cli/serve',
  'cli/spec-diff',
  'cli/webhooks-listen',
  'cli/workers',
  'cli/workflow-run',
  'console/browser',
  'console/hostile',
  'console/keys',
  'console/links',
  'console/looks',
  'console/roles-walk',
  'console/security',
  'console/ten-tasks',
  'console/view-as-browser',
  'console/view-as-security',
  'console/weight',
  'crash/as-code',
  'crash/bulk-jobs',
  'crash/crash',
  'crash/gateway-handover',
  'crash/gateway-operations',
  'crash/gateway-requests',
  'crash/limits',
  'crash/notices',
  'crash/search',
  'crash/uploads',
  'crash/usage',
  'crash/usage-alerts',
  'crash/usage-import',
  'crash/webhooks',
  'crash/webhooks-frozen',
  'database/migrations',
  'database/sorts',
  'demo/demo',
  'demo/film',
  'demo/sign-in-links',
  'deploy/image',
  'deploy/nginx',
  'deploy/own-images',
  'domain/apps/import',
  'domain/catalog/document-index',
  'domain/catalog/graphql',
  'domain/catalog/spec',
  'domain/console/large-bulk-job',
  'domain/sunsets',
  'extending/events-document',
  'extending/examples',
  'extending/extending-document',
  'extending/init-rule',
  'extending/stubs',
  'fuzz/addresses',
  'fuzz/bodies',
  'fuzz/declared',
  'fuzz/listing',
  'gateway/express-gateway',
  'house/changes',
  'house/regular-expressions',
  'house/without-modules',
  'modules/apigee/contract',
  'modules/apigee/driver',
  'modules/apigee/moves',
  'modules/apigee/plans',
  'modules/apigee/portal',
  'modules/apigee/statistics',
  'modules/browser',
  'modules/collection',
  'modules/echoed-secrets',
  'modules/hover-docs',
  'modules/mfa/account',
  'modules/mfa/login',
  'modules/mfa/pathways',
  'modules/oidc/accounts',
  'modules/oidc/hostile',
  'observability/serve',
  'openapi/client',
  'openapi/document',
  'openapi/fuzz',
  'package/audit',
  'package/checkout',
  'package/supply-chain',
  'package/tarball',
  'package/upgrade',
  'security/canary-process',
  'security/names',
  'security/surface',
  'theme/apps',
  'theme/audits',
  'theme/browser',
  'theme/docs',
  'theme/hostile',
  'theme/keys',
  'theme/redis-sessions',
  'theme/reference',
  'theme/reference-browser',
  'theme/reference-facts',
  'theme/reference-graphql',
  'theme/reference-oauth',
  'theme/reference-samples',
  'theme/reference-search',
  'theme/reference-try',
  'theme/reference-written',
  'theme/theming-document',
  'theme/web-sessions',
].map(fileOf);

/** For `npm run test:mariadb` alone: they would be the only ones of `npm test` that start one. */
const onMariaDbAlone = ['database/outages', 'domain/usage/lost-commits'].map(fileOf);

/** @param name below test/ */
export function fileOf(name) {
  return `<rootDir>/dist-test/test/${name}.test.js`;
}

// The processes of the runner are started with the options of this one.
process.execArgv.push('--import', new URL('test/support/early-worker-data.mjs', import.meta.url).href);

/**
 * Two processes take the files in turn, three the long ones, which wait half of their time for children, browsers and
 * timeouts. They import them as Node does: modules are loaded once for a process, not once for a file. So no test may leave
 * anything behind in a module, in `process.env` or in a global.
 */
export const base = {
  runner: 'jest-light-runner/child-process',
  setupFilesAfterEnv: ['<rootDir>/test/support/time-limits.mjs'],
  transform: {},
};

/** @param options what a run says at its begin; see the reporter */
export function reporters(options) {
  return ['default', ['<rootDir>/test/support/run-reporter.mjs', options]];
}

/** `npm test -- names`: who asks for files by name gets them, long or not. */
const isNamed = process.argv.slice(2).some((word) => /^[^-].*[a-z]/i.test(word));

export default {
  ...base,
  reporters: reporters({ minutes: 3, elsewhere: `npm run test:long has ${long.length} more` }),
  testMatch: ['<rootDir>/dist-test/test/**/*.test.js'],
  testPathIgnorePatterns: isNamed ? [] : [...long, ...onMariaDbAlone],
};
