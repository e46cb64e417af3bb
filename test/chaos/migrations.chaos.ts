import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Migrator, openDatabase, packageMigrations, type Database } from '../../src/database/index.js';
import { silentLogger } from '../../src/kernel/index.js';
import { finding } from '../support/chaos/finding.js';
import { testConfig } from '../support/database-config.js';
import { onEachDatabase } from '../support/databases.js';
import { servePortal, type ServingPortal } from '../support/portal-process.js';
import { createProject, type Project } from '../support/project.js';

const REPLICAS = 5;
const SHIPPED = packageMigrations().map(({ name }) => name);

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
    expect(await new Migrator(database).pending()).toEqual([]);
    for (const replica of replicas) expect(await replica.stop()).toBe(0);
    finding(
      'R22',
      `five replicas started with --migrate on an empty database (${title})`,
      `each of ${SHIPPED.length} migrations once, all ready after ${seconds.toFixed(1)} s`,
    );
  }, 60_000);

  it('go on where one broke off that was killed in the middle', async () => {
    await new Migrator(database).rollback();
    const holder = await start();
    replicas = [holder, ...(await Promise.all(Array.from({ length: REPLICAS - 1 }, start)))];
    const done = async () => SHIPPED.length - (await new Migrator(database).pending()).length;
    // Whoever of the five has the lock is the one that says what it migrates.
    const killed = await Promise.race(replicas.map((replica) => replica.printed('Migrating ').then(() => replica)));
    killed.process.kill('SIGKILL');
    await killed.ended;
    const doneBefore = await done();
    expect(doneBefore).toBeLessThan(SHIPPED.length);
    const others = replicas.filter((replica) => replica !== killed);
    await Promise.all(others.map((replica) => replica.printed('Ready.')));
    const again = others.flatMap(migrated);
    expect(again).toEqual(SHIPPED.slice(-again.length));
    expect(again.length).toBe(SHIPPED.length - doneBefore);
    expect(await done()).toBe(SHIPPED.length);
    for (const replica of others) expect(await replica.stop()).toBe(0);
    finding(
      'R22',
      `the replica that migrates killed -9 after ${doneBefore} of ${SHIPPED.length} migrations (${title})`,
      'another one ran the rest, each once; all ready',
    );
  }, 90_000);
});
