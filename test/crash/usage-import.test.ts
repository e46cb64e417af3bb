import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folderWith, SECRETS } from '../config/support.js';
import { Developer } from '../support/apps.js';
import { createProduct } from '../support/factories.js';
import { spawnPortal } from '../support/portal-process.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const LINES = 200_000;
const LOG = 'access.json';
/** The portal of the command goes by the clock of the machine. */
const NOW = Math.floor((performance.timeOrigin + performance.now()) / 1000);

let test: TestPortal;
let root: string;
let call: { cwd: string; env: Record<string, string> };
let keyId: number;

beforeAll(async () => {
  test = await startTestPortal({ replicas: 1 });
  await createProduct(test, { slug: 'payments' });
  keyId = (await (await Developer.create(test)).createApp('shop', ['payments'])).id;
  root = await folderWith({ 'portal.config.ts': "export default { app: { env: 'development' } };" });
  call = { cwd: root, env: { ...SECRETS, DATABASE_URL: test.databaseUrl } };
  writeFileSync(join(root, LOG), '');
  for (let first = 0; first < LINES; first += 10_000) {
    appendFileSync(join(root, LOG), Array.from({ length: 10_000 }, (_, index) => line(first + index)).join(''));
  }
});
afterAll(() => test.stop());

const line = (id: number) =>
  `${JSON.stringify({ msec: NOW - (id % 7_200), portal_key_id: String(keyId), portal_product: 'payments', status: id % 10 === 0 ? 500 : 200, request_time: (id % 100) / 1000, bytes_sent: 10, request_id: id })}\n`;

const counted = async (table: string) => {
  const [row] = await test.portal.database.select<Record<string, number | null>>(
    `SELECT SUM(successes) AS good, SUM(server_errors) AS bad, SUM(bytes) AS bytes FROM portal_answer_${table}`,
  );
  return [Number(row?.good), Number(row?.bad), Number(row?.bytes)];
};

/** Kills the command once it has told of its progress so often. @returns the signal that ended it */
async function dieAfter(reports: number): Promise<string | null> {
  const bin = join(process.cwd(), 'bin', 'portal.js');
  const child = spawn(process.execPath, [bin, 'usage:import', LOG], {
    cwd: root,
    env: { ...call.env, PATH: process.env['PATH'] },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let told = '';
  child.stderr.on('data', (text: Buffer) => {
    told += text.toString();
    if (told.split(`${LOG}: `).length > reports) child.kill('SIGKILL');
  });
  const [, signal] = (await once(child, 'close')) as [number | null, string | null];
  return signal;
}

describe('an import that is killed', () => {
  it('is taken up where it was: every call counts once, after however many kills', async () => {
    let before = 0;
    for (const reports of [1, 2, 4]) {
      expect(await dieAfter(reports)).toBe('SIGKILL');
      const [good = 0, bad = 0] = await counted('hours');
      expect((good + bad) % 20_000).toBe(0);
      expect(good + bad).toBeGreaterThanOrEqual(before);
      expect(good + bad).toBeLessThan(LINES);
      before = good + bad;
    }
    expect(before).toBeGreaterThan(0);
    const { exitCode, stdout } = await spawnPortal(['usage:import', LOG, '--json'], call);
    expect([exitCode, JSON.parse(stdout)]).toMatchObject([0, { logs: [{ counted: LINES - before }] }]);
    for (const table of ['hours', 'days']) {
      expect(await counted(table)).toEqual([LINES * 0.9, LINES * 0.1, LINES * 10]);
    }
    const again = await spawnPortal(['usage:import', LOG, '--json'], call);
    expect(JSON.parse(again.stdout)).toMatchObject({ logs: [{ lines: 0, counted: 0 }] });
  });

  it('reads standard input as it reads files', async () => {
    const input = line(LINES) + line(LINES + 1);
    const { stdout } = await spawnPortal(['usage:import', '-', '--json'], { ...call, input });
    expect(JSON.parse(stdout)).toMatchObject({ logs: [{ file: '-', format: 'nginx', counted: 2 }] });
  });
});
