import type { PortalConfigInput } from '../../../src/config/index.js';
import { openDatabase, type Database, type Dialect } from '../../../src/database/index.js';
import { silentLogger } from '../../../src/core/index.js';
import { testConfig } from '../database-config.js';
import { TestClient } from '../http-client.js';
import type { ServingPortal } from '../portal-process.js';
import { createProject, UNLIMITED, type Project } from '../project.js';
import { dialectUnderTest } from '../test-database.js';
import { SignUps, type SignedUp } from './sign-ups.js';

interface CrewOptions {
  /** Default: a new database. */
  readonly databaseUrl?: string;
  /** Of the new database; the dialect under test by default. */
  readonly dialect?: Dialect;
  /** Number of processes; 2 by default. */
  readonly replicas?: number;
  readonly config?: PortalConfigInput;
}

/** Real `portal serve` processes that share nothing but a database. */
export interface Crew {
  readonly project: Project;
  /** The test's own connection. */
  readonly database: Database;
  readonly replicas: readonly ServingPortal[];
  readonly clients: readonly [TestClient, ...TestClient[]];
  signUp(): Promise<SignedUp>;
  /** Result of a counting query. */
  count(sql: string): Promise<number>;
  stop(): Promise<void>;
}

export async function startCrew({
  databaseUrl,
  dialect = databaseUrl?.startsWith('mysql') ? 'mysql' : dialectUnderTest(),
  replicas: size = 2,
  config = {},
}: CrewOptions = {}): Promise<Crew> {
  // One address for all, as tokens contain it.
  const shared = { app: { url: 'http://portal.test' }, limits: UNLIMITED };
  const project = await createProject(dialect, { ...shared, ...config }, { databaseUrl });
  const replicas = await Promise.all(Array.from({ length: size }, () => project.serve()));
  const clients = replicas.map(({ url }) => TestClient.to(url)) as unknown as Crew['clients'];
  const database = openDatabase(testConfig(project.databaseUrl), { logger: silentLogger });
  const signUps = new SignUps(clients);
  return {
    ...{ project, database, replicas, clients },
    signUp: () => signUps.next(),
    count: async (sql) => Number(Object.values((await database.select<object>(sql))[0] ?? {})[0]),
    stop: async () => {
      await Promise.all(replicas.map((replica) => replica.stop()));
      await database.close();
      await project.remove();
    },
  };
}
