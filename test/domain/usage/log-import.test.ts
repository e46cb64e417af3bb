import type { ImportedLog, LogChoices } from '../../../src/domain/usage/index.js';
import { Developer } from '../../support/apps.js';
import { createProduct } from '../../support/factories.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';
import { sumOfCalls } from '../../support/usage.js';

let test: TestPortal;
let ada: Developer;
let keyId: number;
let count = 0;

beforeAll(async () => {
  test = await startTestPortal({ replicas: 1 });
  await createProduct(test, { slug: 'payments' });
  await createProduct(test, { slug: 'geo' });
});
beforeEach(async () => {
  count += 1;
  ada = await Developer.create(test);
  keyId = (await ada.createApp('shop', ['payments', 'geo'])).id;
});
afterAll(() => test.stop());

const seconds = () => test.clock.now().getTime() / 1000;
const nginx = (fields: Record<string, unknown> = {}) => ({
  ...{ msec: seconds(), test: count, portal_key_id: String(keyId), portal_product: 'payments' },
  ...{ status: 200, request_time: 0.02, bytes_sent: 100, ...fields },
});
const caddy = (fields: Record<string, unknown> = {}) => ({
  ...{ level: 'info', ts: seconds(), logger: 'http.log.access.log0', msg: 'handled request' },
  ...{ request: { uri: '/hidden', remote_ip: '203.0.113.7' }, duration: 0.02, size: 100, status: 200 },
  ...{ portal_key_id: String(keyId), portal_product: 'payments', ...fields },
});
const envoy = (fields: Record<string, unknown> = {}) => ({
  ...{ start_time: test.clock.now().toISOString(), portal_key_id: String(keyId), portal_product: 'payments' },
  ...{ response_code: 200, duration: 20, bytes_sent: 100, ...fields },
});
const textOf = (lines: readonly unknown[]) =>
  lines.map((one) => `${typeof one === 'string' ? one : JSON.stringify(one)}\n`).join('');

async function* inPieces(text: string, size: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

const run = (text: string, choices: Partial<LogChoices> = {}, size = 64 * 1024): Promise<ImportedLog> =>
  test.portal.services.usage.logs.run(inPieces(text, size), { format: null, product: null, dryRun: false, ...choices });
const answers = async () => (await ada.get('/shop/usage/answers?group_by=product')).json.data;
const total = async () => (await answers()).totals.answers;

describe('an access log', () => {
  it.each([
    ['nginx', nginx],
    ['caddy', caddy],
    ['envoy', envoy],
  ] as const)('of %s is recognised, and tells status, time and bytes', async (format, line) => {
    const status = format === 'envoy' ? 'response_code' : 'status';
    const outcome = await run(
      textOf([
        line(),
        line({ [status]: 503 }),
        line({ [status]: format === 'nginx' ? '000' : 0 }),
        line({ portal_product: '' }),
      ]),
      { product: 'geo' },
    );
    expect(outcome).toMatchObject({ format, lines: 4, counted: 4, without: 0, rejectedLines: 0 });
    const { totals, groups } = await answers();
    expect(totals).toMatchObject({ answers: 4, successes: 2, server_errors: 1, others: 1, bytes: 400 });
    expect(totals.latency.p50).toBeCloseTo(15, 0);
    expect(groups.map(({ name, answers: number }: Record<string, unknown>) => [name, number])).toEqual([
      ['payments', 3],
      ['geo', 1],
    ]);
    expect(await sumOfCalls(test.portal.database)).toBe(0);
  });

  it('may have lines that tell of no call, or of one without a key', async () => {
    const other = { level: 'info', ts: seconds(), logger: 'admin', msg: 'admin endpoint started' };
    const outcome = await run(
      textOf([other, caddy(), caddy({ portal_key_id: '', status: 401 }), caddy({ portal_key_id: '-' })]),
    );
    expect(outcome).toMatchObject({ lines: 4, counted: 1, without: 3, rejectedLines: 0 });
  });

  it('has its wrong lines named by their number; the good ones are counted', async () => {
    const text = textOf([
      'starting the proxy',
      nginx(),
      nginx({ request_time: 'soon' }),
      '',
      nginx({ portal_key_id: '424242' }),
      `{"note":"${'x'.repeat(50_000)}"}`,
      nginx({ msec: 1 }),
      nginx(),
    ]);
    const { counted, rejectedLines, rejections } = await run(text);
    expect([counted, rejectedLines]).toEqual([2, 5]);
    expect(rejections.map(({ line, fault }) => [line, fault])).toEqual([
      [1, 'not_json'],
      [3, 'bad_time_taken'],
      [5, 'unknown_key'],
      [6, 'too_long'],
      [7, 'too_old'],
    ]);
    expect((await run(text)).rejectedLines).toBe(0);
  });

  it('of no known format is refused before anything is counted', async () => {
    const told = run(textOf([{ message: 'hello' }, nginx()]));
    await expect(told).rejects.toMatchObject({ code: 'log_import', message: 'Line 1 is of no format that is known.' });
    expect(await total()).toBe(0);
    expect(await run(textOf([{ message: 'hello' }, nginx()]), { format: 'nginx' })).toMatchObject({
      counted: 1,
      without: 1,
    });
  });

  it('is the same however its bytes come, and is not changed by a dry run', async () => {
    const text = textOf([nginx(), nginx({ status: 404 }), nginx({ status: 99 })]);
    for (const size of [1, 7, 1_000]) {
      expect(await run(text, { dryRun: true }, size)).toMatchObject({ lines: 3, counted: 2, rejectedLines: 1 });
    }
    expect(await total()).toBe(0);
  });
});

describe('a log that is imported again', () => {
  it('counts nothing twice', async () => {
    const text = textOf([nginx(), nginx({ status: 404 })]);
    expect((await run(text)).counted).toBe(2);
    expect(await run(text)).toMatchObject({ lines: 0, counted: 0, known: Buffer.byteLength(text) });
    expect(await run(text, {}, 3)).toMatchObject({ lines: 0, counted: 0 });
    expect(await total()).toBe(2);
  });

  it('goes on where it was, whether its last line had an end or not', async () => {
    const [first, second, third] = [nginx({ id: 1 }), nginx({ id: 2 }), nginx({ id: 3 })].map((line) =>
      JSON.stringify(line),
    );
    expect(await run(`${first}\n${second?.slice(0, 20)}`)).toMatchObject({ counted: 1, isUnfinished: true });
    expect(await run(`${first}\n${second}`)).toMatchObject({ counted: 1, isUnfinished: false });
    for (const size of [1, 5, 10_000]) {
      expect((await run(`${first}\n${second}\n`, {}, size)).counted).toBe(0);
    }
    expect((await run(`${first}\n${second}\n${third}\n`, {}, 9)).counted).toBe(1);
    expect((await run(`${first}\n`)).counted).toBe(0);
    expect(await total()).toBe(3);
  });

  it('is refused when it begins like another and goes on otherwise', async () => {
    await run(textOf([nginx(), nginx()]));
    const told = run(textOf([nginx(), nginx({ status: 404 }), nginx()]));
    await expect(told).rejects.toMatchObject({ code: 'log_import', message: /goes on otherwise/ });
    expect(await total()).toBe(2);
  });

  it('at the same time counts once, and one of both says so', async () => {
    const text = textOf(Array.from({ length: 50 }, () => nginx()));
    const outcomes = await Promise.allSettled([run(text), run(text)]);
    const reasons = outcomes.flatMap((one) => (one.status === 'rejected' ? [(one.reason as Error).message] : []));
    for (const reason of reasons) expect(reason).toBe('Another import of this log is under way.');
    expect(reasons.length).toBeLessThan(2);
    expect(await total()).toBe(50);
  });

  it('is forgotten once all that it can hold is too old', async () => {
    const text = textOf([nginx()]);
    await run(text);
    test.clock.advance(401 * 86_400);
    await test.portal.services.usage.maintain(new AbortController().signal);
    await ada.signInAgain();
    const rows = await test.portal.database.select('SELECT head FROM portal_usage_files');
    expect(rows).toEqual([]);
    expect(await run(text)).toMatchObject({ counted: 0, rejections: [{ fault: 'too_old' }] });
  });
});

describe('a long log', () => {
  it('is counted in several transactions, each of which says how far it came', async () => {
    const line = `${JSON.stringify(nginx())}\n`;
    const seen: number[] = [];
    async function* pieces() {
      for (let sent = 0; sent < 50; sent += 1) {
        seen.push(await total());
        yield Buffer.from(line.repeat(1_000));
      }
    }
    const outcome = await test.portal.services.usage.logs.run(pieces(), { format: null, product: null, dryRun: false });
    expect(outcome).toMatchObject({ lines: 50_000, counted: 50_000 });
    expect([...new Set(seen)]).toEqual([0, 20_000, 40_000]);
    expect(await total()).toBe(50_000);
  });
});
