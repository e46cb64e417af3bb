import { openDatabase, type Database } from '../../../src/database/index.js';
import { silentLogger } from '../../../src/core/index.js';
import type { PortalConfigInput } from '../../../src/config/index.js';
import { SignUps } from '../chaos/sign-ups.js';
import { testConfig } from '../database-config.js';
import { TestClient } from '../http-client.js';
import { insertProduct } from '../insert-product.js';
import type { ServingPortal } from '../portal-process.js';
import { createProject, type Project } from '../project.js';
import { dialectUnderTest } from '../test-database.js';
import { sumOfCalls } from '../usage.js';

/** Real processes that count calls over one database. */
export interface CountedPortal {
  readonly project: Project;
  readonly database: Database;
  /** Of one app each. */
  readonly keys: readonly string[];
  serve(): Promise<ServingPortal>;
  /** Calls in the database. */
  counted(): Promise<number>;
  stop(): Promise<void>;
}

const APPS = 5;

/** @param databaseUrl of a database of the test's own */
export async function startCountedPortal(config: PortalConfigInput = {}, databaseUrl?: string): Promise<CountedPortal> {
  const dialect = databaseUrl === undefined ? dialectUnderTest() : 'mysql';
  const shared = { app: { url: 'http://portal.test' }, ...config };
  const project = await createProject(dialect, shared, { databaseUrl });
  const database = openDatabase(testConfig(project.databaseUrl), { logger: silentLogger });
  await insertProduct(database, 'payments');
  const first = await project.serve();
  const client = TestClient.to(first.url);
  const { token } = await new SignUps([client]).next();
  const keys: string[] = [];
  for (let app = 0; app < APPS; app += 1) {
    const body = { name: `app${app}`, products: ['payments'] };
    const { json } = await client.post('/api/v1/me/apps', body, { token });
    keys.push(json.data.credentials[0].consumer_key);
  }
  await first.stop();
  return {
    ...{ project, database, keys },
    serve: () => project.serve(),
    counted: () => sumOfCalls(database),
    stop: async () => {
      await database.close();
      await project.remove();
    },
  };
}
