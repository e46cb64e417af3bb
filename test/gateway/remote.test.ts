import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GatewayUnavailableError } from '../../src/gateway/index.js';
import { Bulkhead } from '../../src/gateway/bulkhead.js';
import { CircuitBreaker } from '../../src/gateway/circuit-breaker.js';
import { CallFailure } from '../../src/gateway/call-failure.js';
import { RateLimiter } from '../../src/gateway/rate-limiter.js';
import { RemoteClient } from '../../src/gateway/remote-client.js';
import { silentLogger } from '../../src/core/index.js';
import { FakeClock } from '../support/fake-clock.js';

describe('the circuit breaker (R11)', () => {
  const clock = new FakeClock();
  const breaker = () => new CircuitBreaker(clock, 'acme');
  const fail = (circuit: CircuitBreaker, times: number) => {
    for (let call = 0; call < times; call += 1) circuit.enter()('bad');
  };

  it('opens after five failures in a row, not before', () => {
    const circuit = breaker();
    fail(circuit, 4);
    circuit.enter()('good');
    fail(circuit, 4);
    circuit.enter()('none');
    fail(circuit, 1);
    expect(() => circuit.enter()).toThrow(GatewayUnavailableError);
  });

  it('opens when half of twenty calls of ten seconds failed', () => {
    const circuit = breaker();
    for (let call = 0; call < 19; call += 1) circuit.enter()(call % 2 === 0 ? 'bad' : 'good');
    circuit.enter()('bad');
    expect(() => circuit.enter()).toThrow(GatewayUnavailableError);
    const slow = breaker();
    for (let call = 0; call < 40; call += 1) {
      clock.advance(1);
      slow.enter()(call % 2 === 0 ? 'bad' : 'good');
    }
    expect(() => slow.enter()).not.toThrow();
  });

  it('lets one call through after ten seconds, and believes it', () => {
    const circuit = breaker();
    fail(circuit, 5);
    clock.advance(9);
    expect(() => circuit.enter()).toThrow(GatewayUnavailableError);
    clock.advance(1);
    const first = circuit.enter();
    expect(() => circuit.enter()).toThrow(GatewayUnavailableError);
    first('bad');
    expect(() => circuit.enter()).toThrow(GatewayUnavailableError);
    clock.advance(10);
    circuit.enter()('good');
    fail(circuit, 4);
    expect(() => circuit.enter()).not.toThrow();
  });

  it('says how long to stay away', () => {
    const circuit = breaker();
    fail(circuit, 5);
    clock.advance(4);
    const refusal = (() => {
      try {
        circuit.enter();
      } catch (error) {
        return error as GatewayUnavailableError;
      }
      throw new Error('the circuit is closed');
    })();
    expect(refusal.headers['Retry-After']).toBe('6');
  });
});

describe('the bulkhead (R12)', () => {
  it('runs twenty at once, hands places on in order, and turns away who waits too long', async () => {
    const bulkhead = new Bulkhead(2, 'acme');
    const started: number[] = [];
    const release: (() => void)[] = [];
    const work = (id: number) => () => {
      started.push(id);
      return new Promise<void>((resolve) => release.push(resolve));
    };
    const running = [1, 2, 3].map((id) => bulkhead.run(work(id), 60_000));
    await expect(bulkhead.run(work(4), 1)).rejects.toBeInstanceOf(GatewayUnavailableError);
    expect(started).toEqual([1, 2]);
    release.shift()?.();
    await running[0];
    expect(started).toEqual([1, 2, 3]);
    for (const end of release) end();
    await Promise.all(running);
    await bulkhead.run(() => Promise.resolve(), 1);
  });
});

describe('the pacer', () => {
  it('lets a burst pass and then keeps the pace', async () => {
    let now = 0;
    const pauses: number[] = [];
    const pause = (milliseconds: number) => Promise.resolve(void pauses.push(milliseconds));
    const rateLimiter = new RateLimiter(600, 'acme', { now: () => now, pause });
    for (let call = 0; call < 23; call += 1) await rateLimiter.turn(8_000);
    expect(pauses).toEqual([100, 200]);
    now += 60_000;
    await rateLimiter.turn(0);
    rateLimiter.hold(5_000);
    await expect(rateLimiter.turn(4_000)).rejects.toBeInstanceOf(GatewayUnavailableError);
    await rateLimiter.turn(5_000);
    expect(pauses).toEqual([100, 200, 5_000]);
  });
});

describe('the line to a backend', () => {
  let server: Server;
  afterEach(async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  });

  async function listen(
    answer: (count: number) => { status: number; headers?: Record<string, string> } | 'reset' | 'hang',
    timeout = 30_000,
  ) {
    let count = 0;
    server = createServer((request, response) => {
      count += 1;
      const reply = answer(count);
      request.resume();
      if (reply === 'hang') return;
      if (reply === 'reset') response.destroy();
      else response.writeHead(reply.status, { connection: 'close', ...reply.headers }).end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const clock = new FakeClock();
    const pauses: number[] = [];
    const client = new RemoteClient({
      ...{ name: 'acme', timeout, callsPerMinute: 60_000, clock, logger: silentLogger, random: () => 0.5 },
      pace: {
        now: () => pauses.reduce((sum, milliseconds) => sum + milliseconds, 0),
        pause: async (milliseconds) => void pauses.push(milliseconds),
      },
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const call = (isRepeatable: boolean) =>
      client.call(
        { method: 'POST', url, headers: {}, label: 'POST /' },
        {
          isRepeatable,
          read: ({ status, retryAfter }) => {
            if (status === 429) throw new CallFailure('throttled', '429', { status, retryAfter });
            if (status >= 500) throw new CallFailure('faulty', String(status), { status, retryAfter });
            return status;
          },
        },
        client.begin(),
      );
    return { call, clock, pauses, calls: () => count };
  }

  const outcome = (work: Promise<number>) => work.catch((error: { detail?: string }) => error.detail);

  it('repeats a call twice at most, and only one that may be (R13)', async () => {
    const { call, calls, pauses } = await listen(() => ({ status: 500 }));
    await expect(call(true)).rejects.toThrow();
    expect([calls(), pauses]).toEqual([3, [550, 550]]);
    await expect(call(false)).rejects.toThrow();
    expect(calls()).toBe(4);
  });

  it('sends again what was turned away or never arrived, and waits as long as it was told to', async () => {
    const { call, calls, pauses } = await listen((count) =>
      count === 1 ? { status: 429, headers: { 'retry-after': '3' } } : { status: 201 },
    );
    expect(await call(false)).toBe(201);
    expect(calls()).toBe(2);
    expect(Math.max(...pauses)).toBe(3_000);
  });

  it('does not wait longer than an operation may take', async () => {
    const { call, calls } = await listen(() => ({ status: 429, headers: { 'retry-after': '60' } }));
    await expect(call(true)).rejects.toMatchObject({ headers: { 'Retry-After': '60' } });
    expect(calls()).toBe(1);
  });

  it('loses patience with a backend that hangs, until it answers', async () => {
    const waits: number[] = [];
    let giveUp = (): void => undefined;
    // A call is given up as soon as it has arrived where it hangs, instead of after its time.
    const time = jest.spyOn(AbortSignal, 'timeout').mockImplementation((milliseconds) => {
      waits.push(milliseconds);
      const controller = new AbortController();
      giveUp = () => controller.abort();
      return controller.signal;
    });
    const { call } = await listen((count) => {
      if (count === 3) return { status: 200 };
      giveUp();
      return 'hang';
    }, 7_000);
    try {
      const outcomes = [
        await outcome(call(true)),
        await outcome(call(true)),
        await outcome(call(true)),
        await outcome(call(true)),
      ];
      expect(waits).toEqual([7_000, 3_500, 1_750, 7_000]);
      expect(outcomes).toEqual([
        'POST /: no answer within 7000 ms',
        'POST /: no answer within 3500 ms',
        200,
        'POST /: no answer within 7000 ms',
      ]);
    } finally {
      time.mockRestore();
    }
  });

  it('leaves a backend alone that is down, and answers at once', async () => {
    const { call, calls, clock } = await listen((count) => (count <= 6 ? 'reset' : { status: 200 }));
    for (let round = 0; round < 2; round += 1) await expect(call(true)).rejects.toThrow();
    const before = calls();
    await expect(call(true)).rejects.toBeInstanceOf(GatewayUnavailableError);
    expect(calls()).toBe(before);
    clock.advance(10);
    await call(true).catch(() => undefined);
    clock.advance(10);
    expect(await call(true)).toBe(200);
  });
});
