import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolveConfig, type PortalConfigInput, type PortalExtensions } from '../../src/config/index.js';
import { silentLogger, type Logger } from '../../src/core/index.js';
import { createPortal, type Portal } from '../../src/portal.js';
import { shippedDrivers } from '../../src/shipped-drivers.js';
import { asOne, onTwoReplicas } from './as-one.js';
import { DocumentedApi } from './documented-api.js';
import { FakeClock } from './fake-clock.js';
import { TestClient } from './http-client.js';
import type { Dialect } from '../../src/database/index.js';
import { copyMigrated } from './migrated-copy.js';
import { PATIENCE } from './patience.js';
import { startRedis } from './services.js';
import { createTestDatabase, dialectUnderTest } from './test-database.js';

export interface TestPortalOptions {
  config?: PortalConfigInput;
  extensions?: PortalExtensions;
  clock?: FakeClock;
  logger?: Logger;
  /** The one of this run of the suite by default. */
  dialect?: Dialect;
  /** Of a portal that is to be joined, as its second replica. */
  databaseUrl?: string;
  /** Never two of them: what the test breaks, counts or keeps is in one process. */
  replicas?: 1;
}

export interface TestPortal {
  portal: Portal;
  client: TestClient;
  clock: FakeClock;
  databaseUrl: string;
  /** From now on every request goes to the first replica, whose services the test sees; or to both in turn again. */
  pin(isPinned: boolean): void;
  stop(): Promise<void>;
}

const secret = (): string => `base64:${randomBytes(32).toString('base64')}`;
/** Shared by every portal of a test file, so that two replicas trust each other's tokens. */
const KEYS = { app: { key: secret() }, portalApi: { jwtSecret: randomBytes(48).toString('base64url') } };

/** `PORTAL_TEST_POOL_MAX=1` shows that nothing asks for a second connection while it holds one (R25). */
const databaseUnderTest = () => {
  const max = process.env.PORTAL_TEST_POOL_MAX;
  const pool = { acquire: PATIENCE.connection, ...(max !== undefined && { max: Number(max) }) };
  return { statementTimeout: PATIENCE.statement, pool };
};

/**
 * The real application on a free port with a fresh migrated database: SQLite, or MariaDB with
 * `PORTAL_TEST_DATABASE=mysql`; two replicas of it with a Redis for `PORTAL_TEST_REPLICAS=redis`. The clock stands still
 * until a test moves it. Every answer of the API is held against the OpenAPI document of the portal: one that it does not
 * tell fails the test.
 */
export async function startTestPortal(options: TestPortalOptions = {}): Promise<TestPortal> {
  const clock = options.clock ?? new FakeClock();
  const directory = mkdtempSync(join(tmpdir(), 'portal-test-'));
  const database =
    options.databaseUrl === undefined
      ? await createTestDatabase(directory, options.dialect ?? dialectUnderTest())
      : { url: options.databaseUrl };
  if (options.databaseUrl === undefined) await copyMigrated(database.url);
  const given = options.config ?? {};
  const isTwo = onTwoReplicas() && options.databaseUrl === undefined && options.replicas !== 1;
  const redis = isTwo ? await startRedis() : null;
  const definition = {
    ...(redis && { session: { store: 'redis' } }),
    ...given,
    ...options.extensions,
    ...patient(redis ? { redis: { url: `redis://127.0.0.1:${redis.port}` }, ...given } : given),
    app: { env: 'test', ...KEYS.app, ...given.app },
    portalApi: { ...KEYS.portalApi, ...given.portalApi },
    database: { ...databaseUnderTest(), ...given.database, url: database.url },
  };
  const { config, extensions } = resolveConfig({ definition, drivers: await shippedDrivers() });
  const open = () =>
    createPortal({ config, extensions, root: directory, clock, logger: options.logger ?? silentLogger });
  const { portal, pin } = redis
    ? asOne(await warmed(open()), await warmed(open()))
    : { portal: open(), pin: () => undefined };
  if (options.databaseUrl === undefined) await portal.migrator.up();
  const api = new DocumentedApi(portal);
  const client = await TestClient.start(portal.handler, api);
  return {
    portal,
    client,
    clock,
    databaseUrl: database.url,
    pin,
    stop: async () => {
      await client.close();
      await portal.close();
      await redis?.stop();
      if ('drop' in database) await database.drop();
      rmSync(directory, { recursive: true, force: true });
      api.assertClean();
    },
  };
}

/** Where a portal of a test waits for others, with more patience than by default. */
function patient({ redis, gateway }: PortalConfigInput): PortalConfigInput {
  const { apigee } = gateway ?? {};
  return {
    ...(redis && { redis: { timeout: PATIENCE.redis, ...redis } }),
    ...(apigee ? { gateway: { ...gateway, apigee: { timeout: PATIENCE.apigee, ...(apigee as object) } } } : {}),
  };
}

/** Connected: with a clock that stands still, a replica that was not ready in its first second never will be. */
async function warmed(portal: Portal): Promise<Portal> {
  await portal.database.select('SELECT 1');
  await portal.redis?.evictionPolicy();
  return portal;
}
