import { Totals, type Counted } from '../../src/database/listing/totals.js';

const START = Date.parse('2026-01-01T00:00:00Z');

/** Totals over a table whose size the test decides, which also says how often it was counted. */
function totalsOf(table: { rows: number; version?: number | null }) {
  const offset = { ms: 0 };
  const totals = new Totals({ now: () => new Date(START + offset.ms) });
  const counts = { done: 0 };
  const count = (): Promise<Counted> => {
    counts.done += 1;
    return Promise.resolve({ total: table.rows, version: table.version ?? null });
  };
  const ask = (version: number | null = null) => totals.find('key', version, count);
  return { offset, totals, counts, ask };
}

describe('Totals', () => {
  it('keeps a large total for 25 s', async () => {
    const table = { rows: 100_001 };
    const { offset, counts, ask } = totalsOf(table);
    await ask();
    table.rows = 100_002;
    offset.ms = 24_999;
    expect(await ask()).toBe(100_001);
    offset.ms = 25_000;
    expect(await ask()).toBe(100_002);
    expect(counts.done).toBe(2);
  });

  it('counts a small table each time', async () => {
    const { counts, ask } = totalsOf({ rows: 100_000 });
    await ask();
    await ask();
    expect(counts.done).toBe(2);
  });

  it('keeps an exact total as long as the tables have the version that was counted', async () => {
    const table = { rows: 3, version: 7 };
    const { offset, counts, ask } = totalsOf(table);
    await ask(7);
    offset.ms = 3_600_000;
    expect(await ask(7)).toBe(3);
    Object.assign(table, { rows: 4, version: 8 });
    expect(await ask(8)).toBe(4);
    expect(counts.done).toBe(2);
  });

  it('never keeps a large total when the clock went back', async () => {
    const table = { rows: 200_000 };
    const { offset, ask } = totalsOf(table);
    await ask();
    table.rows = 200_001;
    offset.ms = -1;
    expect(await ask()).toBe(200_001);
  });

  it('counts a large table once for all who ask meanwhile', async () => {
    const { counts, ask } = totalsOf({ rows: 1_000_000 });
    expect(await Promise.all([ask(), ask(), ask()])).toEqual([1_000_000, 1_000_000, 1_000_000]);
    expect(counts.done).toBe(1);
  });

  it('never answers with the count of a small table that began before the question', async () => {
    const offset = { ms: 0 };
    const totals = new Totals({ now: () => new Date(START + offset.ms) });
    let finish: (counted: Counted) => void = () => undefined;
    const early = totals.find('key', null, () => new Promise((resolve) => (finish = resolve)));
    const late = totals.find('key', null, () => Promise.resolve({ total: 6, version: null }));
    finish({ total: 5, version: null });
    expect(await Promise.all([early, late])).toEqual([5, 6]);
  });

  it('forgets the oldest of more than 500', async () => {
    const { totals, ask, counts } = totalsOf({ rows: 1, version: 1 });
    await ask(1);
    for (let i = 0; i < 500; i += 1) await totals.find(`list ${i}`, 1, () => Promise.resolve({ total: i, version: 1 }));
    await ask(1);
    expect(counts.done).toBe(2);
  });

  it('a count that fails is not kept', async () => {
    const { totals, ask } = totalsOf({ rows: 1_000_000 });
    await expect(totals.find('key', null, () => Promise.reject(new Error('away')))).rejects.toThrow('away');
    expect(await ask()).toBe(1_000_000);
  });
});
