import { randomBytes } from 'node:crypto';
import type { PortalRoute } from '../../src/api/index.js';
import { dumpDatabase, columnNames } from '../support/dump.js';
import { createProduct } from '../support/factories.js';
import type { Answer } from '../support/http-client.js';
import { nameOf, Surface, type Caller } from '../support/surface.js';

// Many requests: a machine that does much else needs its time.

let surface: Surface;
beforeAll(async () => {
  surface = await Surface.start();
});
afterAll(() => surface.stop());

const parametersOf = ({ path }: PortalRoute): string[] => [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);

describe('a path', () => {
  const GARBAGE = [
    '0',
    '-1',
    '1.5',
    '1e3',
    '00',
    '99999999999999999999',
    'null',
    '%00',

    '%2F',
    "'--",
    '*',
    '%F0%9F%92%A5',
  ];

  it('with garbage in any of its parameters names nothing', async () => {
    for (const route of surface.routes) {
      const caller = await surface.caller(route);
      for (const name of parametersOf(route)) {
        for (const garbage of [...GARBAGE, 'x'.repeat(300)]) {
          const path = surface.path(route, caller, { [name]: garbage });
          const { status, json } = await surface.send(route, caller, { path });
          expect([nameOf(route), path, status, json.message]).toEqual([
            nameOf(route),
            path,
            404,
            'Resource not found.',
          ]);
        }
      }
    }
  });
});

describe('mass assignment (S52)', () => {
  const camel = (column: string): string => column.replace(/_(\w)/g, (_all, letter: string) => letter.toUpperCase());
  const ROLES = [
    'role',
    'roles',
    'role_ids',
    'permissions',
    'is_admin',
    'isAdmin',
    'admin',
    'super_admin',
    'oidc_subject',
  ];

  it.each([
    ['text', 'mass-assigned'],
    ['numbers', 424_242_424],
  ])('with %s under the name of every column is refused by every route, and changes nothing', async (_kind, mark) => {
    const { database } = surface.test.portal;
    const columns = await columnNames(database);
    expect(columns).toEqual(expect.arrayContaining(['password_hash', 'auth_epoch', 'sync_state', 'email_verified_at']));
    const names = [...new Set([...columns, ...columns.map(camel), ...ROLES])];
    const takesFields = ({ method, upload }: PortalRoute) => method !== 'get' && (!upload || upload.orJson);
    const callers = new Map<PortalRoute, Caller>();
    for (const route of surface.routes.filter(takesFields)) callers.set(route, await surface.caller(route));
    const before = await dumpDatabase(database);
    for (const [route, caller] of callers) {
      const good = surface.body(route, caller) ?? {};
      const declared = Object.keys((route.body?.describe() as { keys?: object } | undefined)?.keys ?? {});
      const strange = names.filter((name) => !declared.includes(name));
      const extra = Object.fromEntries(strange.map((name) => [name, mark]));
      const refused = await surface.send(route, caller, { body: { ...extra, ...good } });
      const told = Object.keys(refused.json.errors);
      expect([nameOf(route), refused.status, told.length > 0]).toEqual([nameOf(route), 422, true]);
      expect([nameOf(route), told.filter((name) => !strange.includes(name))]).toEqual([nameOf(route), []]);
    }
    expect(await dumpDatabase(database)).toEqual(before);
  });

  it.each([
    ['text', 'mass-assigned'],
    ['numbers', 424_242_424],
  ])('with %s among the attributes whose names a host declares is refused too', async (_kind, mark) => {
    const free = surface.routes.filter(({ method, body }) => method !== 'get' && body !== undefined);
    for (const route of free) {
      const declared = Object.keys((route.body?.describe() as { keys?: object }).keys ?? {});
      const attributes = withAttributes(route, declared, mark);
      if (Object.keys(attributes).length === 0) continue;
      const caller = await surface.caller(route);
      const answer = await surface.send(route, caller, { body: { ...surface.body(route, caller), ...attributes } });
      const told = Object.keys(answer.json.errors).sort();
      const strange = ['oidc_subject', 'role', 'status'].map((name) => `custom_attributes.${name}`);
      expect([nameOf(route), answer.status, told]).toEqual([nameOf(route), 422, strange]);
      expect([nameOf(route), await rowsWith(mark)]).toEqual([nameOf(route), []]);
    }
  });

  // Names inside of the one object whose keys a developer may choose. Those of products are free, and admins' own.
  function withAttributes({ path }: PortalRoute, declared: readonly string[], mark: unknown): object {
    if (!declared.includes('custom_attributes') || path.startsWith('/products')) return {};
    return { custom_attributes: { company: 'x', oidc_subject: mark, role: mark, status: mark } };
  }

  async function rowsWith(mark: string | number): Promise<string[]> {
    const rows = await dumpDatabase(surface.test.portal.database);
    return rows.filter((row) => row.includes(String(mark)));
  }
});

describe('what belongs to somebody else (S55)', () => {
  let owner: Caller;
  let stranger: Caller;
  let teams: Caller;
  let noticed: Caller;
  let offered: Caller;
  let admins: { owner: Caller; stranger: Caller };
  let credential: number;
  beforeAll(async () => {
    owner = await surface.caller({ context: 'consumer', path: '/me/webhooks/:id' });
    stranger = await surface.caller({ context: 'consumer', path: '/me/webhooks/:id' });
    teams = await surface.caller({ context: 'consumer', path: '/me/teams/:team' });
    noticed = await surface.caller({ context: 'consumer', path: '/me/notices/:notice' });
    offered = await surface.caller({ context: 'consumer', path: '/me/app-transfers/:transfer' });
    admins = {
      owner: await surface.caller({ context: 'admin', path: '/me' }),
      stranger: await surface.caller({ context: 'admin', path: '/me' }),
    };
    const body = { name: 'vault', products: ['payments'] };
    const { json } = await surface.test.client.post('/api/v1/me/apps', body, { token: owner.token });
    credential = json.data.credentials[0].id;
    await createProduct(surface.test, { slug: 'hidden', visibility: 'private' });
  });

  /** A parameter as somebody else has it, and as nobody has it. */
  function values({ path, context }: PortalRoute, name: string): { foreign: string; missing: string } {
    if (name === 'appName') return { foreign: 'vault', missing: 'nothing' };
    if (name === 'product') return { foreign: 'hidden', missing: 'nothing' };
    if (path.startsWith('/me/sessions')) {
      const foreign = context === 'admin' ? admins.owner.sid : owner.sid;
      return { foreign, missing: randomBytes(16).toString('hex') };
    }
    if (path.includes('/webhooks/:') && name !== 'team')
      return { foreign: String(owner.records[name]), missing: '999999999' };
    if (name === 'transfer') return { foreign: String(offered.records[name]), missing: '999999999' };
    if (path.includes('/credentials/') && name !== 'team') return { foreign: String(credential), missing: '999999999' };
    if (path.startsWith('/me/team')) return { foreign: String(teams.records[name]), missing: '999999999' };
    if (path.startsWith('/me/notices/')) return { foreign: String(noticed.records[name]), missing: '999999999' };
    throw new Error(`Say here what ${name} of ${path} is for somebody else.`);
  }

  it('is missing on every route of the own account, byte for byte, and stays as it was', async () => {
    const routes = surface.routes.filter((route) => route.path.startsWith('/me/') && parametersOf(route).length > 0);
    expect(routes.length).toBeGreaterThan(10);
    const before = await dumpDatabase(surface.test.portal.database);
    for (const route of routes) {
      const caller = route.context === 'admin' ? admins.stranger : stranger;
      for (const name of parametersOf(route)) {
        const { foreign, missing } = values(route, name);
        const [theirs, nobodys] = [
          await ask(route, caller, { [name]: foreign }),
          await ask(route, caller, { [name]: missing }),
        ];
        expect([nameOf(route), name, theirs.status]).toEqual([nameOf(route), name, 404]);
        expect([nameOf(route), name, bytesOf(theirs)]).toEqual([nameOf(route), name, bytesOf(nobodys)]);
      }
    }
    expect(await dumpDatabase(surface.test.portal.database)).toEqual(before);
  });

  it('is missing with all of its names right as well', async () => {
    const routes = surface.routes.filter(({ path }) => path.startsWith('/me/apps/'));
    for (const route of routes) {
      const names = parametersOf(route).filter((name) => name !== 'product');
      const all = Object.fromEntries(names.map((name) => [name, values(route, name).foreign]));
      const none = Object.fromEntries(names.map((name) => [name, values(route, name).missing]));
      const theirs = await ask(route, stranger, all);
      expect([nameOf(route), bytesOf(theirs)]).toEqual([nameOf(route), bytesOf(await ask(route, stranger, none))]);
      expect([nameOf(route), theirs.status]).toEqual([nameOf(route), 404]);
    }
  });

  function ask(route: PortalRoute, caller: Caller, parameters: Record<string, string>): Promise<Answer> {
    const body = surface.body(route, caller);
    return surface.send(route, caller, { path: surface.path(route, caller, parameters), ...(body && { body }) });
  }

  function bytesOf({ status, text, headers }: Answer): unknown {
    // Whether the connection goes on depends on how much of the body had come already.
    const everchanging = ['x-request-id', 'date', 'connection', 'keep-alive'];
    return { status, text, headers: [...headers].filter(([name]) => !everchanging.includes(name)) };
  }
});
