import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConfigurationError, ValidationError } from '../../src/core/index.js';
import { OutboundFetcher, type OutboundSettings } from '../../src/outbound/index.js';

const REFUSED = { url: ['URL not allowed or not reachable.'] };

let hits = 0;
let server: Server;
let port = 0;
const answers: Record<string, RequestListener> = {
  '/spec': (_request, response) => response.end('hello'),
  '/redirect': (_request, response) => response.writeHead(302, { location: `http://127.0.0.1:${port}/spec` }).end(),
  '/missing': (_request, response) => response.writeHead(404).end('nothing'),
  '/zipped': (_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('x'),
  '/announced': (_request, response) => response.writeHead(200, { 'content-length': '5000' }).end('x'.repeat(5000)),
  '/endless': (_request, response) => {
    response.write('x'.repeat(3000));
    response.write('x'.repeat(3000));
  },
  '/broken': (_request, response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('half');
    setImmediate(() => response.destroy());
  },
  '/silent': () => undefined,
};
beforeAll(async () => {
  server = createServer((request, response) => {
    hits += 1;
    answers[request.url ?? '']?.(request, response);
  });
  server.on('connection', () => (hits += 1));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function errorsOf(url: string, settings: Partial<OutboundSettings> = {}, maxBytes?: number) {
  const error: unknown = await new OutboundFetcher({ allow: [], ...settings })
    .fetch(url, { maxBytes })
    .catch((caught: unknown) => caught);
  if (!(error instanceof ValidationError)) throw new Error('the address was not refused', { cause: error });
  return error.errors;
}

describe('an address that somebody typed (S63)', () => {
  it.each([
    'localhost',
    'localhost.',
    '127.0.0.1',
    '127.1',
    '0x7f000001',
    '2130706433',
    '017700000001',
    '①②⑦.0.0.1',
    '0',
    '[::1]',
    '[::]',
    '[::ffff:7f00:1]',
    '[::ffff:127.0.0.1]',
    '[::7f00:1]',
    '[64:ff9b::7f00:1]',
    '[64:ff9b:1::7f00:1]',
    '[2002:7f00:1::]',
    '[2001:0:7f00:1::]',
    '[fe80::1]',
    '[fc00::1]',
    '[ff02::1]',
    '10.0.0.1',
    '100.64.0.1',
    '169.254.169.254',
    '172.16.0.1',
    '192.168.0.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '168.63.129.16',
  ])('never reaches %s', async (host) => {
    const before = hits;
    for (const url of [`https://${host}:${port}/spec`, `https://${host}:8443/`, `https://${host}/`]) {
      expect([url, await errorsOf(url)]).toEqual([url, REFUSED]);
    }
    expect(hits).toBe(before);
  });

  it.each([
    'http://example.com/',
    'https://user:pass@example.com/',
    'https://user@example.com/',
    'https://example.com:22/',
    'https://example.com:6379/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'data:text/plain,x',
    'javascript:alert(1)',
    '//example.com/',
    'example.com',
    '',
    'https://',
    `https://example.com/${'x'.repeat(2048)}`,
  ])('is not asked when it is %s', async (url) => {
    const resolved: string[] = [];
    const resolve = (host: string) => {
      resolved.push(host);
      return Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
    };
    expect(await errorsOf(url, { resolve })).toEqual(REFUSED);
  });

  it('is refused when one of its addresses is private', async () => {
    const resolve = () =>
      Promise.resolve([
        { address: '93.184.216.34', family: 4 },
        { address: '127.0.0.1', family: 4 },
      ]);
    expect(await errorsOf('https://mixed.example/', { resolve })).toEqual(REFUSED);
  });

  it('gains nothing from a resolver that changes its mind', async () => {
    const before = hits;
    let asked = 0;
    const resolve = () => {
      asked += 1;
      // TEST-NET of another family of rules would be refused; a public address that nobody answers at is connected to.
      return Promise.resolve([{ address: asked === 1 ? '192.0.9.1' : '127.0.0.1', family: 4 }]);
    };
    expect(await errorsOf(`https://rebinding.example:8443/`, { resolve, deadline: 50 })).toEqual(REFUSED);
    expect([asked, hits]).toEqual([1, before]);
  });

  it('is not waited for longer than its time, whatever is slow', async () => {
    const never = () => new Promise<never>(() => undefined);
    expect(await errorsOf('https://slow.example/', { resolve: never, deadline: 20 })).toEqual(REFUSED);
    const allow = ['127.0.0.1'];
    expect(await errorsOf(`http://127.0.0.1:${port}/silent`, { allow, deadline: 50 })).toEqual(REFUSED);
  });
});

describe('an address of outbound.allow', () => {
  it.each([
    ['a host', ['specs.internal'], 'specs.internal'],
    ['a network', ['127.0.0.0/8'], 'specs.internal'],
    ['an address', ['127.0.0.1'], '127.0.0.1'],
  ])('is fetched: %s', async (_what, allow, host) => {
    const resolve = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
    const body = await new OutboundFetcher({ allow, resolve }).fetch(`http://${host}:${port}/spec`);
    expect(body.toString()).toBe('hello');
  });

  const allow = ['127.0.0.1'];

  it.each(['/redirect', '/missing', '/zipped', '/broken'])(
    'that answers with %s counts as not reachable',
    async (path) => {
      expect(await errorsOf(`http://127.0.0.1:${port}${path}`, { allow })).toEqual(REFUSED);
    },
  );

  it.each(['/announced', '/endless'])('is read up to the size that was allowed: %s', async (path) => {
    const errors = await errorsOf(`http://127.0.0.1:${port}${path}`, { allow }, 4000);
    expect(errors).toEqual({ url: ['The answer is larger than 4000 bytes.'] });
  });

  it('still may not carry a user name', async () => {
    expect(await errorsOf(`http://ada@127.0.0.1:${port}/spec`, { allow })).toEqual(REFUSED);
  });

  it('must be one', () => {
    for (const entry of ['10.0.0.0/99', 'example.com/24', '::1/200']) {
      expect(() => new OutboundFetcher({ allow: [entry] })).toThrow(ConfigurationError);
    }
  });
});
