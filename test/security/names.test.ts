import type { PortalRoute } from '../../src/api/index.js';
import { Developer } from '../support/apps.js';
import { createAdmin, createProduct } from '../support/factories.js';
import { issueTokens } from '../support/tokens.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

/** Each as it stands in the path. All are one segment to a URL parser. */
const NOBODY = [
  ...['..%2f..%2fetc%2fpasswd', '%2e%2e%2f', '..%5c', '%252e%252e', '%2f', '%5c', '~', '.%2f', '...'],
  ...['%00', 'shop%00', 'one%00.json', '%0d%0aX-Evil:1', '%0a', '%7f', '%e2%80%ae', '%ef%bb%bf'],
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '__defineGetter__', 'null', 'undefined'],
  ...[
    'true',
    '[object%20Object]',
    '%7b%7d',
    '%5b%5d',
    '*',
    '%25',
    '%25%27',
    "'%20or%20'1'%3d'1",
    '%60',
    '%3c',
    ';',
    '-',
  ],
  ...[
    'NaN',
    'Infinity',
    '-1',
    '0',
    '1e0',
    '0x1',
    '01',
    '1.0',
    '%2b1',
    '1%20',
    '%201',
    '1%00',
    '%ef%bc%91',
    '9'.repeat(30),
  ],
  ...['n%C3%B6body', '%F0%9F%92%A9', 'x'.repeat(101), '%e9%99%a2'.repeat(100)],
];
/** Not UTF-8 once decoded, or not decodable at all. */
const BROKEN = ['%', '%zz', '%c0%ae%c0%ae', '%ff', '%ed%a0%80', 'a%2'];

let test: TestPortal;
let ada: Developer;
let adminToken: string;
/** Real values, so that only the parameter under attack is wrong. */
let real: Record<string, string>;

beforeAll(async () => {
  test = await startTestPortal();
  await test.portal.services.rbac.seed();
  await createProduct(test, { slug: 'payments' });
  await test.portal.services.site.menus.create({ slug: 'header', name: 'Header', items: [] });
  ada = await Developer.create(test);
  const { id } = await ada.createApp('shop', ['payments']);
  const credential = await ada.get('/shop/credentials');
  real = { appName: 'shop', id: String(credential.json.data[0].id), product: 'payments' };
  expect(id).toBe(Number(real.id));
  adminToken = (await issueTokens(test, (await createAdmin(test, { roles: ['super_admin'] })).id, 'admin')).accessToken;
});
afterAll(() => test.stop());

interface Door {
  route: PortalRoute;
  parameter: string;
  path: (name: string) => string;
}

function doors(): Door[] {
  return test.portal.routes.flatMap((route) => {
    const path = test.portal.pathOf(route);
    const parameters = path.match(/:\w+/g) ?? [];
    return parameters.map((parameter) => ({
      route,
      parameter,
      path: (name: string) =>
        path.replace(/:\w+/g, (other) => (other === parameter ? name : (real[other.slice(1)] ?? '1'))),
    }));
  });
}

const tokenFor = ({ context }: PortalRoute): string => (context === 'admin' ? adminToken : ada.token);
const call = (route: PortalRoute, path: string) =>
  test.client.send(route.method.toUpperCase(), path, { token: tokenFor(route) });

describe('a name in a path', () => {
  it('that nothing can have is missing, with the same bytes everywhere (S56)', async () => {
    const bodies = new Set<string>();
    const all = doors();
    expect(all.length).toBeGreaterThan(20);
    for (const { route, path } of all) {
      const answers = await Promise.all(NOBODY.map((name) => call(route, path(name))));
      const outcomes = answers.map(({ status }, index) => [route.method, path(NOBODY[index] ?? ''), status]);
      expect(outcomes.filter(([, , status]) => status !== 404)).toEqual([]);
      for (const { text } of answers) bodies.add(text);
    }
    expect([...bodies]).toEqual([
      '{"success":false,"status":404,"message":"Resource not found.","errors":{},"meta":null}',
    ]);
  });

  it('that does not decode is a malformed request', async () => {
    for (const { route, path } of doors()) {
      for (const name of BROKEN) {
        const answer = await call(route, path(name));
        expect([path(name), answer.status, answer.json.message]).toEqual([path(name), 400, 'Malformed request.']);
      }
    }
  });

  it('leaves its place in no spelling of a dot segment', async () => {
    for (const path of [
      '/api/v1/api-products/..',
      '/api/v1/me/apps/../../admin/users',
      '/api/v1/api-products/%2e%2e/',
    ]) {
      const answer = await test.client.rawRequest(
        `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${ada.token}\r\nConnection: close\r\n\r\n`,
      );
      expect(answer).toMatch(/^HTTP\/1\.1 404 /);
    }
  });
});

describe('a name that looks like one that is there', () => {
  const lookalikes = (name: string): string[] => [
    `${name}%20`,
    `%20${name}`,
    `${name}%09`,
    `${name}%00`,
    `${name}%C2%AD`,
    `${name}%E2%80%8B`,
    name.replace('e', '%C3%A9').replace('o', '%C3%B3'),
    name.replace('e', 'e%CC%81').replace('o', 'o%CC%81'),
    encodeURIComponent(name.replace(/[a-z]/, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0))),
    name.replace('a', '%D0%B0').replace('o', '%D0%BE'),
  ];

  it.each([
    ['/api/v1/api-products/', 'payments'],
    ['/api/v1/menus/', 'header'],
    ['/api/v1/me/apps/', 'shop'],
  ])('is another one on every database: %s', async (prefix, name) => {
    const get = (path: string) => test.client.get(path, { token: ada.token });
    expect((await get(prefix + name)).status).toBe(200);
    for (const other of lookalikes(name)) expect([other, (await get(prefix + other)).status]).toEqual([other, 404]);
  });

  it('opens no product at the door of a gateway', async () => {
    const { key } = await ada.createApp('door', ['payments']);
    const at = (slug: string) => test.client.get(`/gateway/verify/${slug}`, { headers: { 'x-api-key': key } });
    expect((await at('payments')).status).toBe(200);
    for (const slug of [...lookalikes('payments'), 'PAYMENTS', '1', '__proto__', '..%2fpayments', '%2d', '%zz']) {
      expect([slug, (await at(slug)).status]).toEqual([slug, 403]);
    }
  });

  it('belongs to one app of a developer whatever its case', async () => {
    expect((await ada.get('/SHOP')).json.data.name).toBe('shop');
    const taken = await ada.post('', { name: 'Shop' });
    expect([taken.status, Object.keys(taken.json.errors)]).toEqual([422, ['name']]);
  });
});
