import { defineRecord, fieldOf, fromRow, Op, type Database } from '../../src/database/index.js';
import { onDatabaseUnderTest } from '../support/databases.js';

const noteRecord = defineRecord({
  name: 'Note',
  table: 'notes',
  alias: 'n',
  fields: {
    id: fieldOf.id(),
    topic: fieldOf.text<'a' | 'b'>(16),
    secret: fieldOf.text(16).nullable().hidden(),
    doneAt: fieldOf.time().nullable(),
  },
});

const at = (second: number) => new Date(Date.UTC(2026, 10, 22, 12, 0, second, 123));

onDatabaseUnderTest('a record', (test) => {
  let database: Database;

  const ids = async (where: Parameters<typeof noteRecord.findAll>[1]) =>
    (await noteRecord.findAll(database, where, { only: ['id'], order: 'n.id' })).map(({ id }) => id);

  beforeAll(async () => {
    database = await test.open();
    const key = test.dialect === 'sqlite' ? 'INTEGER PRIMARY KEY AUTOINCREMENT' : 'BIGINT PRIMARY KEY AUTO_INCREMENT';
    const columns = 'topic VARCHAR(16) NOT NULL, secret VARCHAR(16), done_at DATETIME(3)';
    await database.execute(`CREATE TABLE notes (id ${key}, ${columns})`);
  });

  beforeEach(async () => {
    await noteRecord.remove(database, {});
    await noteRecord.insertAll(database, [
      { id: 1, topic: 'a', doneAt: null },
      { id: 2, topic: 'a', doneAt: at(10) },
      { id: 3, topic: 'b', doneAt: at(20), secret: 'hush' },
      { id: 4, topic: 'b', doneAt: at(30) },
    ]);
  });

  // Reads are SQL of our own, writes are Sequelize's: a condition must mean the same to both.
  const conditions = [
    [{}, [1, 2, 3, 4]],
    [{ topic: 'a' }, [1, 2]],
    [{ id: [1, 4] }, [1, 4]],
    [{ id: [] }, []],
    [{ doneAt: null }, [1]],
    [{ doneAt: at(20) }, [3]],
    [{ doneAt: { [Op.ne]: null }, topic: 'a' }, [2]],
    [{ doneAt: { [Op.gt]: at(10), [Op.lte]: at(30) } }, [3, 4]],
    [{ doneAt: { [Op.gte]: at(10), [Op.lt]: at(30) } }, [2, 3]],
    [{ topic: { [Op.ne]: 'a' } }, [3, 4]],
    [{ doneAt: { [Op.or]: [null, { [Op.lte]: at(10) }, { [Op.gt]: at(20) }] } }, [1, 2, 4]],
    [{ topic: 'b', doneAt: { [Op.or]: [null, at(20)] } }, [3]],
    [{ [Op.or]: [{ id: [1, 3] }, { topic: 'b', doneAt: at(30) }] }, [1, 3, 4]],
    [{ topic: 'a', [Op.or]: [{ doneAt: null }, { doneAt: at(30) }] }, [1]],
  ] as const;

  it.each(conditions)('finds and counts the rows of condition %#', async (where, expected) => {
    expect(await ids(where)).toEqual(expected);
    expect(await noteRecord.count(database, where)).toBe(expected.length);
    expect(await noteRecord.has(database, where)).toBe(expected.length > 0);
  });

  it.each(conditions)('changes the rows of condition %#', async (where, expected) => {
    expect(await noteRecord.update(database, where, { secret: 'changed' })).toBe(expected.length);
    expect(await ids({ secret: 'changed' })).toEqual(expected);
  });

  it.each(conditions)('removes the rows of condition %#', async (where, expected) => {
    expect(await noteRecord.remove(database, where)).toBe(expected.length);
    expect(await ids({})).toEqual([1, 2, 3, 4].filter((id) => !(expected as readonly number[]).includes(id)));
  });

  it('reads the whole record without its hidden columns, or the columns that were asked for', async () => {
    expect(await noteRecord.find(database, { id: 3 })).toEqual({ id: 3, topic: 'b', doneAt: at(20) });
    expect(await noteRecord.find(database, { id: 3 }, { only: ['secret'] })).toEqual({ secret: 'hush' });
    const [newest, ...rest] = await noteRecord.findAll(
      database,
      {},
      { with: ['secret'], order: 'n.id DESC', limit: 1 },
    );
    expect([newest, rest]).toEqual([{ id: 4, topic: 'b', doneAt: at(30), secret: null }, []]);
  });

  it('takes a value from the row itself', async () => {
    const moved = { topic: fromRow('secret'), secret: null };
    expect(await noteRecord.update(database, { id: 3 }, moved)).toBe(1);
    expect(await noteRecord.find(database, { id: 3 }, { only: ['topic', 'secret'] })).toEqual({
      topic: 'hush',
      secret: null,
    });
    expect(await noteRecord.update(database, { topic: 'a' }, { id: fromRow('id', 100) })).toBe(2);
    expect(await ids({})).toEqual([3, 4, 101, 102]);
    await expect(noteRecord.update(database, {}, { secret: fromRow('missing') })).rejects.toThrow(
      'notes has no missing',
    );
  });

  it('inserts none of several rows when one of them is taken', async () => {
    const rows = [{ topic: 'a' as const }, { id: 4, topic: 'a' as const }];
    await expect(noteRecord.insertAll(database, rows)).rejects.toThrow();
    expect(await ids({})).toEqual([1, 2, 3, 4]);
  });

  it('refuses a condition that only Sequelize knows', async () => {
    const where = { topic: { [Op.like]: '%' } } as unknown as { topic: 'a' };
    await expect(noteRecord.findAll(database, where)).rejects.toThrow('a condition cannot use');
  });
});
