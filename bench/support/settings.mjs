import { randomBytes } from 'node:crypto';
import { resolveConfig } from '../../dist-test/src/config/index.js';

/** What the portal, the hand-written server and the seed of one run must agree on. It travels to them as JSON. */
export function newSettings() {
  return {
    issuer: 'http://portal.bench',
    appKey: `base64:${randomBytes(32).toString('base64')}`,
    jwtSecret: randomBytes(48).toString('base64url'),
    rawJwtSecret: randomBytes(48).toString('base64url'),
    prefix: '/api/v1',
    adminPrefix: 'admin',
    perPage: 15,
    /** Seconds; the tokens of the seed outlive the longest run. */
    accessTtl: 86_400,
    refreshTtl: 2_592_000,
    refreshFamilyTtl: 7_776_000,
    /** Loopback clients would reach the limits per address within a second. */
    unlimited: 1_000_000_000,
    search: true,
  };
}

/** The production configuration of the portal, limits per address apart, as a host writes it. */
export function portalDefinition(settings, databaseUrl) {
  const { issuer, appKey, jwtSecret, prefix, adminPrefix, perPage, unlimited } = settings;
  const { accessTtl, refreshTtl, refreshFamilyTtl } = settings;
  const requests = { max: unlimited, window: 60 };
  return {
    // Mails of what waits would be written into the working directory.
    notices: { approvals: false },
    app: {
      env: 'production',
      url: issuer,
      allowHttp: true,
      allowedHosts: ['127.0.0.1'],
      key: appKey,
      logLevel: 'error',
    },
    server: { port: 0, host: '127.0.0.1' },
    database: { url: databaseUrl },
    limits: { ip: { requests } },
    search: { enabled: settings.search },
    portalApi: {
      ...{ prefix, adminPrefix, jwtSecret },
      accessTtl: `${accessTtl}s`,
      refreshTtl: `${refreshTtl}s`,
      refreshFamilyTtl: `${refreshFamilyTtl}s`,
      pagination: { perPage },
    },
  };
}

/** @param more sections beside those of every run */
export function portalConfig(settings, databaseUrl, more = {}) {
  return resolveConfig({ definition: { ...portalDefinition(settings, databaseUrl), ...more } }).config;
}
