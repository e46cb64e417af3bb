import * as portalkit from '../../src/index.js';
import { createAdmin, createDeveloper, startTestPortal, type TestPortal } from '../../src/testing/index.js';
import { repositoryFile } from './support.js';

interface Made {
  readonly setting: string;
  readonly links: readonly [developer: string, admin: string];
}
interface SignInLinks {
  makeSignInLinks(url: string, accounts: readonly unknown[]): Made;
  demoSignIn(library: typeof portalkit, env?: Record<string, string>): ReturnType<typeof portalkit.definePortalModule>;
}
interface Tour {
  makeTour(url: string, facts: object): { address: string; setting: string; accounts: readonly unknown[] };
}
const { makeTour } = (await import(repositoryFile('scripts/demo/module/tour.mjs').href)) as Tour;
const { makeSignInLinks, demoSignIn } = (await import(
  repositoryFile('scripts/demo/module/sign-in-links.mjs').href
)) as SignInLinks;

const ACCOUNTS = [
  { context: 'consumer', email: 'maya@example.com' },
  { context: 'admin', email: 'grace@example.com' },
];

let test: TestPortal | undefined;
afterEach(async () => {
  await test?.stop();
  test = undefined;
});

async function start(settings: Record<string, string> = {}): Promise<Made> {
  const { setting, links } = makeSignInLinks('', ACCOUNTS);
  test = await startTestPortal({
    definition: { modules: [demoSignIn(portalkit, {})] },
    settings: { 'demoSignIn.links': setting, ...settings },
  });
  await createDeveloper(test, { email: 'maya@example.com' });
  await createAdmin(test, { email: 'grace@example.com', roles: ['super_admin'] });
  return { setting, links };
}

const open = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${test?.url}${path}`, { redirect: 'manual', headers: { accept: 'text/html', ...headers } });
const cookieOf = (answer: Response) =>
  answer.headers
    .getSetCookie()
    .map((line) => line.split(';', 1)[0])
    .join('; ');

describe('a sign-in link of the demo', () => {
  it.each([
    [0, 'consumer', '/portal/dashboard'],
    [1, 'admin', '/admin'],
  ] as const)(
    'number %d signs the account of the %s surface in, once, and is recorded as any sign-in',
    async (number, _, home) => {
      const { links } = await start();
      const answer = await open(links[number]);
      expect([answer.status, answer.headers.get('location')?.replace(/\/$/, '')]).toEqual([303, home]);
      expect((await open(home, { cookie: cookieOf(answer) })).status).toBe(200);
      const again = await open(links[number]);
      expect([again.status, again.headers.getSetCookie().length]).toEqual([404, 0]);
      const rows = await test?.portal.database.select<{ action: string }>(
        "SELECT action FROM portal_activities WHERE action LIKE '%.login'",
      );
      expect(rows?.map(({ action }) => action)).toEqual([number === 0 ? 'user.login' : 'admin.login']);
    },
  );

  it('opens one sign-in when many ask at once', async () => {
    const { links } = await start();
    const answers = await Promise.all(Array.from({ length: 8 }, () => open(links[1])));
    expect(answers.map(({ status }) => status).filter((status) => status === 303)).toHaveLength(1);
  });

  it('ends after half an hour', async () => {
    const { links } = await start();
    test?.clock.advance(30 * 60);
    expect((await open(links[1])).status).toBe(404);
  });

  it('is for one surface, and a made-up token is none', async () => {
    const { links } = await start();
    const [developer, admin] = links;
    expect((await open(developer.replace('/portal/', '/admin/'))).status).toBe(404);
    expect((await open(admin.replace('/admin/', '/portal/'))).status).toBe(404);
    expect((await open('/admin/demo-sign-in/made-up')).status).toBe(404);
    // The tries have not used it up.
    expect((await open(admin)).status).toBe(303);
  });

  it('is for browsers on this machine', async () => {
    const { links } = await start({ 'app.trustProxy': '1' });
    expect((await open(links[1], { 'x-forwarded-for': '203.0.113.7' })).status).toBe(404);
    expect((await open(links[1])).status).toBe(303);
  });

  it('signs in nobody who may not sign in', async () => {
    const { links } = await start();
    const found = await test?.portal.services.accounts.users.findByEmail('maya@example.com');
    await test?.portal.services.accounts.users.setStatus(found?.user.id ?? 0, 'inactive');
    expect((await open(links[0])).status).toBe(404);
  });
});

describe('the module of the demo', () => {
  it('has no page in a portal that no demo started', async () => {
    await start({ 'demoSignIn.links': '' });
    const unknown = await open('/admin/nothing-there/x');
    const reply = await open('/admin/demo-sign-in/x');
    expect([reply.status, reply.status]).toEqual([unknown.status, 404]);
  });

  it.each([
    ['app.env', {}, { 'app.env': 'production' }],
    ['NODE_ENV', { NODE_ENV: 'production' }, {}],
  ])('stops a portal that starts with links in production: %s', async (_name, env, settings) => {
    const { setting } = makeSignInLinks('', ACCOUNTS);
    const definition = { modules: [demoSignIn(portalkit, env)] };
    const starting = startTestPortal({ definition, settings: { 'demoSignIn.links': setting, ...settings } });
    const opened = starting.then((portal) => (test = portal));
    await expect(opened).rejects.toThrow(/demoSignIn\.links.*must be empty in production/s);
  });

  it('is no part of the package', async () => {
    const { readFile } = await import('node:fs/promises');
    const { files } = JSON.parse(await readFile(repositoryFile('package.json'), 'utf8')) as { files: string[] };
    expect(files.some((name) => name.startsWith('scripts') || name === '.')).toBe(false);
  });
});

describe('the tour of the demo', () => {
  const people = {
    developer: ACCOUNTS[0],
    watcher: ACCOUNTS[0],
    admin: ACCOUNTS[1],
  };

  /** The addresses of the buttons on the page of the tour. */
  async function openTour(): Promise<{ address: string; stops: string[] }> {
    const tour = makeTour('', { product: 'exchange-rates', app: 'first-steps', file: 'next.json', people });
    const { setting } = makeSignInLinks('', tour.accounts);
    await start({ 'demoSignIn.links': setting, 'demoSignIn.tour': tour.setting });
    const page = await (await open(tour.address)).text();
    const [, main = ''] = /<main(.*?)<\/main>/s.exec(page) ?? [];
    return { address: tour.address, stops: [...main.matchAll(/href="([^"]+)"/g)].map(([, href = '']) => href) };
  }

  it('has five buttons, each of which leads to a page of the portal as whoever works there, as often as wanted', async () => {
    const { stops } = await openTour();
    const leads = async (href: string) => (await open(href)).headers.get('location');
    expect(stops).toHaveLength(5);
    expect(stops[0]).toBe('/portal/products/exchange-rates/spec#op-listCurrencies');
    const places = ['/portal/apps/first-steps', '/admin/inbox', '/portal/apps/price-watch/usage'];
    for (let times = 0; times < 2; times += 1) {
      expect(await Promise.all(stops.slice(1).map(leads))).toEqual([...places, '/admin/products/exchange-rates']);
    }
  });

  it('is open to everybody, for as long as it runs, where the demo is public', async () => {
    const tour = makeTour('', {
      product: 'exchange-rates',
      app: 'first-steps',
      file: 'next.json',
      people,
      isPublic: true,
    });
    const { setting } = makeSignInLinks('', tour.accounts);
    await start({
      ...{ 'demoSignIn.links': setting, 'demoSignIn.tour': tour.setting },
      ...{ 'demoSignIn.everybody': 'true', 'app.trustProxy': '1' },
    });
    test?.clock.advance(40 * 60);
    const elsewhere = { 'x-forwarded-for': '203.0.113.7' };
    const page = await (await open('/portal/tour/start', elsewhere)).text();
    const [, signInPath = ''] = /href="(\/admin\/demo-sign-in\/[^"]+)"/.exec(page) ?? [];
    expect((await open(signInPath, elsewhere)).headers.get('location')).toBe('/admin/inbox');
  });

  it('is found by its address alone, from this machine, for half an hour', async () => {
    const { address, stops } = await openTour();
    expect((await open('/portal/tour/made-up')).status).toBe(404);
    test?.clock.advance(30 * 60);
    const answers = await Promise.all([address, ...stops.slice(1)].map((path) => open(path)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404]));
  });
});
