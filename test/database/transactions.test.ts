import { AsyncLocalStorage } from 'node:async_hooks';
import {
  DatabaseUnavailableError,
  DataTypes,
  Model,
  TransactionConflictError,
  UniqueViolationError,
  type Database,
  type Transaction,
} from '../../src/database/index.js';
import { silentLogger, type Logger } from '../../src/core/index.js';
import { onDatabaseUnderTest } from '../support/databases.js';

class Counter extends Model {
  declare id: number;
  declare n: number;
}

onDatabaseUnderTest('a transaction', (test) => {
  let database: Database;
  const logged: string[] = [];
  const logger: Logger = { ...silentLogger, error: (_fields, message) => void logged.push(message) };

  /** Runs as somebody who began before all of this. */
  const outside = AsyncLocalStorage.snapshot() as <T>(run: () => T) => T;

  const value = async (id: number, transaction?: Transaction) => {
    const [row] = await database.select<{ n: number }>('SELECT n FROM counters WHERE id = ?', [id], { transaction });
    return row?.n;
  };

  beforeAll(async () => {
    database = await test.open({ logger });
    const key = test.dialect === 'sqlite' ? 'INTEGER PRIMARY KEY' : 'INT PRIMARY KEY';
    await database.execute(`CREATE TABLE counters (id ${key}, n INT NOT NULL)`);
    for (let id = 1; id <= 11; id += 1) await database.execute('INSERT INTO counters (id, n) VALUES (?, 0)', [id]);
    Counter.init({ n: DataTypes.INTEGER }, { sequelize: database.sequelize, tableName: 'counters', timestamps: false });
  });

  it('loses no update of twenty that read and then write the same row (R21)', async () => {
    await Promise.all(
      Array.from({ length: 20 }, () =>
        database.transaction(async (transaction) => {
          const counter = await Counter.findByPk(1, { transaction, lock: transaction.LOCK.UPDATE });
          await new Promise((resume) => setImmediate(resume));
          await counter?.update({ n: counter.n + 1 }, { transaction });
        }),
      ),
    );
    expect(await value(1)).toBe(20);
  });

  it('is left whole or not at all, and throws the error of its callback', async () => {
    const thrown = new Error('stop');
    const run = database.transaction(async (transaction) => {
      await database.execute('UPDATE counters SET n = 5 WHERE id = 2', [], { transaction });
      expect(await value(2, transaction)).toBe(5);
      expect(await value(2)).toBe(0);
      throw thrown;
    });
    await expect(run).rejects.toBe(thrown);
    expect(await value(2)).toBe(0);
  });

  it('does its last steps right before COMMIT, in order, and is rolled back when one throws', async () => {
    const done: string[] = [];
    await database.transaction(async (transaction) => {
      database.beforeCommit(transaction, async () => {
        done.push('first');
        database.beforeCommit(transaction, async () => void done.push('third'));
        await database.execute('UPDATE counters SET n = 9 WHERE id = 11', [], { transaction });
      });
      database.beforeCommit(transaction, async () => void done.push('second'));
      transaction.afterCommit(() => void done.push('committed'));
      done.push('work');
    });
    expect(done).toEqual(['work', 'first', 'second', 'third', 'committed']);
    expect(await value(11)).toBe(9);
    const thrown = new Error('stop');
    const run = database.transaction(async (transaction) => {
      await database.execute('UPDATE counters SET n = 10 WHERE id = 11', [], { transaction });
      database.beforeCommit(transaction, () => Promise.reject(thrown));
    });
    await expect(run).rejects.toBe(thrown);
    expect(await value(11)).toBe(9);
  });

  it('does not keep reads and writes of others from finishing', async () => {
    let release = () => {};
    const held = new Promise<void>((resume) => (release = resume));
    const open = database.transaction(async (transaction) => {
      await database.execute('UPDATE counters SET n = 1 WHERE id = 3', [], { transaction });
      await held;
    });
    const writes = [4, 5].map((id) => database.execute('UPDATE counters SET n = 7 WHERE id = ?', [id]));
    expect(await value(3)).toBe(0);
    release();
    await Promise.all([open, ...writes]);
    expect([await value(3), await value(4), await value(5)]).toEqual([1, 7, 7]);
  });

  it('is done again after a conflict, and runs only the hooks of the attempt that committed', async () => {
    const hooks: number[] = [];
    let attempt = 0;
    const result = await database.transaction(async (transaction) => {
      attempt += 1;
      const current = attempt;
      transaction.afterCommit(() => void hooks.push(current));
      await database.execute('UPDATE counters SET n = n + 1 WHERE id = 6', [], { transaction });
      if (attempt < 3) throw new TransactionConflictError();
      return `attempt ${attempt}`;
    });
    expect([result, hooks, await value(6)]).toEqual(['attempt 3', [3], 1]);
  });

  it('gives up after four attempts with 503 and a time to come back', async () => {
    let attempts = 0;
    const run = database.transaction(async () => {
      attempts += 1;
      throw new TransactionConflictError();
    });
    await expect(run).rejects.toMatchObject({ status: 503, headers: { 'Retry-After': '2' } });
    expect(attempts).toBe(4);
  });

  it('runs no hook when it was rolled back', async () => {
    const hooks: string[] = [];
    const run = database.transaction(async (transaction) => {
      transaction.afterCommit(() => void hooks.push('ran'));
      throw new Error('stop');
    });
    await expect(run).rejects.toThrow('stop');
    expect(hooks).toEqual([]);
  });

  it('stays committed when a hook fails, and logs it', async () => {
    const result = await database.transaction(async (transaction) => {
      transaction.afterCommit(() => {
        throw new Error('a hook failed');
      });
      await database.execute('UPDATE counters SET n = 9 WHERE id = 7', [], { transaction });
      return 'done';
    });
    expect([result, await value(7), logged]).toEqual(['done', 9, ['something to do after a commit failed']]);
  });

  it('goes on after a violated key inside it', async () => {
    await database.transaction(async (transaction) => {
      const insert = database.execute('INSERT INTO counters (id, n) VALUES (1, 1)', [], { transaction });
      await expect(insert).rejects.toBeInstanceOf(UniqueViolationError);
      await database.execute('UPDATE counters SET n = 3 WHERE id = 8', [], { transaction });
    });
    expect(await value(8)).toBe(3);
  });

  it('cannot be used after its end', async () => {
    const ended = await database.transaction(async (transaction) => transaction);
    await expect(database.select('SELECT 1', [], { transaction: ended })).rejects.toThrow('has ended');
    await expect(Counter.findByPk(1, { transaction: ended })).rejects.toThrow();
  });

  it('that lost a conflict does not go on, even when its callback does not mind', async () => {
    let attempts = 0;
    await database.transaction(async (transaction) => {
      attempts += 1;
      await database.execute('UPDATE counters SET n = n + 1 WHERE id = 10', [], { transaction });
      // As Sequelize and the fast path do when the server chose this transaction as the loser.
      if (attempts === 1) await transaction.rollback();
    });
    expect([attempts, await value(10)]).toEqual([2, 1]);
  });

  describe('around others', () => {
    const add = (id: number, n: number) =>
      database.transaction(async (transaction) => {
        await Counter.increment('n', { by: n, where: { id }, transaction });
        transaction.afterCommit(() => void hooks.push(`added ${n}`));
      });
    let hooks: string[];
    beforeEach(async () => {
      hooks = [];
      await database.execute('UPDATE counters SET n = 0 WHERE id IN (3, 4)');
    });

    it('is committed once, and others see nothing before that', async () => {
      let seen: number | undefined;
      await database.together(async () => {
        await add(3, 1);
        await database.execute('UPDATE counters SET n = n + 10 WHERE id = 4');
        expect([await value(3), await value(4), hooks]).toEqual([1, 10, []]);
        // A caller that began outside.
        seen = await outside(() => value(3));
      });
      expect([seen, await value(3), await value(4), hooks]).toEqual([0, 1, 10, ['added 1']]);
    });

    it('takes everything back when a part fails, even where nobody minds', async () => {
      const failure = new Error('a part');
      const run = database.together(async () => {
        await add(3, 1);
        await database.transaction(() => Promise.reject(failure)).catch(() => undefined);
        await add(4, 1);
      });
      await expect(run).rejects.toBe(failure);
      expect([await value(3), await value(4), hooks]).toEqual([0, 0, []]);
    });

    it('is done again as a whole after a conflict', async () => {
      let attempts = 0;
      await database.together(async () => {
        attempts += 1;
        await add(3, 1);
        if (attempts === 1) await database.transaction(() => Promise.reject(new TransactionConflictError()));
      });
      expect([attempts, await value(3), hooks]).toEqual([2, 1, ['added 1']]);
    });

    it('has nothing to do with what goes on after its commit', async () => {
      let go = () => undefined as void;
      const begun = new Promise<void>((resume) => (go = resume));
      let later: Promise<unknown> = Promise.resolve();
      await database.together(async () => {
        later = begun.then(() => add(4, 5));
      });
      go();
      await later;
      expect(await value(4)).toBe(5);
    });
  });

  it('works with a pool of one, model and raw statements together', async () => {
    const single = await test.open({ pool: { max: 1 } });
    const runs = Array.from({ length: 5 }, () =>
      single.transaction(async (transaction) => {
        const sql = `SELECT n FROM counters WHERE id = 9 ${single.forUpdate}`;
        const rows = await single.select(sql, [], { transaction });
        expect(rows).toHaveLength(1);
        await single.execute('UPDATE counters SET n = n + 1 WHERE id = 9', [], { transaction });
      }),
    );
    await Promise.all(runs);
    expect(await value(9)).toBe(5);
  });

  if (test.dialect === 'mysql') {
    it('waits no longer than told for a connection, then answers 503', async () => {
      const single = await test.open({ pool: { max: 1, acquire: 1_000 } });
      await single.transaction(async () => {
        const forgotten = single.select('SELECT 1');
        await expect(forgotten).rejects.toBeInstanceOf(DatabaseUnavailableError);
      });
    });

    it('survives a deadlock: both sides commit in the end', async () => {
      const cross = (first: number, second: number, met: () => Promise<void>) =>
        database.transaction(async (transaction) => {
          await database.execute('UPDATE counters SET n = n + 100 WHERE id = ?', [first], { transaction });
          await met();
          await Counter.update({ n: 100 }, { where: { id: second }, transaction });
        });
      let arrived = 0;
      let open = () => {};
      const both = new Promise<void>((resume) => (open = resume));
      const met = () => {
        arrived += 1;
        if (arrived >= 2) open();
        return both;
      };
      await Promise.all([cross(4, 5, met), cross(5, 4, met)]);
      expect(arrived).toBeGreaterThan(2);
    });
  }
});
