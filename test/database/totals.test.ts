import { Totals } from '../../src/database/listing/totals.js';

const START = Date.parse('2026-01-01T00:00:00Z');

/** Totals over a table whose size the test decides, which also says how often it was counted. */
function totalsOf(table: { rows: number }) {
  const offset = { ms: 0 };
  const totals = new Totals({ now: () => new Date(START + offset.ms) });
  const counts = { done: 0 };
  const count = (): Promise<number> => {
    counts.done += 1;
    return Promise.resolve(table.rows);
  };
  const ask = () => totals.find('key', count);
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

  it('never keeps a large total when the clock went back', async () => {
    const table = { rows: 200_000 };
    const { offset, ask } = totalsOf(table);
    await ask();
    table.rows = 200_001;
    offset.ms = -1;
    expect(await ask()).toBe(200_001);
  });

  it('counts a large table once for all who ask meanwhile', async () => {
    const { offset, counts, ask } = totalsOf({ rows: 1_000_000 });
    expect(await Promise.all([ask(), ask(), ask()])).toEqual([1_000_000, 1_000_000, 1_000_000]);
    expect(counts.done).toBe(1);
    offset.ms = 25_000;
    expect(await Promise.all([ask(), ask(), ask()])).toEqual([1_000_000, 1_000_000, 1_000_000]);
    expect(counts.done).toBe(2);
  });

  it('never answers with the count of a small table that began before the question', async () => {
    const { totals } = totalsOf({ rows: 0 });
    let finish: (total: number) => void = () => undefined;
    const early = totals.find('key', () => new Promise((resolve) => (finish = resolve)));
    const late = totals.find('key', () => Promise.resolve(6));
    finish(5);
    expect(await Promise.all([early, late])).toEqual([5, 6]);
  });

  it('forgets the oldest of more than 500', async () => {
    const { totals, ask, counts } = totalsOf({ rows: 100_001 });
    await ask();
    for (let i = 0; i < 500; i += 1) await totals.find(`list ${i}`, () => Promise.resolve(100_001));
    await ask();
    expect(counts.done).toBe(2);
  });

  it('a count that fails is not kept', async () => {
    const { totals, ask } = totalsOf({ rows: 1_000_000 });
    await expect(totals.find('key', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
    expect(await ask()).toBe(1_000_000);
  });
});
