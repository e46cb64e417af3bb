import { createHash } from 'node:crypto';
import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { LargeBodies } from '../../src/http/answer/large-bodies.js';
import { ServiceUnavailableError } from '../../src/core/index.js';
import { insertProduct } from '../support/insert-product.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

/** More than systems keep for a client that does not read. */
const LONG = 12_000_000;
const READERS = 20;
/** What may wait for one reader: a piece and the head of the answer. */
const MOST_WAITING = 40_000;
const DOWNLOADS = {
  'the API': (slug: string) => `/api/v1/api-products/${slug}/spec`,
  'the pages': (slug: string) => `/portal/products/${slug}/spec?download=json`,
};

let test: TestPortal;
let server: Server;
const sockets = new Set<Socket>();
const readers = new Set<IncomingMessage>();

beforeAll(async () => {
  test = await startTestPortal({ config: { http: { answerMemory: LONG } } });
  for (const slug of ['one', 'two']) await insertDocument(slug);
  server = createServer(test.portal.handler);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => leave());
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  await test.stop();
});

async function insertDocument(slug: string): Promise<void> {
  const { database } = test.portal;
  const document = JSON.stringify({ openapi: '3.1.0', info: { title: slug, description: 'é'.repeat(LONG / 2) } });
  const hash = createHash('sha256').update(document).digest('hex');
  await insertProduct(database, slug);
  const sql = `INSERT INTO portal_product_specs (product_id, document, updated_at)
    SELECT id, ?, updated_at FROM portal_products WHERE slug = ?`;
  await database.execute(sql, [document, slug]);
  await database.execute('UPDATE portal_products SET spec_hash = ? WHERE slug = ?', [hash, slug]);
}

/** Asks, and reads no more than the head of the answer. */
function ask(
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
  at: Server = server,
): Promise<IncomingMessage> {
  const { port } = at.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (answer) => {
      readers.add(answer);
      resolve(answer);
    })
      .on('error', reject)
      .end();
  });
}

/** Everybody goes without having read. */
async function leave(): Promise<void> {
  const gone = [...sockets].map((socket) => new Promise<void>((resolve) => socket.once('close', () => resolve())));
  for (const answer of readers) answer.destroy();
  readers.clear();
  await Promise.all(gone);
}

describe.each(Object.entries(DOWNLOADS))('a large document of %s', (_door, addressOf) => {
  it('costs its memory once, however many do not read it', async () => {
    const answers = await Promise.all(Array.from({ length: READERS }, () => ask(addressOf('one'))));
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
    const waiting = [...sockets].map((socket) => socket.writableLength);
    expect(waiting).toHaveLength(READERS);
    expect(Math.max(...waiting)).toBeLessThan(MOST_WAITING);
  });

  it('does not keep others waiting: a piece is sent in each round of the event loop', async () => {
    const answer = await ask(addressOf('one'));
    const [socket] = sockets;
    let sent = socket?.bytesWritten ?? 0;
    let most = 0;
    const isRead = text(answer);
    let isOver = false;
    void isRead.then(() => (isOver = true));
    while (!isOver) {
      await new Promise((resolve) => setImmediate(resolve));
      most = Math.max(most, (socket?.bytesWritten ?? 0) - sent);
      sent = socket?.bytesWritten ?? 0;
    }
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThan(2 * MOST_WAITING);
  });

  it('arrives whole at who reads, with its length', async () => {
    const answer = await ask(addressOf('one'));
    const body = await text(answer);
    expect(Number(answer.headers['content-length'])).toBe(Buffer.byteLength(body));
    expect(JSON.parse(body)).toMatchObject({ info: { title: 'one', description: 'é'.repeat(LONG / 2) } });
    const head = await ask(addressOf('one'), {}, 'HEAD');
    expect([head.statusCode, await text(head)]).toEqual([200, '']);
  });

  it('is put off while readers of another one fill the memory for them', async () => {
    await ask(addressOf('one'));
    const refused = await ask(addressOf('two'), { accept: 'application/json' });
    const { message } = JSON.parse(await text(refused)) as { message: string };
    expect([refused.statusCode, refused.headers['retry-after'], message]).toEqual([503, '5', 'Service unavailable.']);
    expect(refused.headers.etag).toBeUndefined();
    expect(await ask(addressOf('one'))).toMatchObject({ statusCode: 200 });
    await leave();
    expect(await ask(addressOf('two'))).toMatchObject({ statusCode: 200 });
  });
});

describe('a document that is put off', () => {
  it('is told to people in a page', async () => {
    await ask(DOWNLOADS['the pages']('one'));
    const refused = await ask(DOWNLOADS['the pages']('two'), { accept: 'text/html' });
    expect([refused.statusCode, refused.headers['content-type']]).toEqual([503, 'text/html; charset=utf-8']);
    await text(refused);
  });
});

describe('a reader that takes nothing', () => {
  it('is cut off after http.sendTimeout', async () => {
    const impatient = await startTestPortal({ databaseUrl: test.databaseUrl, config: { http: { sendTimeout: 1 } } });
    const strict = createServer(impatient.portal.handler);
    await new Promise<void>((resolve) => strict.listen(0, '127.0.0.1', resolve));
    const cut = new Promise<void>((resolve) => {
      strict.once('connection', (socket: Socket) => socket.once('close', () => resolve()));
    });
    await ask(DOWNLOADS['the API']('one'), {}, 'GET', strict);
    await cut;
    await new Promise((resolve) => strict.close(resolve));
    await impatient.stop();
  });
});

describe('the documents of a product', () => {
  it('are the same bytes for everybody, read once', async () => {
    const { products } = test.portal.services.catalog;
    const everybody = await Promise.all(
      Array.from({ length: READERS }, () => products.spec('one', { kind: 'anonymous' })),
    );
    expect(new Set(everybody.map(({ document }) => document)).size).toBe(1);
  });
});

describe('the memory of large answers', () => {
  it('is counted by buffer, given back once, and refused beyond the bound', () => {
    const bodies = new LargeBodies(100);
    const [one, two] = [Buffer.alloc(60, 1), Buffer.alloc(60, 2)].map((bytes) =>
      Buffer.from(new Uint8Array(bytes).buffer),
    );
    const first = bodies.hold(one as Buffer);
    const second = bodies.hold((one as Buffer).subarray(10));
    expect(bodies.size).toBe(60);
    expect(() => bodies.hold(two as Buffer)).toThrow(ServiceUnavailableError);
    first();
    first();
    expect(bodies.size).toBe(60);
    second();
    expect(bodies.size).toBe(0);
    bodies.hold(two as Buffer);
    expect(bodies.size).toBe(60);
  });

  it('is given to a single one that is larger than the bound', () => {
    const bodies = new LargeBodies(10);
    bodies.hold(Buffer.from(new ArrayBuffer(50)));
    expect(bodies.size).toBe(50);
  });
});
