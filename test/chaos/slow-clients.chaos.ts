import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { startCrew, type Crew } from '../support/chaos/crew.js';
import { finding } from '../support/chaos/finding.js';
import { PacedLoad, percentile } from '../support/chaos/paced-load.js';
import { insertProduct } from '../support/insert-product.js';

const SOCKETS = 500;
/** R31 */
const P99_MS = 100;
/** `headersTimeout` and the round in which Node looks. */
const CUT_OFF_MS = 15_000 + 2 * 2_000;
const EVERY_MS = 1_000;
const MB = 1_000_000;
const READERS = 200;
const DOCUMENT = '/api/v1/api-products/large/spec';
const DOCUMENT_BYTES = 12 * MB;
const MOST_MORE_MB = 150;
/** Shorter than by default, for the test. */
const SEND_TIMEOUT_S = 10;
/** `http.sendTimeout` since the last byte was taken, and the round in which it is looked. */
const CUT_OFF_AFTER_MS = 5_000;
const BURSTS = 20;
const BURST = 2_000;
const SLOWEST_MS = 2_000;

describe('a process and five hundred clients that never finish asking', () => {
  let crew: Crew;
  beforeAll(async () => (crew = await startCrew({ replicas: 1 })), 60_000);
  afterAll(() => crew.stop());

  it('R31: it serves the others meanwhile, and cuts them off in time', async () => {
    const port = Number(new URL(crew.replicas[0]?.url ?? '').port);
    const calm = await measure(3_000);
    const began = performance.now();
    const slow = Array.from({ length: SOCKETS }, (_, index) => drip(port, index));
    const busy = await measure(5_000);
    await Promise.all(slow.map(({ closed }) => closed));
    const cutOff = performance.now() - began;
    expect(busy.p99).toBeLessThan(P99_MS + calm.p99);
    expect(cutOff).toBeLessThan(CUT_OFF_MS);
    // A body may take longer than a head; none of them is an answer of a handler.
    for (const { received } of slow) expect(received()).toMatch(/^HTTP\/1\.1 408 /);
    finding(
      'R31',
      `${SOCKETS} clients that send a byte a second`,
      `/health p99 ${Math.round(busy.p99)} ms (${Math.round(calm.p99)} ms without them), all 200; all cut off with 408 after ${(cutOff / 1000).toFixed(1)} s`,
    );
  }, 60_000);

  const measure = (milliseconds: number) => measureHealth(crew, milliseconds);
});

describe('a process and clients that ask and do not read', () => {
  let crew: Crew;
  beforeAll(async () => {
    crew = await startCrew({ replicas: 1, config: { http: { sendTimeout: SEND_TIMEOUT_S } } });
    await insertDocument(crew);
  }, 60_000);
  afterAll(() => crew.stop());

  it(`R31: ${READERS} readers of a large document that stop reading cost a few megabytes, and are cut off`, async () => {
    const port = Number(new URL(crew.replicas[0]?.url ?? '').port);
    // The document once, so that what a process keeps of it is not counted as theirs.
    await crew.clients[0].get(DOCUMENT);
    const calm = await measureHealth(crew, 3_000);
    const before = memoryOf(crew);
    const readers = Array.from({ length: READERS }, () =>
      stalled(port, `GET ${DOCUMENT} HTTP/1.1\r\nHost: portal.test\r\n\r\n`),
    );
    const busy = await measureHealth(crew, SEND_TIMEOUT_S * 1_000);
    const more = memoryOf(crew) - before;
    finding(
      'R31',
      `${READERS} clients that ask for a document of ${DOCUMENT_BYTES / MB} MB and do not read it`,
      `${Math.round(more)} MB more memory, /health/live p99 ${Math.round(busy.p99)} ms (${Math.round(calm.p99)} ms without them)`,
    );
    expect(more).toBeLessThan(MOST_MORE_MB);
    // By now they were cut off: what the system still holds for them is not the whole.
    await pause(CUT_OFF_AFTER_MS);
    for (const { socket } of readers) socket.resume();
    const received = await Promise.all(readers.map(({ closed }) => closed));
    expect(Math.min(...received)).toBeGreaterThan(0);
    expect(Math.max(...received)).toBeLessThan(DOCUMENT_BYTES);
  }, 120_000);

  it('R31: bursts of pipelined requests do not hold up others', async () => {
    const port = Number(new URL(crew.replicas[0]?.url ?? '').port);
    const calm = await measureHealth(crew, 3_000);
    const request = 'GET /api/v1/api-products?q=nothing HTTP/1.1\r\nHost: portal.test\r\n\r\n';
    const bursts = Array.from({ length: BURSTS }, () => stalled(port, request.repeat(BURST)));
    for (const { socket } of bursts) socket.resume();
    const busy = await measureHealth(crew, 5_000);
    await Promise.all(bursts.map(({ closed }) => closed));
    finding(
      'R31',
      `${BURSTS} clients that each send ${BURST} requests at once`,
      `/health/live p99 ${Math.round(busy.p99)} ms (${Math.round(calm.p99)} ms without them), slowest ${Math.round(busy.slowest)} ms`,
    );
    expect(busy.slowest).toBeLessThan(SLOWEST_MS);
  }, 120_000);
});

async function measureHealth(crew: Crew, milliseconds: number): Promise<{ p99: number; slowest: number }> {
  const load = new PacedLoad();
  load.add('health', 100, () => crew.clients[0].get('/api/v1/health/live'));
  await pause(milliseconds);
  const { health } = await load.stop();
  expect(Object.keys(health?.statuses ?? {})).toEqual(['200']);
  const times = health?.times ?? [];
  return { p99: percentile(times, 0.99), slowest: Math.max(...times) };
}

/** A public product whose document is as large as a few that there are. */
async function insertDocument({ database }: Crew): Promise<void> {
  const document = JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Large', description: 'x'.repeat(DOCUMENT_BYTES) },
  });
  const hash = createHash('sha256').update(document).digest('hex');
  await insertProduct(database, 'large');
  await database.execute("UPDATE portal_products SET spec_hash = ? WHERE slug = 'large'", [hash]);
  await database.execute(
    "INSERT INTO portal_product_specs (product_id, document, updated_at) SELECT id, ?, ? FROM portal_products WHERE slug = 'large'",
    [document, new Date()],
  );
}

/** Resident memory of the only replica, in megabytes. */
function memoryOf({ replicas: [replica] }: Crew): number {
  const status = readFileSync(`/proc/${replica?.process.pid}/status`, 'utf8');
  return (Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024) / MB;
}

/** Asks, and reads nothing of the answer until told to. `closed` tells how many bytes came. */
function stalled(port: number, request: string): { socket: Socket; closed: Promise<number> } {
  const socket = connect(port, '127.0.0.1');
  socket.write(request);
  socket.on('error', () => undefined);
  let received = 0;
  socket.on('data', (chunk) => (received += chunk.length)).pause();
  const closed = new Promise<number>((resolve) => socket.on('close', () => resolve(received)));
  return { socket, closed };
}

/** The head of a request, a byte a second and never to its end. */
function drip(port: number, index: number): { closed: Promise<void>; received: () => string } {
  const socket: Socket = connect(port, '127.0.0.1');
  let text = '';
  socket.write(`GET /api/v1/api-products?slow=${index} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: `);
  const timer = setInterval(() => socket.write('a'), EVERY_MS);
  socket.on('data', (chunk) => (text += chunk.toString()));
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => {
    socket.on('close', () => {
      clearInterval(timer);
      resolve();
    });
  });
  return { closed, received: () => text };
}
