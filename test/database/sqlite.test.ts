import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataTypes, Model, openDatabase, type Database } from '../../src/database/index.js';
import { loadSqlite } from '../../src/database/drivers/sqlite-provider.js';
import { WriteLock } from '../../src/database/drivers/sqlite-write-lock.js';
import { ConfigurationError, silentLogger } from '../../src/core/index.js';
import { startChild } from '../support/child-process.js';
import { testConfig } from '../support/database-config.js';

const folder = mkdtempSync(join(tmpdir(), 'portalkit-sqlite-'));
const file = join(folder, 'new', 'deep', 'portal.sqlite');
const url = `sqlite:${file}`;

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a SQLite database', () => {
  let database: Database;

  beforeAll(async () => {
    database = openDatabase(testConfig(url), { logger: silentLogger });
    await database.execute('CREATE TABLE counters (id INTEGER PRIMARY KEY, n INT NOT NULL)');
    await database.execute('INSERT INTO counters (n) VALUES (0)');
  });

  afterAll(() => database.close());

  it('is made with its folder, and only its owner may read it', () => {
    const modes = ['', '-wal', '-shm'].map((suffix) => statSync(file + suffix).mode & 0o777);
    expect(modes).toEqual([0o600, 0o600, 0o600]);
    expect(statSync(join(folder, 'new')).mode & 0o077).toBe(0);
  });

  it('has its settings on every connection, those of transactions included', async () => {
    const pragma = async (name: string, options = {}) =>
      Object.values((await database.select(`PRAGMA ${name}`, [], options))[0] ?? {})[0];
    const settings = (options = {}) =>
      Promise.all(['journal_mode', 'synchronous', 'busy_timeout', 'foreign_keys'].map((name) => pragma(name, options)));
    expect(await settings()).toEqual(['wal', 1, 5000, 1]);
    expect(await database.transaction((transaction) => settings({ transaction }))).toEqual(['wal', 1, 5000, 1]);
  });

  it('names the columns of a row as they are now, also when another process changes the table', async () => {
    await database.execute('CREATE TABLE shapes (id INTEGER PRIMARY KEY, side INT)');
    await database.execute('INSERT INTO shapes (side) VALUES (7)');
    const [all, one] = ['SELECT * FROM shapes', 'SELECT side AS length FROM shapes'];
    expect([await database.select(all), await database.select(one)]).toEqual([[{ id: 1, side: 7 }], [{ length: 7 }]]);
    const other = new (loadSqlite().DatabaseSync)(file);
    other.exec('ALTER TABLE shapes RENAME COLUMN side TO edge');
    other.exec('ALTER TABLE shapes ADD COLUMN colour TEXT');
    other.close();
    expect(await database.select(all)).toEqual([{ id: 1, edge: 7, colour: null }]);
    await expect(database.select(one)).rejects.toThrow();
    expect(await database.select('SELECT id, edge AS id FROM shapes')).toEqual([{ id: 7 }]);
    expect(await database.select('SELECT id FROM shapes WHERE id > 1')).toEqual([]);
  });

  it('takes relative files from the root, and refuses a database in memory', async () => {
    const relative = openDatabase(testConfig('sqlite:relative.sqlite'), { logger: silentLogger, root: folder });
    await relative.select('SELECT 1');
    await relative.close();
    expect(existsSync(join(folder, 'relative.sqlite'))).toBe(true);
    const memory = testConfig('sqlite::memory:');
    expect(() => openDatabase(memory, { logger: silentLogger })).toThrow(ConfigurationError);
  });

  it('lets the event loop turn during a long chain of queries', async () => {
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 5);
    // A loop that never yields ends by its own time; on a busy machine one that does needs a while for its first turn.
    const start = performance.now();
    while (turns === 0 && performance.now() - start < 5_000) await database.select('SELECT n FROM counters');
    clearInterval(timer);
    expect(turns).toBeGreaterThan(0);
  });

  it('gives ids to models that are created together', async () => {
    class Counter extends Model {
      declare id: number;
    }
    Counter.init({ n: DataTypes.INTEGER }, { sequelize: database.sequelize, tableName: 'counters', timestamps: false });
    const created = await Counter.bulkCreate([{ n: 1 }, { n: 2 }]);
    expect(created.map(({ id }) => id)).toEqual([2, 3]);
    await Counter.destroy({ where: { id: [2, 3] } });
  });

  it("waits for a write of another process without stopping this one's event loop", async () => {
    const { DatabaseSync } = loadSqlite();
    const other = new DatabaseSync(file);
    other.exec('BEGIN IMMEDIATE; UPDATE counters SET n = n + 1');
    let turned = false;
    const write = database.execute('UPDATE counters SET n = n + 1');
    setImmediate(() => {
      turned = true;
      other.exec('COMMIT');
      other.close();
    });
    await write;
    expect(turned).toBe(true);
    expect(await database.select('SELECT n FROM counters')).toMatchObject([{ n: 2 }]);
  });

  it('loses nothing when four processes read and write at once (R33)', async () => {
    await database.execute('UPDATE counters SET n = 0');
    const children = Array.from({ length: 4 }, () =>
      startChild(import.meta.url, './children/count-up.js', [url, '100']),
    );
    const failures = await Promise.all(children.map(async ({ result }) => JSON.parse(await result) as string[]));
    expect(failures.flat()).toEqual([]);
    expect(await database.select('SELECT n FROM counters')).toMatchObject([{ n: 400 }]);
    expect(await database.select('PRAGMA integrity_check')).toMatchObject([{ integrity_check: 'ok' }]);
  });
});

describe('the URL of a database', () => {
  it.each([
    'postgres://u@h/name',
    'mysql://',
    'mysql://u@h',
    'mysql://u:p%@h/name',
    'mysql://u:s3cret@h/name?ssl=true',
    'x',
  ])('is refused when it cannot be meant: %s', (bad) => {
    const open = () => openDatabase(testConfig(bad), { logger: silentLogger });
    expect(open).toThrow(ConfigurationError);
    expect(open).not.toThrow(/s3cret/);
  });
});

describe('the write lock', () => {
  it('is given in the order of asking, and not for ever waited for', async () => {
    const lock = new WriteLock();
    const order: string[] = [];
    await lock.acquire(1000);
    const first = lock.acquire(1000).then(() => order.push('first'));
    const impatient = lock.acquire(1).catch((error: Error) => order.push(error.name));
    const second = lock.acquire(1000).then(() => order.push('second'));
    await impatient;
    lock.release();
    await first;
    lock.release();
    await second;
    lock.release();
    await lock.acquire(1000);
    expect(order).toEqual(['SqliteError', 'first', 'second']);
  });
});
