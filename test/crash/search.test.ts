import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { folderWith, SECRETS } from '../config/support.js';
import { createProduct } from '../support/factories.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const PRODUCTS = 24;
const OPERATIONS = 8;

let test: TestPortal;
let root: string;
const running: ChildProcess[] = [];

beforeAll(async () => {
  test = await startTestPortal({ config: { app: { key: SECRETS.APP_KEY } }, replicas: 1 });
  root = await folderWith({
    'portal.config.ts': "export default { app: { env: 'development', url: 'http://127.0.0.1' } };",
  });
  for (let number = 0; number < PRODUCTS; number += 1) {
    const isPrivate = number % 4 === 3;
    const hidden = isPrivate ? { visibility: 'private' as const } : {};
    await createProduct(test, { slug: `p${number}`, name: `Okapi ${textOf(number)}`, ...hidden }, documentOf(number));
  }
}, 120_000);
afterAll(async () => {
  for (const child of running) child.kill('SIGKILL');
  await test.stop();
});

/** A word that no other product has. */
const textOf = (number: number) => `okapi${String.fromCharCode(97 + Math.floor(number / 5), 97 + (number % 5))}x`;
function documentOf(number: number) {
  const paths = Object.fromEntries(
    Array.from({ length: OPERATIONS }, (_, at) => [
      `/${textOf(number)}/${at}`,
      {
        get: {
          operationId: `get${at}`,
          summary: `Read ${textOf(number)}`,
          responses: { 200: { description: 'Fine' } },
        },
      },
    ]),
  );
  return { openapi: '3.1.0', info: { title: `P${number}`, version: '1' }, paths };
}

/** `portal search:rebuild` in a process of its own. */
function rebuild(): ChildProcess {
  const env = { ...SECRETS, DATABASE_URL: test.databaseUrl, PATH: process.env['PATH'] };
  const bin = join(process.cwd(), 'bin', 'portal.js');
  const child = spawn(process.execPath, [bin, 'search:rebuild'], { cwd: root, env, stdio: 'ignore' });
  running.push(child);
  return child;
}
const select = <T extends object>(sql: string) => test.portal.database.select<T>(sql);
async function written(): Promise<number> {
  const [row] = await select<{ total: number | null }>('SELECT SUM(version) AS total FROM portal_search_scopes');
  return Number(row?.total ?? 0);
}
async function find(q: string) {
  const request = { q, type: null, page: 1, perPage: 50, isDone: false };
  const { finder } = test.portal.services.search;
  const { items, total, isGuessed } = await finder.search(request, { kind: 'anonymous' }, 'en');
  // Words of other products are spelt much alike.
  return { total: isGuessed ? 0 : total, slugs: items.flatMap(({ product }) => product?.slug ?? []) };
}
const isPublic = (slug: string) => Number(slug.slice(1)) % 4 !== 3;
const twice = () =>
  select(`SELECT source, record_id, type, place, locale, COUNT(*) AS n FROM portal_search_entries
    GROUP BY source, record_id, type, place, locale HAVING COUNT(*) > 1`);

describe('an index that is written while processes are killed', () => {
  it('loses nothing, has nothing twice, and shows no private product for a moment', async () => {
    const { index } = test.portal.services.search;
    let isOver = false;
    const looking = (async () => {
      const seen = new Set<string>();
      while (!isOver) {
        for (const slug of (await find('okapi')).slugs) seen.add(slug);
        await pause(1);
      }
      return seen;
    })();
    for (const records of [3, 9, 15]) {
      const before = await written();
      const victim = rebuild();
      while ((await written()) < before + records) await pause(2);
      victim.kill('SIGKILL');
      await once(victim, 'exit');
      expect(await twice()).toEqual([]);
    }
    isOver = true;
    expect([...(await looking)].filter((slug) => !isPublic(slug))).toEqual([]);
    await index.run();
    expect([await index.findStale(), await twice()]).toEqual([[], []]);
    for (let number = 0; number < PRODUCTS; number += 1) {
      const total = isPublic(`p${number}`) ? 1 + OPERATIONS : 0;
      expect([number, (await find(textOf(number))).total]).toEqual([number, total]);
    }
  }, 240_000);

  it('is the same after two replicas wrote it at once, while products changed and turned private', async () => {
    const { services } = test.portal;
    const [first] = await select<{ id: number }>("SELECT id FROM portal_products WHERE slug = 'p0'");
    const id = Number(first?.id);
    const other = rebuild();
    const ended = once(other, 'exit');
    for (let round = 0; round < 12; round += 1) {
      const isHidden = round % 2 === 0;
      await services.catalog.products.update(id, {
        visibility: isHidden ? 'private' : 'public',
        name: `Okapi round ${round}`,
      });
      expect((await find(textOf(0))).total).toBe(isHidden ? 0 : OPERATIONS);
      await services.search.index.run();
      expect((await find('okapi')).slugs.filter((slug) => !isPublic(slug) || (isHidden && slug === 'p0'))).toEqual([]);
    }
    expect((await ended)[0]).toBe(0);
    await services.search.index.run();
    expect([await services.search.index.findStale(), await twice()]).toEqual([[], []]);
    expect((await find('okapi round 11')).total).toBe(1);
    expect((await find(textOf(0))).total).toBe(OPERATIONS);
    const words = test.portal.database.dialect === 'sqlite' ? 'rowid' : 'entry_id';
    const [lost] = await select<{ n: number }>(
      `SELECT COUNT(*) AS n FROM portal_search_entries e LEFT JOIN portal_search_index i ON i.${words} = e.id
       WHERE i.${words} IS NULL`,
    );
    expect(Number(lost?.n)).toBe(0);
  }, 240_000);
});
