import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { folderWith, SECRETS } from '../config/support.js';
import { Developer } from '../support/apps.js';
import { createProduct } from '../support/factories.js';
import { portal } from '../support/portal-command.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

let test: TestPortal;
let root: string;
let keyId: number;
/** Of the portal of the command, which goes by the clock of the machine. */
const NOW = Math.floor((performance.timeOrigin + performance.now()) / 1000);

beforeAll(async () => {
  test = await startTestPortal();
  await createProduct(test, { slug: 'payments' });
  keyId = (await (await Developer.create(test)).createApp('shop', ['payments'])).id;
  root = await folderWith({ 'portal.config.ts': "export default { app: { env: 'development' } };" });
});
afterAll(() => test.stop());
beforeEach(async () => {
  for (const table of ['usage_files', 'answer_hours', 'answer_days']) {
    await test.portal.database.execute(`DELETE FROM portal_${table}`);
  }
});

const run = (args: readonly string[], env: Record<string, string> = {}) =>
  portal(['usage:import', ...args], { cwd: root, env: { ...SECRETS, DATABASE_URL: test.databaseUrl, ...env } });
const imported = async (...args: string[]) => {
  const { stdout, exitCode } = await run([...args, '--json']);
  return { exitCode, ...(JSON.parse(stdout) as { dry_run: boolean; logs: Record<string, unknown>[] }) };
};
let count = 0;
const line = (fields: Record<string, unknown> = {}) => {
  count += 1;
  const call = { portal_key_id: String(keyId), portal_product: 'payments', request_id: String(count) };
  return `${JSON.stringify({ msec: NOW, ...call, status: 200, request_time: 0.01, bytes_sent: 1, ...fields })}\n`;
};
const write = (name: string, text: string | Buffer) => writeFileSync(join(root, name), text);
const answers = async () => {
  const [row] = await test.portal.database.select<{ total: number | null }>(
    'SELECT SUM(successes) AS total FROM portal_answer_hours',
  );
  return Number(row?.total);
};

describe('portal usage:import', () => {
  it('counts several logs and says what became of each, and of wrong lines with their numbers', async () => {
    write('a.json', line() + line({ status: 99 }) + line({ status: 99 }) + line({ portal_key_id: '' }));
    write('b.json', line());
    const { exitCode, stdout, stderr } = await run(['a.json', 'b.json']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^LOG +FORMAT +LINES +COUNTED +WITHOUT A KEY +WRONG$/m);
    expect(stdout).toMatch(/^a\.json +nginx +4 +1 +1 +2$/m);
    expect(stdout).toMatch(/^b\.json +nginx +1 +1 +0 +0$/m);
    expect(stderr).toContain('a.json, line 2 and 1 more: no status of HTTP');
    expect(await answers()).toBe(2);
  });

  it('goes on with a log that was rotated and compressed', async () => {
    const first = line();
    write('access.json', first);
    await run(['access.json']);
    appendFileSync(join(root, 'access.json'), line());
    write('access.json.1.gz', gzipSync(first + line() + line()));
    const { logs } = await imported('access.json.1.gz');
    expect(logs[0]).toMatchObject({ lines: 2, counted: 2, known_bytes: first.length });
    expect(await answers()).toBe(3);
  });

  it('changes nothing in a dry run', async () => {
    write('dry.json', line());
    expect(await imported('dry.json', '--dry-run')).toMatchObject({
      exitCode: 0,
      dry_run: true,
      logs: [{ counted: 1 }],
    });
    expect(await answers()).toBe(0);
    expect((await run(['dry.json', '--dry-run'])).stdout).toContain('Nothing was changed.');
  });

  it('ends with 1 when a log cannot be read or has no good line, after it has imported the others', async () => {
    write('good.json', line());
    write('bad.json', line({ status: 99 }));
    write('broken.gz', 'no gzip');
    write('cut.gz', gzipSync(line().repeat(100)).subarray(0, 60));
    write('strange.json', '{"a":1}\n');
    const { exitCode, stderr } = await run([
      'none.json',
      '.',
      'broken.gz',
      'cut.gz',
      'strange.json',
      'bad.json',
      'good.json',
    ]);
    expect(exitCode).toBe(1);
    for (const said of [
      'none.json: There is no such file.',
      '.: It is a folder.',
      'broken.gz: It is not compressed as its name says, or damaged.',
      'cut.gz: Its end is missing.',
      'strange.json: Line 1 is of no format that is known.',
      'bad.json, line 1: no status of HTTP',
    ]) {
      expect(stderr).toContain(said);
    }
    expect(await answers()).toBe(1);
  });

  it('is refused where no calls are counted, and with a format that there is not', async () => {
    write('one.json', line());
    const off = await run(['one.json'], { USAGE_ENABLED: 'false' });
    expect([off.exitCode, off.stderr]).toEqual([1, expect.stringContaining('set usage.enabled to true')]);
    expect((await run(['one.json', '--format', 'apache'])).exitCode).toBe(2);
  });

  it('prints nothing of a line to the terminal', async () => {
    write(
      'forged.json',
      line() + `{"msec":${NOW},"status":"\\u001b[2Jforged","portal_key_id":"1\\u001b[31m"}\n\u001b[31mforged\n`,
    );
    const { stdout, stderr } = await run(['forged.json']);
    expect(stdout + stderr).not.toContain('forged"');
    expect(stdout + stderr).not.toContain('\u001b[2J');
  });
});
