import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  carryOut,
  exportTo,
  kinds,
  OperatorPort,
  planChanges,
  PresentRecords,
  readFolder,
} from '../../src/as-code/index.js';
import { startChild } from '../support/child-process.js';
import type { ApplyTask } from '../support/crash/children/apply-folder.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const key = `base64:${randomBytes(32).toString('base64')}`;

let test: TestPortal;
let root: string;
beforeAll(async () => {
  test = await startTestPortal({ replicas: 1, config: { app: { key } } });
  root = mkdtempSync(join(tmpdir(), 'killed-apply-'));
});
afterAll(async () => {
  await test.stop();
  rmSync(root, { recursive: true });
});

const port = () => new OperatorPort(test.portal.services, test.portal.operatorParts);

/** Two products with documents, a guide of one, a menu; everything that a record has says `word`. */
function write(name: string, word: string): string {
  const folder = join(root, name);
  for (const below of ['products', 'guides/pay']) mkdirSync(join(folder, below), { recursive: true });
  const files = {
    'categories.yaml': `money:\n  name: Money ${word}\n`,
    'products/pay.yaml': `slug: pay\nname: Pay ${word}\nvisibility: public\ndocument: pay.json\ncategories: [money]\n`,
    'products/pay.json': JSON.stringify({ openapi: '3.1.0', info: { title: word, version: '1' }, paths: {} }),
    'products/ship.yaml': `slug: ship\nname: Ship ${word}\ndocument: ship.json\ntags: [${word}]\n`,
    'products/ship.json': JSON.stringify({ openapi: '3.1.0', info: { title: `${word} too`, version: '1' }, paths: {} }),
    'guides/pay/start.yaml': `guide: pay/start\nname: Start ${word}\ntext: start.md\n`,
    'guides/pay/start.md': `Begin ${word}.\n`,
    'menus.yaml': `extra:\n  name: Extra ${word}\n  items:\n    - label: One ${word}\n      url: https://example.com/${word}\n    - label: Two\n      url: https://example.com/\n`,
  };
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
  return folder;
}

async function apply(folder: string): Promise<void> {
  const wanted = await readFolder({ root: folder, kinds, env: {} });
  await carryOut(port(), await planChanges(port(), wanted, new PresentRecords(port())));
}

/** What the portal says, as the files of an export. */
async function state(): Promise<string> {
  const folder = mkdtempSync(join(root, 'state-'));
  await exportTo(port(), folder, kinds);
  const names = (readdirSync(folder, { recursive: true }) as string[]).sort();
  const files = names.filter((name) => statSync(join(folder, name)).isFile());
  return files.map((name) => `${name}\n${readFileSync(join(folder, name), 'utf8')}`).join('\n');
}

const run = (task: Pick<ApplyTask, 'folder' | 'killAt' | 'isOneByOne'>) =>
  startChild(import.meta.url, '../support/crash/children/apply-folder.js', [
    JSON.stringify({ databaseUrl: test.databaseUrl, key, ...task } satisfies ApplyTask),
  ]).result;

/** Numbers of statements to die after, the last ones among them. */
function points(count: number, kills: number): number[] {
  const even = Array.from({ length: kills - 2 }, (_, at) => 1 + Math.floor((at * (count - 2)) / (kills - 2)));
  return [...new Set([...even, count - 1, count])];
}

describe('an apply that is killed', () => {
  it('leaves the old portal or the new one, and nothing between', async () => {
    const [old, fresh] = [write('old', 'old'), write('new', 'new')];
    await apply(old);
    const before = await state();
    const count = Number(await run({ folder: fresh, killAt: 0, isOneByOne: false }));
    const after = await state();
    expect(after).not.toBe(before);
    const left: string[] = [];
    for (const killAt of points(count, 9)) {
      await apply(old);
      expect(await state()).toBe(before);
      await expect(run({ folder: fresh, killAt, isOneByOne: false })).rejects.toThrow('SIGKILL');
      const now = await state();
      left.push(now === before ? 'old' : now === after ? 'new' : `between after ${killAt} of ${count}`);
    }
    // Only the last statement is the commit.
    expect(left).toEqual([...left.slice(0, -1).map(() => 'old'), 'new']);
  }, 240_000);

  it('leaves each record old or new with --one-by-one, and the next apply does the rest', async () => {
    const [old, fresh] = [write('old', 'old'), write('new', 'new')];
    await apply(fresh);
    const after = await state();
    await apply(old);
    const count = Number(await run({ folder: fresh, killAt: 0, isOneByOne: true }));
    const product = async () => {
      const { products } = test.portal.services.catalog;
      const { id, name } = await products.findForAdmin('pay');
      const { document } = await products.spec(id, { kind: 'admin' });
      return [name, (JSON.parse(String(document)) as { info: { title: string } }).info.title];
    };
    for (const killAt of points(count, 6)) {
      await apply(old);
      await expect(run({ folder: fresh, killAt, isOneByOne: true })).rejects.toThrow('SIGKILL');
      // Texts and document are of one time.
      expect([
        ['Pay old', 'old'],
        ['Pay new', 'new'],
      ]).toContainEqual(await product());
      await apply(fresh);
      expect(await state()).toBe(after);
    }
  }, 240_000);
});
