import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { inTurn, MOST_UNANSWERED } from '../../src/http/in-turn.js';
import { StalledSockets } from '../../src/http/stalled-sockets.js';
import { exchange } from '../support/raw-http.js';

const GET = (path: string, more = '') => `GET /${path} HTTP/1.1\r\nHost: a\r\n${more}\r\n`;
const LAST = 'Connection: close\r\n';
const PATIENCE_MS = 30_000;
/** More than systems keep for a client that does not read. */
const LONG = 40_000_000;

let server: Server;
let stalled: StalledSockets;
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function start(listener: RequestListener): Promise<number> {
  stalled = new StalledSockets(PATIENCE_MS);
  server = createServer(inTurn(listener, stalled));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

describe('requests that a client sends without waiting for answers', () => {
  it('are answered one after the other, in their order', async () => {
    const begun: string[] = [];
    let atOnce = 0;
    let most = 0;
    const port = await start((request, response) => {
      begun.push(request.url ?? '');
      most = Math.max(most, (atOnce += 1));
      setImmediate(() => {
        atOnce -= 1;
        response.end(request.url);
      });
    });
    const paths = Array.from({ length: MOST_UNANSWERED }, (_, index) => `n${index}`);
    const received = await exchange(
      port,
      paths.map((path, index) => GET(path, index === paths.length - 1 ? LAST : '')).join(''),
    );
    expect(begun).toEqual(paths.map((path) => `/${path}`));
    expect(received.match(/(?<=\/)n\d+/g)).toEqual(paths);
    expect(most).toBe(1);
  });

  it('are not worked on when they are too many: their connection is closed', async () => {
    let begun = 0;
    const port = await start((_request, response) => {
      begun += 1;
      setImmediate(() => response.end());
    });
    await exchange(port, GET('').repeat(2_000));
    expect(begun).toBe(1);
  });

  it('are not worked on once the client is gone', async () => {
    const begun: ServerResponse[] = [];
    const port = await start((_request, response) => begun.push(response));
    const client = connect(port, '127.0.0.1', () => client.write(GET('').repeat(10)));
    const [socket] = (await once(server, 'connection')) as [Socket];
    await once(server, 'request');
    client.destroy();
    await once(socket, 'close');
    begun[0]?.end();
    await new Promise((resolve) => setImmediate(resolve));
    expect(begun).toHaveLength(1);
  });

  it('do not begin after an answer that closes the connection', async () => {
    let begun = 0;
    const port = await start((_request, response) => {
      begun += 1;
      response.setHeader('Connection', 'close').end();
    });
    await exchange(port, GET('').repeat(10));
    expect(begun).toBe(1);
  });

  it('with a body are read in their turn', async () => {
    const port = await start((request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += String(chunk))).on('end', () => response.end(`[${body}]`));
    });
    const post = (body: string, more = '') =>
      `POST / HTTP/1.1\r\nHost: a\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`;
    const long = 'x'.repeat(300_000);
    const received = await exchange(port, post('one') + post(long) + post('three', LAST));
    expect(received.match(/\[\w+\]/g)).toEqual(['[one]', `[${long}]`, '[three]']);
  });
});

describe('a client that does not read its answer (R31)', () => {
  async function stall(port: number): Promise<{ client: Socket; socket: Socket }> {
    const client = connect(port, '127.0.0.1', () => client.write(GET('')));
    client.pause();
    const [socket] = (await once(server, 'connection')) as [Socket];
    return { client, socket };
  }

  it('is cut off when it took nothing for as long as it may', async () => {
    const port = await start((_request, response) => response.end(Buffer.alloc(LONG)));
    const { socket } = await stall(port);
    await once(server, 'request');
    const now = performance.now();
    stalled.look(now);
    stalled.look(now + PATIENCE_MS - 1);
    expect(socket.destroyed).toBe(false);
    stalled.look(now + PATIENCE_MS + 1);
    expect(socket.destroyed).toBe(true);
  });

  it('is left alone while it takes a little now and then, and while it waits for us', async () => {
    const answers: ServerResponse[] = [];
    const port = await start((_request, response) => answers.push(response));
    const { client, socket } = await stall(port);
    await once(server, 'request');
    const [answer] = answers;
    let now = performance.now();
    const later = () => stalled.look((now += PATIENCE_MS));
    later();
    later();
    expect(socket.destroyed).toBe(false);
    // Until the system takes no more.
    for (let more = true; more;) more = answer?.write(Buffer.alloc(1_000_000)) === true || (await isTaken(answer));
    later();
    client.resume();
    await once(answer as ServerResponse, 'drain');
    later();
    expect(socket.destroyed).toBe(false);
  });
});

/** Whether what was written goes out without anybody reading. */
async function isTaken(answer: ServerResponse | undefined): Promise<boolean> {
  for (let round = 0; round < 50; round += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    if (answer?.writableNeedDrain === false) return true;
  }
  return false;
}
