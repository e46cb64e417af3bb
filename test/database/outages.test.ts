import {
  DatabaseUnavailableError,
  DataTypes,
  Model,
  openDatabase,
  type Database,
  type Transaction,
} from '../../src/database/index.js';
import { silentLogger } from '../../src/core/index.js';
import { testConfig } from '../support/database-config.js';
import { describeWithMariaDb, mariaDbDatabase } from '../support/databases.js';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.js';

/** Waited for in vain with each outage; `test/chaos` asserts what requests are promised. */
const LIMIT_MS = 1_000;

class Thing extends Model {}

describeWithMariaDb('a MariaDB that is away', () => {
  const server = mariaDbDatabase();
  let proxy: TcpProxy;
  let database: Database;

  const unavailable = (run: Promise<unknown>) => expect(run).rejects.toBeInstanceOf(DatabaseUnavailableError);

  // Attempts to connect that began during the outage may still fail, each after its own limit.
  const works = async () => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await database.select('SELECT 1');
      } catch (error) {
        if (attempt === 10) throw error;
      }
    }
  };

  beforeAll(async () => {
    const url = new URL(await server.url());
    proxy = await startTcpProxy(Number(url.port));
    url.port = String(proxy.port);
    const config = testConfig(url.href, { statementTimeout: LIMIT_MS, pool: { max: 2, acquire: LIMIT_MS } });
    database = openDatabase(config, { logger: silentLogger });
    const patient = await server.open();
    await patient.execute('CREATE TABLE things (id INT PRIMARY KEY, name TEXT CHARACTER SET utf8mb4) ENGINE=InnoDB');
    Thing.init({ name: DataTypes.TEXT }, { sequelize: database.sequelize, tableName: 'things', timestamps: false });
  });

  afterAll(async () => {
    await database.close();
    await proxy.close();
  });

  it('is given up in time while frozen, on every path, and works again afterwards (R06)', async () => {
    await Promise.all([database.select('SELECT 1'), Thing.count()]);
    proxy.block();
    const start = performance.now();
    await Promise.all([
      unavailable(database.select('SELECT 1')),
      unavailable(Thing.count()),
      unavailable(Thing.create({ id: 9, name: 'bound' })),
      unavailable(database.transaction((transaction) => database.select('SELECT 1', [], { transaction }))),
    ]);
    expect(performance.now() - start).toBeLessThan(20 * LIMIT_MS);
    proxy.unblock();
    await works();
  });

  it('that froze in a transaction lets go of its connection', async () => {
    const run = database.transaction(async (transaction: Transaction) => {
      await database.select('SELECT 1', [], { transaction });
      proxy.block();
      await database.select('SELECT 1', [], { transaction });
    });
    await unavailable(run);
    proxy.unblock();
    await works();
    await Promise.all([1, 2, 3].map(() => database.select('SELECT 1')));
  });

  it('is not noticed when it closes idle connections (R35)', async () => {
    await Promise.all([database.select('SELECT 1'), database.select('SELECT 1')]);
    proxy.cut();
    expect(await database.select('SELECT 1 AS one')).toMatchObject([{ one: 1 }]);
    await Promise.all([Thing.count(), Thing.count()]);
    proxy.cut();
    expect(await Thing.count()).toBe(0);
    proxy.cut();
    expect(await database.transaction(async () => 'done')).toBe('done');
  });

  it('is 503 when it goes in the middle of a write', async () => {
    const write = database.execute('INSERT INTO things (id, name) SELECT 1, SLEEP(0.1)');
    const run = database.transaction(async (transaction) => {
      await database.select('SELECT 1', [], { transaction });
      proxy.cut();
      await database.execute("INSERT INTO things VALUES (2, 'x')", [], { transaction });
    });
    await Promise.all([unavailable(write), unavailable(run)]);
    await works();
    expect(await database.select('SELECT id FROM things WHERE id = 2')).toEqual([]);
  });

  it('stops statements that take too long', async () => {
    const rows =
      'SELECT 1 FROM information_schema.columns a, information_schema.columns b, information_schema.columns c';
    await unavailable(database.select(`SELECT COUNT(*) FROM (${rows}) many`));
  });

  it('has the settings of the portal on every connection', async () => {
    const [settings] = await database.select(
      'SELECT @@sql_mode AS mode, @@tx_isolation AS level, @@time_zone AS zone, @@character_set_connection AS charset, @@innodb_lock_wait_timeout AS wait',
    );
    expect(settings).toMatchObject({ level: 'READ-COMMITTED', zone: '+00:00', charset: 'utf8mb4', wait: 1 });
    expect(String(settings?.mode)).toContain('STRICT_TRANS_TABLES');
    await expect(database.execute('INSERT INTO things (id) VALUES (?)', ['no number'])).rejects.toMatchObject({
      status: 500,
      cause: undefined,
    });
  });

  it('that nobody listens for is 503', async () => {
    const config = testConfig('mysql://root@127.0.0.1:1/portal');
    const away = openDatabase(config, { logger: silentLogger });
    await unavailable(away.select('SELECT 1'));
    await unavailable(away.transaction(async () => undefined));
    await away.close();
  });
});
