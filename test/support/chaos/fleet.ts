import type { PortalConfigInput } from '../../../src/config/index.js';
import { openDatabase, type Database } from '../../../src/database/index.js';
import { silentLogger } from '../../../src/core/index.js';
import { testConfig } from '../database-config.js';
import { TestClient } from '../http-client.js';
import type { ServingPortal } from '../portal-process.js';
import { createProject, UNLIMITED, type Project } from '../project.js';
import { startBreakableRedis, type BreakableRedis } from '../redis.js';
import { dialectUnderTest } from '../test-database.js';
import { SignUps, type SignedUp } from './sign-ups.js';

export { SIGN_UP_PASSWORD as FLEET_PASSWORD } from './sign-ups.js';

/** Real `portal serve` processes that share a database and a Redis. */
export interface Fleet {
  readonly redis: BreakableRedis;
  readonly database: Database;
  readonly clients: readonly [TestClient, TestClient];
  readonly replicas: readonly [ServingPortal, ServingPortal];
  /** Registers a developer. @returns their signed-in browser and a bearer token */
  signUp(): Promise<SignedUp>;
  stop(): Promise<void>;
}

/** @param prepare before the processes start */
export async function startFleet(
  config: PortalConfigInput = {},
  prepare: (database: Database) => Promise<void> = () => Promise.resolve(),
): Promise<Fleet> {
  const redis = await startBreakableRedis();
  // One address for both, as tokens contain it.
  const app = { url: 'http://portal.test' };
  const shared = { app, session: { store: 'redis' }, redis: { url: redis.url }, limits: UNLIMITED } as const;
  const project = await createProject(dialectUnderTest(), { ...shared, ...config });
  const database = openDatabase(testConfig(project.databaseUrl), { logger: silentLogger });
  await prepare(database);
  const replicas = await bothServing(project);
  const clients = replicas.map(({ url }) => TestClient.to(url)) as unknown as Fleet['clients'];
  const signUps = new SignUps(clients);
  return {
    ...{ redis, database, clients, replicas },
    signUp: () => signUps.next(),
    stop: async () => {
      await Promise.all(replicas.map((replica) => replica.stop()));
      await database.close();
      await project.remove();
      await redis.stop();
    },
  };
}

async function bothServing(project: Project): Promise<Fleet['replicas']> {
  return [await project.serve(), await project.serve()];
}
