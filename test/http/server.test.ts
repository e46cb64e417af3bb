import { once } from 'node:events';
import { request, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { startServer, type RunningServer } from '../../src/http/index.js';

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const LONG = 20_000_000;

const start = (listener: RequestListener, more: { drainDelay?: number; onDrain?: () => void } = {}) =>
  startServer(listener, { host: '127.0.0.1', port: 0, onDrain: () => undefined, ...more });

function ask({ address: { port } }: RunningServer): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request({ port, host: '127.0.0.1', agent: false, headers: { connection: 'keep-alive' } }, resolve)
      .on('error', reject)
      .end();
  });
}

function received(client: Socket): Promise<string> {
  let all = '';
  client.on('data', (chunk) => (all += chunk.toString()));
  return new Promise((resolve) => {
    client.once('close', () => resolve(all)).once('error', (error) => resolve(error.message));
  });
}

describe('a server that ends (R03)', () => {
  it('sends the whole of an answer to who reads slowly', async () => {
    let answered = (): void => undefined;
    const isAnswered = new Promise<void>((resolve) => (answered = resolve));
    const server = await start((_request, response) => {
      response.end(Buffer.alloc(LONG));
      answered();
    });
    const socket = connect(server.address.port, '127.0.0.1', () => socket.write(GET));
    await isAnswered;
    const closed = server.close();
    let received = 0;
    socket.on('data', (chunk) => (received += chunk.length));
    await once(socket, 'close');
    await closed;
    expect(received).toBeGreaterThan(LONG);
  });

  it('says so in answers that are under way, and keeps no connection on which it could not', async () => {
    const begun: ServerResponse[] = [];
    const server = await start((_request, response) => {
      begun.push(response);
      if (begun.length === 2) response.write('a');
    });
    const [early, late] = [ask(server), ask(server)];
    while (begun.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    const closed = server.close();
    for (const response of begun) response.end('b');
    const [first, second] = await Promise.all([early, late]);
    expect([first.headers.connection, await text(first)]).toEqual(['close', 'b']);
    expect([second.headers.connection, await text(second)]).toEqual(['keep-alive', 'ab']);
    await closed;
  });

  it('answers for as long as load balancers need to find out, each time for the last time', async () => {
    let isDraining = false;
    const onDrain = () => (isDraining = true);
    const server = await start((_request, response) => response.end(String(isDraining)), { drainDelay: 1, onDrain });
    const before = await ask(server);
    expect([before.headers.connection, await text(before)]).toEqual(['keep-alive', 'false']);
    const closed = server.close();
    const during = await ask(server);
    expect([during.headers.connection, await text(during)]).toEqual(['close', 'true']);
    await closed;
    await expect(ask(server)).rejects.toThrow('ECONNREFUSED');
  });

  it('answers everybody whom the system has let in, also those it has not taken yet', async () => {
    const server = await start((_request, response) => response.end('all'));
    const clients = Array.from({ length: 50 }, () => connect(server.address.port, '127.0.0.1'));
    const answers = clients.map(received);
    for (const client of clients) client.write(GET);
    await once(clients[0] as Socket, 'connect');
    await server.close();
    expect((await Promise.all(answers)).filter((answer) => !answer.endsWith('all'))).toEqual([]);
  });

  it('finds the moment to stop listening also when every answer brings its client back', async () => {
    const server = await start((_request, response) => void setImmediate(() => response.end()));
    const ends = Array.from({ length: 20 }, async () => {
      for (;;) await ask(server);
    });
    const outcomes = Promise.allSettled(ends);
    await ask(server);
    await server.close();
    const reasons = (await outcomes).map((outcome) =>
      'reason' in outcome ? (outcome.reason as { code: string }).code : '',
    );
    expect(new Set(reasons)).toEqual(new Set(['ECONNREFUSED']));
  });

  it('waits a second for what connected and never asked, not longer', async () => {
    const server = await start((_request, response) => response.end());
    const ahead = connect(server.address.port, '127.0.0.1');
    await once(ahead, 'connect');
    await ask(server);
    const began = performance.now();
    await server.close();
    // What asked and is not answered gets 25 s.
    expect(performance.now() - began).toBeLessThan(20_000);
  });

  it('closes at once when nobody was sent to it', async () => {
    const server = await start(() => undefined, { drainDelay: 60 });
    await server.close({ atOnce: true });
  });
});
