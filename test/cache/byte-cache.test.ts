import { ByteCache } from '../../src/cache/index.js';

describe('bytes that are kept under their hash', () => {
  it('are read once for all who ask meanwhile, and for those who ask later', async () => {
    const kept = new ByteCache(100);
    let reads = 0;
    const read = () => {
      reads += 1;
      return Promise.resolve(Buffer.from('document'));
    };
    const many = await Promise.all(Array.from({ length: 50 }, () => kept.get('a', read)));
    many.push(await kept.get('a', read));
    expect([new Set(many).size, reads]).toEqual([1, 1]);
  });

  it('are asked for again when there was nothing, or reading failed', async () => {
    const kept = new ByteCache(100);
    const failing = () => Promise.reject(new Error('the database is away'));
    await expect(kept.get('a', failing)).rejects.toThrow('away');
    expect(await kept.get('a', () => Promise.resolve(null))).toBeNull();
    expect(String(await kept.get('a', () => Promise.resolve(Buffer.from('there'))))).toBe('there');
  });

  it('go when there is no room, those nobody asked for lately first; a single one may be larger', async () => {
    const kept = new ByteCache(10);
    const read = (size: number) => () => Promise.resolve(Buffer.alloc(size));
    const isKept = async (key: string) => {
      let wasKept = true;
      await kept.get(key, () => {
        wasKept = false;
        return Promise.resolve(null);
      });
      return wasKept;
    };
    await kept.get('a', read(4));
    await kept.get('b', read(4));
    await kept.get('a', read(4));
    await kept.get('c', read(4));
    expect([await isKept('a'), await isKept('b'), await isKept('c')]).toEqual([true, false, true]);
    await kept.get('d', read(50));
    expect([await isKept('a'), await isKept('c'), await isKept('d')]).toEqual([false, false, true]);
  });
});
