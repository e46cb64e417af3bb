import { BoundedCache } from '../../src/core/index.js';
import { FakeClock } from '../support/fake-clock.js';

const bytes = (size: number) => () => Promise.resolve(Buffer.alloc(size));
const length = ({ length: size }: Buffer) => size;

describe('a bounded cache', () => {
  it('reads once for all who ask meanwhile, and for those who ask later', async () => {
    const cache = new BoundedCache<Buffer>({ size: 100, sizeOf: length });
    let reads = 0;
    const read = () => {
      reads += 1;
      return Promise.resolve(Buffer.from('document'));
    };
    const many = await Promise.all(Array.from({ length: 50 }, () => cache.read('a', read)));
    many.push(await cache.read('a', read));
    expect([new Set(many).size, reads]).toEqual([1, 1]);
  });

  it('reads again when there was nothing, or reading failed', async () => {
    const cache = new BoundedCache<Buffer>({ size: 100, sizeOf: length });
    const failing = () => Promise.reject<Buffer>(new Error('the database is away'));
    await expect(cache.read('a', failing)).rejects.toThrow('away');
    expect(await cache.read('a', () => Promise.resolve(undefined))).toBeUndefined();
    expect(String(await cache.read('a', () => Promise.resolve(Buffer.from('there'))))).toBe('there');
  });

  it('makes room, the least recently used first; a single value may be larger than all', async () => {
    const cache = new BoundedCache<Buffer>({ size: 10, sizeOf: length });
    const isKept = (key: string) => cache.get(key) !== undefined;
    await cache.read('a', bytes(4));
    await cache.read('b', bytes(4));
    await cache.read('a', bytes(4));
    await cache.read('c', bytes(4));
    expect([isKept('a'), isKept('b'), isKept('c')]).toEqual([true, false, true]);
    await cache.read('d', bytes(50));
    expect([isKept('a'), isKept('c'), isKept('d')]).toEqual([false, false, true]);
  });

  it('keeps so many entries and no larger ones, whatever is asked for', () => {
    const pages = new BoundedCache<Buffer>({ entries: 500, size: 8_000_000, largest: 500_000, sizeOf: length });
    for (let number = 0; number < 600; number += 1) pages.set(`page ${number}`, Buffer.from('x'));
    expect([pages.get('page 99'), pages.get('page 100')?.toString()]).toEqual([undefined, 'x']);
    pages.set('new', Buffer.from('x'));
    expect([pages.get('page 100')?.toString(), pages.get('page 101')]).toEqual(['x', undefined]);
    pages.set('huge', Buffer.alloc(600_000));
    expect(pages.get('huge')).toBeUndefined();
    for (let number = 0; number < 20; number += 1) pages.set(`large ${number}`, Buffer.alloc(499_000));
    expect([pages.get('large 3'), pages.get('large 4')?.length]).toEqual([undefined, 499_000]);
  });

  it('finds a value for an equal version alone', () => {
    const pages = new BoundedCache<string>({ entries: 500 });
    const values = { name: 'a', list: [{ id: 1, at: new Date(0) }], none: null, missing: undefined };
    pages.set('key', 'html', values);
    const equal = { name: 'a', list: [{ id: 1, at: new Date(0) }], none: null, missing: undefined };
    expect(pages.get('key', equal)).toBe('html');
    for (const other of [
      { ...equal, name: 'b' },
      { ...equal, list: [{ id: 1, at: new Date(1) }] },
      { ...equal, list: [] },
      { ...equal, more: 1 },
      { ...equal, none: {} },
      { ...equal, list: [new Map()] },
    ]) {
      expect(pages.get('key', other)).toBeUndefined();
    }
    expect(pages.get('other', equal)).toBeUndefined();
  });

  it('reads anew for another version, also while an earlier one is being read', async () => {
    const cache = new BoundedCache<string>({ entries: 5 });
    let finish: (value: string) => void = () => undefined;
    const early = cache.read('a', () => new Promise<string>((resolve) => (finish = resolve)), 1);
    expect(await cache.read('a', () => Promise.resolve('new'), 2)).toBe('new');
    finish('old');
    expect(await early).toBe('old');
    expect([cache.get('a', 1), cache.get('a', 2)]).toEqual([undefined, 'new']);
  });

  it('keeps a value for its time, and not for ever when the clock is set back', async () => {
    const clock = new FakeClock();
    const cache = new BoundedCache<number>({ entries: 5, age: { ms: 1_000, clock } });
    let reads = 0;
    const read = () => cache.read('a', () => Promise.resolve((reads += 1)));
    await read();
    clock.advance(0.999);
    expect(await read()).toBe(1);
    clock.advance(0.001);
    expect(await read()).toBe(2);
    clock.advance(-3_600);
    expect(await read()).toBe(3);
  });

  it('tells of what went to make room, and of nothing else', () => {
    const gone: string[] = [];
    const cache = new BoundedCache<string>({ entries: 2, onEvict: (value, key) => void gone.push(`${key} ${value}`) });
    cache.set('a', '1');
    cache.set('a', '2');
    cache.set('b', '3');
    cache.delete('b');
    cache.set('c', '4');
    cache.set('d', '5');
    expect(gone).toEqual(['a 2']);
  });
});
