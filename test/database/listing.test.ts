import { defineList, LAST_PAGE, Lists, type Database } from '../../src/database/index.js';
import { ValidationError, type Clock, type ListQuery } from '../../src/core/index.js';
import { onDatabaseUnderTest } from '../support/databases.js';

interface Admin {
  id: number;
  name: string;
  lastLoginAt: Date | null;
}

const definition = {
  table: 'portal_admins',
  columns: { id: 't.id', name: 't.name', lastLoginAt: 't.last_login_at' },
  decode: { lastLoginAt: 'date' },
  sorts: {
    created_at: { column: 't.created_at', type: 'date' },
    last_login_at: { column: 't.last_login_at', type: 'date', nullable: true },
    name: { column: 't.name', type: 'string' },
    id: { column: 't.id', type: 'integer' },
  },
  filters: {
    status: { column: 't.status', type: 'string' },
    id: { column: 't.id', type: 'integer' },
    last_login_at: { column: 't.last_login_at', type: 'date', nullable: true },
  },
  search: ['t.name', 't.email'],
  relations: ['roles'],
} as const;

const admins = defineList<Admin>({ name: 'admins', ...definition });
const everything: ListQuery = { page: 1, perPage: 100, direction: 'ASC', orderBy: 'id', with: [], filters: [] };
const START = Date.parse('2026-01-01T00:00:00.000Z');
const NAMES = ['Ada', 'bob', 'Ada', '100%', 'under_score', 'Zoë 😀', "O'Neil", 'ada!', 'Bob', 'eve'];

class HandClock implements Clock {
  constructor(private instant = START) {}

  now(): Date {
    return new Date(this.instant);
  }

  advance(ms: number): void {
    this.instant += ms;
  }
}

function thrown(error: unknown): unknown {
  return error instanceof ValidationError ? error.errors : error;
}

onDatabaseUnderTest('a list', (test) => {
  let database: Database;
  let lists: Lists;

  const insert = (name: string, index: number) =>
    database.execute(
      `INSERT INTO portal_admins (name, email, password_hash, status, last_login_at, created_at, updated_at)
       VALUES (?, ?, 'x', ?, ?, ?, ?)`,
      [
        name,
        `admin${index}@example.org`,
        index % 3 === 0 ? 'inactive' : 'active',
        index % 4 === 0 ? null : new Date(START + (index % 5)),
        new Date(START + (index % 3) * 1000),
        new Date(START),
      ],
    );
  const names = async (query: Partial<ListQuery>) =>
    (await lists.run(admins, { ...everything, ...query })).items.map(({ name }) => name);
  const ids = async (query: Partial<ListQuery>) =>
    (await lists.run(admins, { ...everything, ...query })).items.map(({ id }) => id);

  beforeAll(async () => {
    database = await test.openMigrated();
    lists = new Lists(database, new HandClock());
    for (const [index, name] of NAMES.entries()) await insert(name, index);
  });

  it('says what clients may do', () => {
    expect(admins.options).toEqual({
      sorts: ['created_at', 'last_login_at', 'name', 'id'],
      filters: { status: 'string', id: 'integer', last_login_at: 'date' },
      relations: ['roles'],
      searchable: true,
    });
  });

  it('gives decoded rows with exactly the declared columns', async () => {
    const page = await lists.run(admins, { ...everything, perPage: 2 });
    expect(page.items).toEqual([
      { id: 1, name: 'Ada', lastLoginAt: null },
      { id: 2, name: 'bob', lastLoginAt: new Date(START + 1) },
    ]);
    expect(page).toMatchObject({ total: 10, page: 1, perPage: 2, nextCursor: expect.any(String) });
  });

  it('walks by cursor exactly as by page, for every order, nulls and ties included', async () => {
    for (const orderBy of admins.options.sorts) {
      for (const direction of ['ASC', 'DESC'] as const) {
        const whole = await ids({ orderBy, direction });
        expect(new Set(whole).size).toBe(NAMES.length);
        const paged: number[] = [];
        const walked: number[] = [];
        let cursor: string | undefined;
        for (let page = 1; page <= 4; page += 1) {
          paged.push(...(await ids({ orderBy, direction, page, perPage: 3 })));
          const step = await lists.run(admins, {
            ...everything,
            orderBy,
            direction,
            perPage: 3,
            ...(cursor ? { cursor } : {}),
          });
          walked.push(...step.items.map(({ id }) => id));
          cursor = step.nextCursor ?? undefined;
          if (page > 1) expect([step.total, step.page]).toEqual([null, null]);
        }
        expect(cursor).toBeUndefined();
        expect([orderBy, direction, paged]).toEqual([orderBy, direction, whole]);
        expect([orderBy, direction, walked]).toEqual([orderBy, direction, whole]);
      }
    }
  });

  it('breaks ties by id in the direction of the order', async () => {
    expect(await ids({ orderBy: 'created_at', direction: 'DESC', perPage: 3 })).toEqual([9, 6, 3]);
    expect(await ids({ orderBy: 'created_at', direction: 'ASC', perPage: 4 })).toEqual([1, 4, 7, 10]);
  });

  it('orders words without case', async () => {
    const sorted = await names({ orderBy: 'name' });
    expect(sorted.map((name) => name.toLowerCase()).filter((name) => /^[a-z]/.test(name))).toEqual([
      'ada',
      'ada',
      'ada!',
      'bob',
      'bob',
      'eve',
      "o'neil",
      'under_score',
      'zoë 😀',
    ]);
  });

  it('filters with every operator', async () => {
    const by = (field: string, operator: string, value: unknown) =>
      ids({ filters: [{ field, operator, value } as never] });
    expect(await by('status', 'eq', 'inactive')).toEqual([1, 4, 7, 10]);
    expect(await by('status', 'ne', 'inactive')).toEqual([2, 3, 5, 6, 8, 9]);
    expect(await by('id', 'in', [2, 3, 99])).toEqual([2, 3]);
    expect(await by('id', 'in', [])).toEqual([]);
    expect(await by('id', 'gt', 8)).toEqual([9, 10]);
    expect(await by('id', 'lte', 2)).toEqual([1, 2]);
    expect(await by('last_login_at', 'null', true)).toEqual([1, 5, 9]);
    expect(await by('last_login_at', 'null', false)).toHaveLength(7);
    expect(await by('last_login_at', 'gte', new Date(START + 3))).toEqual([4, 10]);
    expect(await by('last_login_at', 'ne', new Date(START + 3))).toEqual(
      [1, 2, 3, 5, 6, 7, 8, 9, 10].filter((id) => id !== 4),
    );
    expect(await by('status', 'like', 'INACT')).toEqual([1, 4, 7, 10]);
  });

  it('finds every word somewhere, whatever its case, and takes wildcards as letters', async () => {
    expect(await names({ q: 'ADA' })).toEqual(['Ada', 'Ada', 'ada!']);
    expect(await names({ q: ' bob  ADMIN8@ ' })).toEqual(['Bob']);
    expect(await names({ q: '%' })).toEqual(['100%']);
    expect(await names({ q: 'r_s' })).toEqual(['under_score']);
    expect(await names({ q: '!' })).toEqual(['ada!']);
    expect(await names({ q: 'zoË' })).toEqual(['Zoë 😀']);
    expect(await names({ q: '😀' })).toEqual(['Zoë 😀']);
    expect(await names({ q: "o'n" })).toEqual(["O'Neil"]);
    expect(await names({ q: '   ' })).toHaveLength(10);
  });

  it('never lets a client write SQL', async () => {
    const evil = "x' OR 1=1 --";
    expect(await names({ q: evil })).toEqual([]);
    expect(await ids({ filters: [{ field: 'status', operator: 'eq', value: evil }] })).toEqual([]);
    for (const name of ['password_hash', 'id; DROP TABLE portal_admins', 'constructor', '__proto__']) {
      expect(thrown(await ids({ orderBy: name }).catch((error: unknown) => error))).toEqual({
        order_by: [`${name} is not available. Use one of: created_at, last_login_at, name, id.`],
      });
      const filters = [{ field: name, operator: 'eq', value: 1 } as const];
      expect(thrown(await ids({ filters }).catch((error: unknown) => error))).toHaveProperty('filters');
    }
    const direction = 'ASC; DROP TABLE portal_admins' as 'ASC';
    expect(await ids({ direction })).toHaveLength(10);
  });

  it('refuses cursors that are broken, changed or of another list or order', async () => {
    const { nextCursor } = await lists.run(admins, { ...everything, orderBy: 'name', perPage: 1 });
    const cursor = nextCursor ?? '';
    const parts = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    const changed = (index: number, value: unknown) =>
      Buffer.from(JSON.stringify(parts.with(index, value))).toString('base64url');
    const refused = [
      ...['', 'x', '!!!', 'bnVsbA', 'a'.repeat(5000)],
      ...[changed(0, 'users'), changed(1, 'id'), changed(2, 'DESC')],
      ...[changed(3, { a: 1 }), changed(3, 5), changed(3, null), changed(4, '1'), changed(4, 1.5)],
    ];
    for (const bad of refused) {
      const error = await ids({ orderBy: 'name', cursor: bad }).catch((caught: unknown) => caught);
      expect([bad, thrown(error)]).toEqual([bad, { cursor: [expect.stringContaining('does not belong')] }]);
    }
    expect(await ids({ orderBy: 'name', cursor })).toHaveLength(9);
  });

  it('ends at the last page that an offset can reach, and names the cursor', async () => {
    const error = await ids({ page: LAST_PAGE + 1 }).catch((caught: unknown) => caught);
    expect(thrown(error)).toEqual({ page: [expect.stringContaining('cursor')] });
    expect(await lists.run(admins, { ...everything, page: LAST_PAGE })).toMatchObject({ items: [], total: 10 });
  });

  it('shows and counts only what the scope allows', async () => {
    const scope = {
      join: 'JOIN (SELECT ? AS least) limits ON t.id >= limits.least',
      where: 't.status = ? OR t.id = ?',
      values: [3, 'inactive', 8],
    };
    const page = await lists.run(admins, { ...everything, perPage: 2, q: 'a' }, { scope });
    expect(page.items.map(({ id }) => id)).toEqual([4, 7]);
    expect(page.total).toBe(4);
  });

  describe('the total', () => {
    const total = async () => (await lists.run(admins, { ...everything, perPage: 1 })).total;

    it('is that of every change as soon as it is committed', async () => {
      const before = (await total()) ?? 0;
      await database.transaction(async (transaction) => {
        await database.execute('DELETE FROM portal_admins WHERE id = 10', [], { transaction });
        expect(await total()).toBe(before);
      });
      expect(await total()).toBe(before - 1);
      await insert('eve', 9);
      expect(await total()).toBe(before);
      await insert('late', 77);
      expect(await total()).toBe(before + 1);
    });
  });
});

describe('a definition', () => {
  it('fails at once when its default order does not exist', () => {
    expect(() => defineList({ name: 'x', table: 'portal_x', columns: {}, sorts: {} })).toThrow('no sort created_at');
  });
});
