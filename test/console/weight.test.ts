import { gzipSync } from 'node:zlib';
import { addressesOf, fillConsole } from '../support/console-records.js';
import { declaredPages } from '../support/console-pages.js';
import { createUser } from '../support/factories.js';
import { startTestPortal } from '../support/test-portal.js';

const MOST_BYTES = 80_000;
const MOST_SCRIPT_BYTES = 30_000;

it('pages of the console weigh less than 80 kB compressed with everything that they load, and scripts less than 30 kB', async () => {
  const test = await startTestPortal({
    config: { limits: { ip: { requests: { max: 10_000 } } } },
    replicas: 1,
  });
  try {
    const { admin, places } = await fillConsole(test);
    for (let index = 0; index < 100; index += 1) await createUser(test);
    const weights = new Map<string, number>();
    const weigh = async (path: string) => {
      const known = weights.get(path) ?? gzipSync((await admin.get(path)).html).length;
      weights.set(path, known);
      return known;
    };
    const addresses = addressesOf(declaredPages(test), places);
    const tooHeavy: string[] = [];
    for (const address of ['/admin/users?per_page=100', ...addresses]) {
      const { html, status } = await admin.get(address);
      expect([address, status]).toEqual([address, 200]);
      const parts = [...html.matchAll(/<(link|script)[^>]*(?:href|src)="([^"]+\.(css|js)[^"]*)"/g)];
      const files = await Promise.all(parts.map(async ([, , path = '', kind]) => ({ kind, size: await weigh(path) })));
      const scripts = files.filter(({ kind }) => kind === 'js').reduce((sum, { size }) => sum + size, 0);
      const all = gzipSync(html).length + files.reduce((sum, { size }) => sum + size, 0);
      expect(files.length).toBeGreaterThan(1);
      if (all >= MOST_BYTES || scripts >= MOST_SCRIPT_BYTES) tooHeavy.push(`${address}: ${all}, scripts ${scripts}`);
    }
    expect(tooHeavy).toEqual([]);
  } finally {
    await test.stop();
  }
});
