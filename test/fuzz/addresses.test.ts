import fc from 'fast-check';
import { routePath } from '../../src/http/index.js';
import { hostileSegment, hostileText, wellFormed } from '../support/hostile.js';
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

const LIST_NAMES = ['page', 'per_page', 'order_by', 'direction', 'with', 'filters', 'q', 'cursor', 'locale'];
const name = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...LIST_NAMES) }, hostileSegment);
const pair = fc.tuple(name, fc.constantFrom('=', '=', '=', '', '[]=', '[$ne]=', '[__proto__]='), hostileSegment);
/** With names that come twice, brackets, halves of escapes and empty pieces. */
const query = fc
  .array(pair, { maxLength: 5 })
  .map((pairs) => `?${pairs.map((parts) => parts.join('')).join('&')}${pairs.length > 3 ? '&&=&' : ''}`);

const HEADERS = [
  ...['accept', 'accept-language', 'if-match', 'if-none-match', 'idempotency-key', 'x-request-id', 'user-agent'],
  ...['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'origin', 'cookie', 'content-type', 'range'],
];
// What the client library lets through; the bytes beyond are tested on the socket itself.
const headerValue = fc.oneof(
  hostileText.map((text) => text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '?').slice(0, 4000)),
  fc.constantFrom(
    '*',
    '"',
    'W/"x"',
    '*/*;q=x',
    'en;q=9,*;q=-1',
    `${'a,'.repeat(1500)}`,
    'bytes=0-',
    'null',
    '"1"',
    'gzip;q=0',
  ),
);

describe('every route', () => {
  it('takes any path parameters for a missing record', async () => {
    const routes = surface.routes.filter(({ path }) => path.includes(':'));
    const values = fc.array(
      hostileSegment.filter((text) => text !== ''),
      { minLength: 1, maxLength: 3 },
    );
    for (const route of routes) {
      const names = [...route.path.matchAll(/:(\w+)/g)].map(([, found = '']) => found);
      const attacked = fc.tuple(fc.constantFrom(...names), values);
      await fuzz(nameOf(route), RUNS / routes.length, attacked, ([first, texts]) => {
        const order = [first, ...names.filter((other) => other !== first)];
        const parameters = Object.fromEntries(
          texts.slice(0, names.length).map((text, index) => [order[index] ?? '', text]),
        );
        return surface.attack(route, { parameters });
      });
    }
    for (const status of [400, 404]) expect([...surface.seen.keys()]).toContain(status);
  });

  it('refuses or ignores queries of any kind', async () => {
    const { routes } = surface;
    for (const route of routes)
      await fuzz(nameOf(route), RUNS / routes.length, query, (text) => surface.attack(route, { query: text }));
    expect(surface.seen.get(422)).toBeGreaterThan(20);
  });

  it('survives headers of any kind', async () => {
    const { routes } = surface;
    const headers = fc.dictionary(fc.constantFrom(...HEADERS), headerValue, { minKeys: 1, maxKeys: 3 });
    for (const route of routes) {
      await fuzz(nameOf(route), RUNS / routes.length, headers, (sent) => surface.attack(route, { headers: sent }));
    }
  });

  it('takes any bearer for nobody', async () => {
    const tokens = hostileText.map((text) => `Bearer ${text.replace(/[^\x20-\x7e\x80-\xff]/g, '?').slice(0, 6000)}`);
    const routes = surface.routes.filter(({ auth }) => auth !== 'none');
    for (const route of routes) {
      await fuzz(nameOf(route), 200 / routes.length, tokens, (authorization) =>
        surface.attack(route, { headers: { authorization } }),
      );
    }
  });
});

describe('addresses that are no route', () => {
  it('are not found', async () => {
    const prefixes = [
      ...new Set(surface.routes.map((route) => routePath(route, surface.test.portal.config.portalApi))),
    ];
    const paths = fc.tuple(
      fc.constantFrom(...prefixes),
      fc.array(hostileSegment, { maxLength: 3 }),
      fc.constantFrom('', '/', '//'),
    );
    await fuzz('addresses', 300, paths, async ([prefix, segments, end]) => {
      const path = `${prefix.replace(/:\w+/g, () => segments[0] ?? '1')}/${wellFormed(segments.join('/'))}${end}`;
      const answer = await surface.test.client.sendAsItIs('GET', path, {});
      return answer.status < 500 && !/<html|<!doctype/i.test(answer.text)
        ? null
        : `${path}: ${answer.text.slice(0, 300)}`;
    });
  });
});
