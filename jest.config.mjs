export default {
  testEnvironment: 'node',
  transform: {},
  testMatch: ['<rootDir>/dist-test/test/**/*.test.js'],
  testTimeout: 120_000,
  reporters: ['default', '<rootDir>/test/support/skipped-services-reporter.mjs'],
};
