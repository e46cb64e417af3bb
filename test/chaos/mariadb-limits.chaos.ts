import { setTimeout as pause } from 'node:timers/promises';
import mysql from 'mysql2/promise';
import { startBreakableMariaDb, type BreakableMariaDb } from '../support/chaos/breakable-mariadb.js';
import { startCrew, type Crew } from '../support/chaos/crew.js';
import { finding } from '../support/chaos/finding.js';
import { Load, slowestOf, statusesOf, stopLoads } from '../support/chaos/load.js';
import { registration } from '../support/chaos/sign-ups.js';
import { describeWith } from '../support/describe-with.js';

/** The fewest that MariaDB can be told. */
const CONNECTIONS = 10;

describeWith('mariadb', 'R35: two processes and a MariaDB with settings of its own [fast]', () => {
  let mariadb: BreakableMariaDb;
  let crew: Crew;
  beforeAll(async () => {
    // latin1 and not strict, by the defaults of every server of these tests.
    mariadb = await startBreakableMariaDb(['--wait-timeout=2']);
    crew = await startCrew({ databaseUrl: mariadb.url });
  }, 90_000);
  afterEach(stopLoads);
  afterAll(async () => {
    await crew.stop();
    await mariadb.stop();
  });

  it('keeps names of any script, and no table takes the character set of a latin1 server', async () => {
    const [client] = crew.clients;
    const name = 'Zoë 😀 李';
    const person = { ...registration('zoe@example.com'), first_name: name };
    const registered = await client.post('/api/v1/auth/register', person);
    const { access_token: token } = registered.json.data as { access_token: string };
    expect((await client.get('/api/v1/me', { token })).json.data.first_name).toBe(name);
    const [server] = await mariadb.ask('SELECT @@character_set_server AS charset, @@sql_mode AS mode');
    expect(server).toEqual({ charset: 'latin1', mode: expect.not.stringContaining('STRICT') });
    const others = await crew.count(
      "SELECT COUNT(*) FROM information_schema.columns WHERE table_schema = DATABASE() AND character_set_name <> 'utf8mb4'",
    );
    expect(others).toBe(0);
    finding(
      'R35',
      'MariaDB whose defaults are latin1 and no strict mode',
      'names of any script kept, every column utf8mb4',
    );
  });

  it('is not noticed when it closes idle connections after 2 s', async () => {
    const { token } = await crew.signUp();
    const counts: Record<number, number> = {};
    for (let round = 0; round < 3; round += 1) {
      const sent = crew.clients.flatMap((client, replica) =>
        Array.from({ length: 4 }, (_, number) =>
          number % 2 === 0
            ? client.get('/api/v1/me', { token })
            : client.put('/api/v1/me', { last_name: `Round ${round} ${replica} ${number}` }, { token }),
        ),
      );
      for (const { status } of await Promise.all(sent)) counts[status] = (counts[status] ?? 0) + 1;
      await pause(2_500);
    }
    expect(Object.keys(counts)).toEqual(['200']);
    finding('R35', 'wait_timeout of 2 s: every idle connection closed, three times', JSON.stringify(counts));
  }, 30_000);

  it('has no connection left: 503 and never 500, and all is well when there is one again', async () => {
    const { token } = await crew.signUp();
    const load = new Load();
    let name = 0;
    for (const [index, client] of crew.clients.entries()) {
      load.add(`read ${index}`, 3, () => client.get('/api/v1/me', { token }));
      load.add(`write ${index}`, 3, () => client.put('/api/v1/me', { last_name: `Name ${(name += 1)}` }, { token }));
      await load.until(`read ${index}`, 200, 3);
    }
    const giveBack = await takeAllConnections();
    load.next();
    for (const index of crew.clients.keys()) await load.until(`read ${index}`, 503, 5);
    const without = load.next();
    await giveBack();
    const since = performance.now();
    for (const index of crew.clients.keys()) await load.until(`write ${index}`, 200, 3);
    const back = performance.now() - since;
    load.next();
    await pause(500);
    const after = await load.stop();
    expect(['200', '503']).toEqual(expect.arrayContaining(statusesOf(without)));
    expect(slowestOf(without)).toBeLessThan(3_000);
    expect(back).toBeLessThan(5_000);
    expect(statusesOf(after)).toEqual(['200']);
    finding(
      'R35',
      `all ${CONNECTIONS} connections of MariaDB taken by others, under load`,
      `503, slowest ${Math.round(slowestOf(without))} ms; all well ${Math.round(back)} ms after they were given back`,
    );
  }, 60_000);

  /** Those of the portal end first, or it would go on with what it has. @returns what undoes it */
  async function takeAllConnections(): Promise<() => Promise<void>> {
    const held: mysql.Connection[] = [];
    const root = await mysql.createConnection({ host: '127.0.0.1', port: mariadb.port, user: 'root' });
    await root.query('SET SESSION wait_timeout = 60');
    await root.query(`SET GLOBAL max_connections = ${CONNECTIONS}`);
    const deadline = performance.now() + 15_000;
    // Root's own is one of them.
    while (held.length < CONNECTIONS - 1) {
      if (performance.now() > deadline) throw new Error(`got ${held.length} of ${CONNECTIONS - 1} connections`);
      const ids = new Set(held.map(({ threadId }) => threadId));
      const [processes] = await root.query("SELECT id FROM information_schema.processlist WHERE user = 'portal'");
      for (const { id } of processes as { id: number }[]) {
        // It may have gone meanwhile.
        if (!ids.has(id)) await root.query(`KILL ${id}`).catch(() => undefined);
      }
      const taken = await mysql.createConnection(mariadb.url).catch(() => null);
      if (taken === null) continue;
      taken.on('error', () => undefined);
      await taken.query('SET SESSION wait_timeout = 60');
      held.push(taken);
    }
    return async () => {
      for (const connection of held) connection.destroy();
      await root.query('SET GLOBAL max_connections = 100');
      root.destroy();
    };
  }
});
