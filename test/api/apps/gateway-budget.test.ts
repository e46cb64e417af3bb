import { configureGateway, GatewayUnavailableError, type GatewayContext } from '../../../src/gateway/index.js';
import { themePages } from '../../../src/theme/index.js';
import { Admin } from '../../support/admin.js';
import { Developer, verify } from '../../support/apps.js';
import { CountingGateway } from '../../support/counting-gateway.js';
import { createPlan, createProduct, PASSWORD } from '../../support/factories.js';
import { PageClient } from '../../support/page-client.js';
import { createTeam } from '../../support/teams.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

const APPS = 500;
const PRODUCTS = 35;
/** Of the developer with many products, as many as a page of a list shows. */
const WIDE_APPS = 20;
/** More than the routes and pages of apps may ever declare (issue 8). */
const MOST_CALLS = 2;
const slug = (number: number) => `product-${String(number).padStart(2, '0')}`;

let test: TestPortal;
let gateway: CountingGateway;
let many: Developer;
let wide: Developer;
let admin: Admin;
let override: number;
let reset: number;
let transfer: number;

beforeAll(async () => {
  test = await startTestPortal({
    config: {
      gateway: { driver: 'counted' },
      verify: { enabled: true },
      limits: { ip: { requests: { max: 100_000 } } },
    },
    extensions: {
      gatewayDrivers: {
        counted: async (context: GatewayContext) => {
          gateway = new CountingGateway(await configureGateway('local', context).open());
          return gateway.driver;
        },
      },
    },
  });
  await createPlan(test, { slug: 'free' }, { quotaPerDay: 10 });
  for (let number = 0; number < PRODUCTS; number += 1)
    await createProduct(test, { slug: slug(number), plans: number === 0 ? ['free'] : [] });
  [many, wide, admin] = [await Developer.create(test), await Developer.create(test), await Admin.create(test)];
  const { apps, transfers } = test.portal.services.apps;
  const all = Array.from({ length: PRODUCTS }, (_, number) => slug(number));
  for (let number = 0; number < APPS; number += 1) {
    await apps.create(
      many.user,
      { name: `app-${number}`, products: [slug(0)] },
      { type: 'developer', id: many.user.id },
    );
  }
  for (let number = 0; number < WIDE_APPS; number += 1) {
    await apps.create(wide.user, { name: `wide-${number}`, products: all }, { type: 'developer', id: wide.user.id });
  }
  const raised = { product: slug(0), raised: { quotaPerDay: 20 }, isExempt: false, endsAt: null, reason: 'A sale.' };
  const { limits } = test.portal.services.apps;
  const owned = await apps.find(many.user, 'app-7');
  override = (await limits.start(owned, raised, { type: 'admin', id: 1 })).override.id;
  const again = { product: slug(0), reason: 'An outage.' };
  const team = await createTeam(test, many.user);
  const to = await test.portal.services.teams.teams.accountOf(team);
  transfer = (await transfers.offer(owned, to, { type: 'developer', id: many.user.id })).id;
  reset = (await test.portal.services.usage.resetQuotas(owned, again, { type: 'admin', id: 1 })).reset.id;
});
afterAll(() => test.stop());

/** Fills in what a path leaves open. */
function filled(path: string, key: number): string {
  const values: Record<string, string> = {
    appName: 'app-7',
    id: String(path.includes('/overrides/') ? override : path.includes('/quota-resets/') ? reset : key),
    user: String(many.user.id),
    product: slug(0),
    transfer: String(transfer),
  };
  return path.replace(/:(\w+)/g, (_, name: string) => values[name] ?? '');
}

describe('the calls that reading costs the gateway', () => {
  const ofApps = /\/(me|users\/:user)?\/?apps(\/|$)/;

  it('are declared by every route and page of apps, and are few', () => {
    const routes = test.portal.routes.filter(({ method, path }) => method === 'get' && ofApps.test(path));
    const pages = themePages.filter(({ method, path }) => method === 'get' && /^\/(apps|dashboard)/.test(path));
    expect(routes.length).toBeGreaterThanOrEqual(9);
    expect(pages.length).toBeGreaterThanOrEqual(4);
    for (const { path, budget } of [...routes, ...pages]) {
      expect([path, budget?.gateway ?? Infinity]).toEqual([path, expect.any(Number)]);
      expect([path, (budget?.gateway ?? Infinity) <= MOST_CALLS]).toEqual([path, true]);
    }
  });

  it('stay within what the routes declare, with 500 apps', async () => {
    const app = (await many.get('/app-7')).json.data;
    const declared = test.portal.routes.filter(
      // Those of teams are the same declarations, and so are their handlers.
      ({ method, budget, path }) => method === 'get' && budget?.gateway !== undefined && !path.includes('/teams/'),
    );
    for (const { path, context, budget, list } of declared) {
      const listing = list
        ? '?per_page=100' + (list.relations.length > 0 ? `&with=${list.relations.join(',')}` : '')
        : '';
      gateway.calls = [];
      const whole = filled(path, app.credentials[0].id) + listing;
      const answer =
        context === 'admin'
          ? await admin.get(whole)
          : await test.client.send('GET', `/api/v1${whole}`, { token: many.token });
      expect([whole, answer.status]).toEqual([whole, 200]);
      expect([whole, gateway.calls.length <= (budget?.gateway ?? 0), gateway.calls]).toEqual([
        whole,
        true,
        gateway.calls,
      ]);
    }
    expect(declared.length).toBeGreaterThanOrEqual(10);
  });

  it('stay within what the pages declare, with 500 apps', async () => {
    const browser = new PageClient(test.client);
    await browser.submit('/portal/login', { email: many.user.email, password: PASSWORD });
    for (const { method, path, budget } of themePages) {
      if (method !== 'get' || budget?.gateway === undefined || path.includes('/teams/')) continue;
      gateway.calls = [];
      expect([path, (await browser.get(`/portal${filled(path, 0)}`)).status]).toEqual([path, 200]);
      expect([path, gateway.calls.length <= budget.gateway, gateway.calls]).toEqual([path, true, gateway.calls]);
    }
  });

  it('leave 20 apps with 35 products each waiting for two rounds of calls at most, one after the other', async () => {
    const path = '?per_page=20&with=credentials,products';
    expect((await wide.get(path)).json.data).toHaveLength(WIDE_APPS);
    gateway.delay = 100;
    gateway.rounds = 0;
    try {
      const { json } = await test.client.get(`/api/v1/me/apps${path}`, { token: wide.token });
      expect(json.data[0].products).toHaveLength(PRODUCTS);
      expect([1, 2]).toContain(gateway.rounds);
    } finally {
      gateway.delay = 0;
    }
  });
});

describe('when keys were last used', () => {
  const AWAY = new GatewayUnavailableError(3);

  it('is asked once in a while, and shown from memory, with a notice, while the gateway is away', async () => {
    const { id, key } = await many.createApp('used', [slug(0)]);
    expect((await verify(test, key)).status).toBe(200);
    await test.portal.gateway.open().then((driver) => driver.close());
    const first = (await many.get('/used')).json.data.credentials[0];
    expect(first).toMatchObject({ id, last_used_at: expect.any(String), last_used_as_of: first.last_used_as_of });
    gateway.calls = [];
    await many.get('/used');
    expect(gateway.calls).toEqual([]);
    test.clock.advance(16);
    await many.get('/used');
    expect(gateway.calls).toEqual(['keys.lastUse']);

    const known = test.clock.now().toISOString();
    test.clock.advance(60);
    gateway.fault = AWAY;
    try {
      const stale = await many.get('/used');
      expect(stale.status).toBe(200);
      expect(stale.json.data.credentials[0]).toMatchObject({
        last_used_at: first.last_used_at,
        last_used_as_of: known,
      });
      const browser = new PageClient(test.client);
      await browser.submit('/portal/login', { email: many.user.email, password: PASSWORD });
      expect((await browser.get('/portal/apps/used')).html).toContain('The API gateway does not answer right now.');
      expect((await browser.get('/portal/apps/app-7')).html).toContain('Last use unknown');
    } finally {
      gateway.fault = null;
    }
  });
});
