import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Migrator, openDatabase, type Database } from '../../src/database/index.js';
import { silentLogger } from '../../src/core/index.js';
import { finding } from '../support/chaos/finding.js';
import { testConfig } from '../support/database-config.js';
import { onEachDatabase } from '../support/databases.js';
import { servePortal, type ServingPortal } from '../support/portal-process.js';
import { createProject, type Project } from '../support/project.js';
import { keyedMigrations, shippedMigrations } from '../support/shipped-migrations.js';

const REPLICAS = 5;
const SHIPPED = shippedMigrations;

/** A migration of the host in the middle of ours, which does not end as long as there is a file of this name. */
const STALL = '20260104000050-stall';
const STALLING = `
import { existsSync } from 'node:fs';
const stalled = () => existsSync(new URL('stalled', import.meta.url));
export const migration = {
  up: async () => { while (stalled()) await new Promise((next) => setTimeout(next, 20)); },
  down: async () => {},
};
`;
const ALL = [...SHIPPED, STALL].sort();

onEachDatabase('R22: five replicas that start at once on an empty database [fast]', (test) => {
  const title = test.dialect === 'mysql' ? 'MariaDB' : 'SQLite';
  let project: Project;
  let database: Database;
  let replicas: ServingPortal[] = [];

  beforeAll(async () => {
    project = await createProject(test.dialect, {}, { databaseUrl: await test.url(), migrate: false });
    database = openDatabase(testConfig(project.databaseUrl), { logger: silentLogger });
  }, 90_000);
  afterAll(async () => {
    for (const { process } of replicas) process.kill('SIGKILL');
    await database.close();
    await project.remove();
  });

  const start = () => servePortal(['--migrate'], project);
  const startAll = () => Promise.all(Array.from({ length: REPLICAS }, start));
  const migrated = (replica: ServingPortal) =>
    [...replica.output().matchAll(/Migrating (\S+)/g)].map(([, name = '']) => name);

  it('run every migration once, and all become ready', async () => {
    const before = performance.now();
    replicas = await startAll();
    await Promise.all(replicas.map((replica) => replica.printed('Ready.')));
    const seconds = (performance.now() - before) / 1000;
    expect(replicas.flatMap(migrated)).toEqual(SHIPPED);
    expect(await new Migrator(database, { extra: keyedMigrations }).findPending()).toEqual([]);
    for (const replica of replicas) expect(await replica.stop()).toBe(0);
    finding(
      'R22',
      `five replicas started with --migrate on an empty database (${title})`,
      `each of ${SHIPPED.length} migrations once, all ready after ${seconds.toFixed(1)} s`,
    );
  }, 60_000);

  it('go on where one broke off that was killed in the middle', async () => {
    await new Migrator(database, { extra: keyedMigrations }).rollback();
    const folder = join(project.cwd, 'migrations');
    mkdirSync(folder);
    writeFileSync(join(folder, `${STALL}.js`), STALLING);
    writeFileSync(join(folder, 'stalled'), '');
    replicas = await startAll();
    // Whoever of the five has the lock is the one that says what it migrates.
    const holder = await Promise.race(replicas.map((replica) => replica.printed(STALL).then(() => replica)));
    holder.process.kill('SIGKILL');
    await holder.ended;
    rmSync(join(folder, 'stalled'));
    const before = migrated(holder).length - 1;
    const others = replicas.filter((replica) => replica !== holder);
    const since = performance.now();
    await Promise.all(others.map((replica) => replica.printed('Ready.')));
    const seconds = (performance.now() - since) / 1000;
    expect(others.flatMap(migrated)).toEqual(ALL.slice(before));
    expect(await new Migrator(database, { extra: keyedMigrations }).findPending()).toEqual([]);
    for (const replica of others) expect(await replica.stop()).toBe(0);
    finding(
      'R22',
      `the replica that migrates killed -9 after ${before} of ${ALL.length} migrations (${title})`,
      `another one ran the rest, each once; all ready ${seconds.toFixed(1)} s later`,
    );
  }, 90_000);
});
