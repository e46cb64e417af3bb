import { createHash } from 'node:crypto';
import { createLogger } from '../../src/core/index.js';
import { Developer, verify } from '../support/apps.js';
import { createAdmin, createProduct } from '../support/factories.js';
import { signIn } from '../support/sign-in.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';
import { countedCalls, flushUsage, sumOfCalls } from '../support/usage.js';

let test: TestPortal;
let ada: Developer;
let shop: { id: number; key: string };
let foreign: { id: number; key: string };
let token: string;
const log: string[] = [];
const TABLES = ['usage_hours', 'usage_days', 'answer_hours', 'answer_days', 'usage_batches'];

beforeAll(async () => {
  test = await startTestPortal({
    replicas: 1,
    logger: createLogger('debug', { write: (line) => void log.push(line) }),
  });
  for (const slug of ['payments', 'geo']) await createProduct(test, { slug });
  await createProduct(test, { slug: 'secret', visibility: 'private' });
  await test.portal.services.rbac.seed();
});
beforeEach(async () => {
  log.length = 0;
  for (const table of TABLES) await test.portal.database.execute(`DELETE FROM portal_${table}`);
  ada = await Developer.create(test);
  shop = await ada.createApp('shop', ['payments', 'geo']);
  const eve = await Developer.create(test);
  foreign = await eve.createApp('other', ['geo']);
  token = await signIn(test, await createAdmin(test, { roles: ['auditor'] }));
});
afterAll(() => test.stop());

const JSON_LINES = { 'content-type': 'application/x-ndjson' };
const line = (fields: Record<string, unknown> = {}) => ({
  ...{ time: test.clock.now().toISOString(), key_id: shop.id, product: 'payments' },
  ...{ status: 200, ms: 20, bytes: 100, ...fields },
});
const textOf = (lines: readonly unknown[]) =>
  lines.map((one) => `${typeof one === 'string' ? one : JSON.stringify(one)}\n`).join('');
const report = async (lines: readonly unknown[], headers: Record<string, string> = {}) => {
  const body = Buffer.from(textOf(lines));
  const answer = await test.client.sendAsItIs('POST', '/gateway/usage', { ...JSON_LINES, ...headers }, body);
  return { status: answer.status, json: answer.json as unknown as Record<string, never>, answer };
};
const own = async (query = '') => (await ada.get(`/shop/usage/answers${query}`)).json.data;
const admin = async (query = '') => (await test.client.get(`/api/v1/admin/usage/answers${query}`, { token })).json.data;
const faultsOf = (json: { errors: { line: number; lines: number; code: string }[] }) =>
  json.errors.map(({ line: number, lines, code }) => [number, lines, code]);

describe('a report', () => {
  it('shows what the API answered, by class of status, with percentiles and bytes', async () => {
    const { status, json } = await report([
      ...Array.from({ length: 90 }, () => line({ ms: 8 })),
      ...Array.from({ length: 6 }, () => line({ status: 404, ms: 180 })),
      ...[line({ status: 301, ms: null }), line({ status: 503, ms: 40_000 }), line({ status: 0, ms: '-' })],
      line({ product: 'geo', bytes: undefined }),
    ]);
    expect([status, json]).toEqual([200, { lines: 100, counted: 100, repeated: false, rejected: 0, errors: [] }]);
    const { totals, points, groups } = await own('?group_by=product');
    expect(totals).toEqual({
      ...{ answers: 100, successes: 91, redirects: 1, client_errors: 6, server_errors: 1, others: 1, bytes: 9_900 },
      latency: { p50: 7.7, p95: 167, p99: 30_000 },
    });
    expect(points).toHaveLength(30);
    expect(points.at(-1).answers).toBe(100);
    expect(groups.map(({ name, answers }: Record<string, unknown>) => [name, answers])).toEqual([
      ['payments', 99],
      ['geo', 1],
    ]);
    const hours = await own('?interval=hour');
    expect([hours.totals, hours.points.at(-1).answers]).toEqual([totals, 100]);
    expect((await admin(`?credential=${shop.id}`)).totals).toEqual(totals);
    expect((await admin(`?credential=${foreign.id}`)).totals).toMatchObject({ answers: 0, latency: null });
  });

  it('stands beside the calls that were counted at the verify endpoint, and is not added to them', async () => {
    await verify(test, shop.key, 'payments');
    await flushUsage(test);
    await report([line()]);
    expect(await countedCalls(test.portal.database)).toEqual({ 'payments allowed': 1 });
    expect((await own()).totals.answers).toBe(1);
  });

  it('is counted once, however often it is sent, by its bytes or by the name that its sender gives it', async () => {
    const lines = [line(), line({ id: 'a' })];
    expect((await report(lines)).json).toMatchObject({ counted: 2, repeated: false });
    expect((await report(lines)).json).toMatchObject({ counted: 0, repeated: true });
    const named = { 'idempotency-key': 'proxy-1/0001' };
    expect((await report(lines, named)).json).toMatchObject({ counted: 2, repeated: false });
    expect((await report(lines, named)).json).toMatchObject({ counted: 0, repeated: true });
    expect(await report([line()], named)).toMatchObject({ status: 409, json: { error: 'idempotency_key_reused' } });
    const twins = await Promise.all([report([line({ id: 'b' })]), report([line({ id: 'b' })])]);
    expect(twins.map(({ json }) => json.counted).sort()).toEqual([0, 1]);
    expect((await own()).totals.answers).toBe(5);
  });

  it('takes times with an offset or in seconds, and numbers as the text that proxies write', async () => {
    const seconds = test.clock.now().getTime() / 1000;
    const { json } = await report([
      line({ time: seconds }),
      line({ time: String(seconds), status: '200', ms: '3.5', bytes: '12', key_id: String(shop.id) }),
      line({ time: test.clock.now().toISOString().replace('Z', '+00:00'), product: '' }),
    ]);
    expect(json).toMatchObject({ counted: 3, rejected: 0 });
  });

  it('counts for the only product of the key where it names none', async () => {
    await report([line({ key_id: foreign.id, product: undefined }), line({ product: undefined })]);
    const { groups } = await admin('?group_by=product');
    expect(groups.map(({ name }: { name: string }) => name).sort()).toEqual(['geo', null]);
  });

  it('names lines that are none by their number, and counts the good ones', async () => {
    const { status, json } = await report([
      line(),
      'not json',
      '[]',
      line({ time: 'yesterday' }),
      line({ status: 99 }),
      line({ status: 'NaN' }),
      '',
      `{"time":${test.clock.now().getTime() / 1000},"key_id":${shop.id},"status":200,"ms":1e400}`,
      line({ ms: -1 }),
      line({ bytes: 1.5 }),
      line({ bytes: 1e300 }),
      line({ key_id: 'x' }),
      line({ product: '../etc' }),
      line({ time: new Date(test.clock.now().getTime() + 3_600_000).toISOString() }),
      line({ time: '2020-01-01T00:00:00Z' }),
      line(),
    ]);
    expect([status, json.counted, json.rejected, json.lines]).toEqual([200, 2, 13, 15]);
    expect(faultsOf(json as never)).toEqual([
      [2, 2, 'not_json'],
      [4, 1, 'bad_time'],
      [5, 2, 'bad_status'],
      [8, 2, 'bad_time_taken'],
      [10, 2, 'bad_bytes'],
      [12, 1, 'bad_key_id'],
      [13, 1, 'bad_product'],
      [14, 1, 'in_future'],
      [15, 1, 'too_old'],
    ]);
    expect((await own()).totals.answers).toBe(2);
  });

  it('says 422 when not one of its lines is good', async () => {
    expect(await report(['x', 'y'])).toMatchObject({ status: 422, json: { counted: 0, rejected: 2 } });
    expect((await report([])).status).toBe(200);
  });

  it('is erased with the app, and old ones are removed', async () => {
    await report([line()]);
    const rows = async (table: string) => {
      const [row] = await test.portal.database.select<{ total: number }>(`SELECT COUNT(*) AS total FROM ${table}`);
      return Number(row?.total);
    };
    test.clock.advance(9 * 86_400);
    await test.portal.services.usage.maintain(new AbortController().signal);
    expect([await rows('portal_answer_hours'), await rows('portal_usage_batches')]).toEqual([1, 0]);
    test.clock.advance(30 * 86_400);
    await test.portal.services.usage.maintain(new AbortController().signal);
    expect([await rows('portal_answer_hours'), await rows('portal_answer_days')]).toEqual([0, 1]);
    await ada.signInAgain();
    await report([line()]);
    expect((await ada.delete('/shop')).status).toBe(200);
    await test.portal.services.usage.maintain(new AbortController().signal);
    expect([await rows('portal_answer_hours'), await rows('portal_answer_days')]).toEqual([0, 0]);
  });
});

describe('where proxies cache answers of the portal', () => {
  it('reports are what is counted, and checks are not', async () => {
    const other = test;
    test = await startTestPortal({ replicas: 1, config: { usage: { source: 'reports' } } });
    await createProduct(test, { slug: 'payments' });
    ada = await Developer.create(test);
    shop = await ada.createApp('shop', ['payments']);
    await verify(test, shop.key, 'payments');
    await verify(test, shop.key, 'geo');
    await flushUsage(test);
    const old = new Date(test.clock.now().getTime() - 5 * 86_400_000).toISOString();
    await report([line(), line({ status: 500 }), line({ time: old })]);
    const { database } = test.portal;
    expect(await countedCalls(database)).toEqual({ 'payments allowed': 3, '- product_not_granted': 1 });
    for (const _ of [1, 2]) await test.portal.services.usage.maintain(new AbortController().signal);
    expect(await sumOfCalls(database, 'days')).toBe(4);
    expect((await ada.get('/shop/usage')).json.data.totals).toEqual({ calls: 4, allowed: 3, refused: 1 });
    expect((await ada.get('/shop')).json.data.first_called_at).toBe(old);
    await test.stop();
    test = other;
  });
});

describe('attacks', () => {
  const status = async (
    headers: Record<string, string>,
    method = 'POST',
    path = '/gateway/usage',
    body = textOf([line()]),
  ) => (await test.client.sendAsItIs(method, path, headers, method === 'GET' ? undefined : Buffer.from(body))).status;

  it('who may not ask whether a key is good may not report either', async () => {
    const forwarded = await report([line()], { 'x-forwarded-for': '203.0.113.9' });
    expect([forwarded.status, forwarded.json]).toEqual([403, { error: 'verify_secret_required' }]);
    expect((await own()).totals.answers).toBe(0);
  });

  it('a page of another site cannot make the browser of an operator report', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', '']) {
      expect([type, await status({ 'content-type': type })]).toEqual([type, 415]);
    }
    expect(await status({ ...JSON_LINES, 'content-encoding': 'gzip' })).toBe(415);
    expect(await status(JSON_LINES, 'GET')).toBe(405);
    expect(await status(JSON_LINES, 'POST', '/gateway/usage/payments')).toBe(404);
    expect(await status({ ...JSON_LINES, 'idempotency-key': 'a b' })).toBe(400);
  });

  it('a report that is too large is refused as a whole, declared or not', async () => {
    const many = textOf(Array.from({ length: 10_001 }, () => line()));
    expect(await status(JSON_LINES, 'POST', '/gateway/usage', many)).toBe(413);
    expect(await status(JSON_LINES, 'POST', '/gateway/usage', ' '.repeat(8 * 1024 * 1024 + 1))).toBe(413);
    const pieces = new ReadableStream({
      start(controller) {
        for (let sent = 0; sent < 9; sent += 1) controller.enqueue(Buffer.alloc(1024 * 1024, ' '));
        controller.close();
      },
    });
    const options = { method: 'POST', headers: JSON_LINES, body: pieces, duplex: 'half' };
    expect((await fetch(`${test.client.url}/gateway/usage`, options as RequestInit)).status).toBe(413);
    expect((await own()).totals.answers).toBe(0);
  });

  it('a huge line and one that nests deep cost themselves only', async () => {
    const { json } = await report([
      line({ note: 'x'.repeat(1_000_000) }),
      `{"a":${'['.repeat(8_000)}${']'.repeat(8_000)}}`,
      '{"__proto__":{"key_id":1},"constructor":1}',
      line(),
    ]);
    expect(json).toMatchObject({ counted: 1, rejected: 3 });
    expect(faultsOf(json as never)[0]).toEqual([1, 1, 'too_long']);
  });

  it('keys that are unknown, and products that a key does not carry, are not counted and tell nothing', async () => {
    const { json } = await report([
      line({ key_id: 999_999 }),
      line({ product: 'secret' }),
      line({ product: 'missing' }),
      line({ key_id: foreign.id, product: 'payments' }),
      line({ key_id: 0 }),
      line(),
    ]);
    expect(json.counted).toBe(1);
    expect(faultsOf(json as never).sort()).toEqual([
      [1, 1, 'unknown_key'],
      [2, 3, 'unknown_product'],
      [5, 1, 'bad_key_id'],
    ]);
    expect((await admin('?group_by=app')).groups).toHaveLength(1);
  });

  it('a report of long ago cannot be counted again once it is forgotten', async () => {
    const lines = [line()];
    await report(lines);
    test.clock.advance(9 * 86_400);
    await test.portal.services.usage.maintain(new AbortController().signal);
    await ada.signInAgain();
    expect((await report(lines)).json).toMatchObject({ counted: 0, rejected: 1 });
  });

  it('nothing that stands in a line is repeated, stored or logged', async () => {
    const forged = 'forged\u001b[31m entry';
    const { answer } = await report([
      line({ method: 'GET', route: '/users/ada?token=hidden', uri: '/hidden', ip: '203.0.113.77', id: forged }),
      { [forged]: forged, product: forged },
      `${forged} /hidden`,
    ]);
    const dump = JSON.stringify(await test.portal.database.select('SELECT * FROM portal_answer_hours'));
    for (const place of [answer.text, log.join(''), dump]) {
      for (const word of ['forged', 'hidden', '203.0.113.77']) expect(place).not.toContain(word);
    }
    const [known] = await test.portal.database.select<{ id: string }>('SELECT id FROM portal_usage_batches');
    expect(known?.id).toHaveLength(createHash('sha256').digest('hex').length);
  });
});
