import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { attackedBody, bodyAttack } from '../support/hostile.js';
import { fuzz } from '../support/fuzz.js';
import { nameOf, Surface } from '../support/surface.js';

// Many requests: a machine that does much else needs its time.

/** Requests of each test, shared by all routes. */
const RUNS = 600;

let surface: Surface;
beforeAll(async () => {
  surface = await Surface.start();
});
afterAll(() => surface.stop());

const writing = () => surface.routes.filter(({ method }) => method !== 'get');

const TYPES = [
  ...[
    'application/json',
    'application/json; charset=utf-8',
    'application/json; charset=utf-16',
    'application/merge+json',
  ],
  ...[
    'application/json; charset=latin1',
    'application/json; charset=nonsense',
    'application/json;;',
    'APPLICATION/JSON',
  ],
  ...['text/plain', 'text/html', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'x', '*/*'],
];
const ENCODINGS = ['', 'identity', 'gzip', 'deflate', 'br', 'zstd', 'gzip, gzip', 'nonsense'];

/** Texts that are no JSON object, or hardly. */
const TEXTS = [
  ...['', ' ', '{', '}', '{"a":', '[', '"', 'null', 'true', '0', '1e999', '""', '[]', '{}{}', '{"a":1,}', "{'a':1}"],
  ...[
    '\ufeff{}',
    '// x\n{}',
    '{"a":01}',
    '{"a":NaN}',
    '{"\\u0000":1}',
    '{"a":"\\ud800"}',
    '{"a":1,"a":2}',
    '<x/>',
    'a=b',
  ],
  ...[
    '['.repeat(40_000),
    '{"a":'.repeat(20_000),
    `[${'0,'.repeat(40_000)}0]`,
    `"${'a'.repeat(120_000)}"`,
    '{"__proto__":{}}',
  ],
];

/** 20 MB of spaces, on the line 20 kB. */
const BOMB = gzipSync(Buffer.alloc(20_000_000, 0x20));

const bytes = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...TEXTS).map((text) => Buffer.from(text)) },
  { weight: 2, arbitrary: fc.uint8Array({ maxLength: 60 }).map((array) => Buffer.from(array)) },
  { weight: 1, arbitrary: fc.constant(Buffer.from('{"name":"x"}', 'utf16le')) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(gzipSync, deflateSync, brotliCompressSync).map((pack) => pack('{"name":"x"}')),
  },
);

describe('every route that writes', () => {
  it('refuses or takes bodies whose fields are of any kind', async () => {
    const routes = writing();
    for (const route of routes) {
      const caller = await surface.caller(route);
      const attacks = bodyAttack(Object.keys(surface.body(route, caller) ?? {}));
      await fuzz(nameOf(route), RUNS / routes.length, attacks, (attack) =>
        surface.attack(route, { body: (good) => attackedBody(good, attack) }),
      );
    }
    expect(surface.seen.get(422)).toBeGreaterThan(100);
  });

  it('survives bytes, types and encodings that are not JSON', async () => {
    const routes = writing();
    const anything = fc.record({
      body: bytes,
      type: fc.constantFrom(...TYPES),
      encoding: fc.constantFrom(...ENCODINGS),
    });
    const json = { type: fc.constant('application/json') };
    const requests = fc.oneof(
      { weight: 2, arbitrary: anything },
      { weight: 2, arbitrary: fc.record({ ...json, body: bytes, encoding: fc.constant('') }) },
      { weight: 1, arbitrary: fc.record({ ...json, body: fc.constant(BOMB), encoding: fc.constant('gzip') }) },
    );
    for (const route of routes) {
      await fuzz(nameOf(route), RUNS / routes.length, requests, ({ body, type, encoding }) => {
        const headers = { 'content-type': type, ...(encoding !== '' && { 'content-encoding': encoding }) };
        return surface.attack(route, { body, headers });
      });
    }
    for (const status of [400, 413, 415, 422]) expect([...surface.seen.keys()]).toContain(status);
  });

  it.each(['PUT', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND'])('answers %s with or without a body', async (method) => {
    for (const route of surface.routes) {
      const offered = surface.routes.some(
        (other) => other.path === route.path && other.method.toUpperCase() === method,
      );
      if (offered) continue;
      expect([nameOf(route), await surface.attack(route, { method, body: Buffer.from('{"a"') })]).toEqual([
        nameOf(route),
        null,
      ]);
    }
  });
});
