import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startCrew, type Crew } from '../support/chaos/crew.js';
import { finding } from '../support/chaos/finding.js';
import { PacedLoad, percentile } from '../support/chaos/paced-load.js';

const SOCKETS = 500;
/** R31 */
const P99_MS = 100;
/** `headersTimeout` and the round in which Node looks. */
const CUT_OFF_MS = 15_000 + 2 * 2_000;
const EVERY_MS = 1_000;

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

  async function measure(milliseconds: number): Promise<{ p99: number }> {
    const load = new PacedLoad();
    load.add('health', 100, () => crew.clients[0].get('/api/v1/health'));
    await pause(milliseconds);
    const { health } = await load.stop();
    expect(Object.keys(health?.statuses ?? {})).toEqual(['200']);
    return { p99: percentile(health?.times ?? [], 0.99) };
  }
});

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
