import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PortalConfigInput } from '../../src/config/index.js';
import type { Dialect } from '../../src/database/index.js';
import { copyMigrated } from './migrated-copy.js';
import { portal, type PortalResult } from './portal-command.js';
import { servePortal, type ServingPortal } from './portal-process.js';
import { createTestDatabase } from './test-database.js';

/** A migrated project in a folder of its own, for commands and for servers of the real binary. */
export interface Project {
  readonly databaseUrl: string;
  readonly cwd: string;
  /** What its commands find in their environment. */
  readonly env: Readonly<Record<string, string>>;
  /** `portal serve`, ready to answer. @param env beside that of the project */
  serve(env?: Readonly<Record<string, string>>): Promise<ServingPortal>;
  /** Any other command, in this process. */
  run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<PortalResult>;
  /** Removes folder and database. */
  remove(): Promise<void>;
}

const MANY = 1_000_000;
/** No limit is met, for who measures or writes more than people do. */
export const UNLIMITED = {
  login: { perAccountAndIp: { max: MANY }, perAccount: { max: MANY } },
  ip: { requests: { max: MANY }, failingAccounts: { max: MANY } },
  register: { perHour: MANY, perDay: MANY },
  refresh: { perFamily: MANY, perIp: MANY },
};

interface ProjectPlace {
  /** A database of the test's own instead of a new one. */
  readonly databaseUrl?: string | undefined;
  /** Default true. */
  readonly migrate?: boolean;
}

export async function createProject(
  dialect: Dialect,
  config: PortalConfigInput = {},
  { databaseUrl, migrate = true }: ProjectPlace = {},
): Promise<Project> {
  const cwd = mkdtempSync(join(tmpdir(), 'portal-project-'));
  const given = databaseUrl === undefined ? undefined : { url: databaseUrl, drop: () => Promise.resolve() };
  const database = given ?? (await createTestDatabase(cwd, dialect));
  const secret = (): string => `base64:${randomBytes(32).toString('base64')}`;
  const env = { APP_ENV: 'test', APP_KEY: secret(), PORTAL_API_JWT_SECRET: secret(), DATABASE_URL: database.url };
  const definition = JSON.stringify({ limits: UNLIMITED, ...config });
  writeFileSync(join(cwd, 'package.json'), '{"type":"module"}');
  writeFileSync(join(cwd, 'portal.config.js'), `export default ${definition};\n`);
  if (migrate) await migrated(cwd, env, databaseUrl === undefined);
  return {
    ...{ databaseUrl: database.url, cwd, env },
    run: (args, more = {}) => portal(args, { cwd, env: { ...env, ...more } }),
    serve: async (more = {}) => {
      const serving = await servePortal([], { cwd, env: { ...env, ...more } });
      await serving.printed('Ready');
      return serving;
    },
    remove: async () => {
      await database.drop();
      rmSync(cwd, { recursive: true, force: true });
    },
  };
}

async function migrated(cwd: string, env: Record<string, string>, isEmpty: boolean): Promise<void> {
  if (isEmpty) await copyMigrated(String(env['DATABASE_URL']));
  const { exitCode, stdout, stderr } = await portal(['migrate'], { cwd, env });
  if (exitCode !== 0) throw new Error(`portal migrate ended with ${exitCode}: ${stderr}${stdout}`);
}
