import { definePage, defineRoute, emptyReply, Redirect, View } from '../../../src/index.js';
import { createAdmin, createUser, PASSWORD } from '../../support/factories.js';
import { PageClient } from '../../support/page-client.js';
import { Person, startMfaPortal, type MfaPortal } from './support.js';

/** Routes and pages of a host whose names look like those of the module. */
const common = {
  context: 'consumer',
  method: 'get',
  tag: 'Host',
  summary: 'Host',
  reply: { 200: emptyReply },
} as const;
const routes = () => [
  defineRoute({ ...common, path: '/beginTotp', operation: 'getMfaExport', handle: () => ({}) }),
  defineRoute({ ...common, path: '/way-out', operation: 'hostWayOut', exemptFromGates: true, handle: () => ({}) }),
];
const page = { method: 'get', audience: 'developers' } as const;
const pages = () => [
  definePage({ ...page, path: '/settings/mfa/keys', handle: async () => new View('landing', {}) }),
  definePage({ ...page, path: '/way-out', exemptFromGates: true, handle: async () => new View('landing', {}) }),
  // In the place of ours, and as good a way out.
  definePage({
    method: 'post',
    audience: 'everyone',
    path: '/logout',
    handle: async ({ session }) => {
      await session.signOut();
      return new Redirect('/');
    },
  }),
];

let before: MfaPortal;
let after: MfaPortal;
beforeAll(async () => {
  // One replica each: two that share a Redis share it with nobody else, and the browser goes from one portal to the other.
  before = await startMfaPortal({}, { replicas: 1 });
  await before.portal.services.rbac.seed();
  const required = { developers: 'required', admins: 'required' };
  after = await startMfaPortal(required, {
    replicas: 1,
    databaseUrl: before.databaseUrl,
    clock: before.clock,
    config: { app: { key: before.portal.config.app.key } },
    extensions: { routes, pages },
  });
});
afterAll(async () => {
  await after.stop();
  await before.stop();
});

/** Somebody whose sign-in is older than the duty to have a factor. */
async function signedInBefore(context: 'consumer' | 'admin'): Promise<Person> {
  const account = context === 'admin' ? createAdmin(before, { roles: ['super_admin'] }) : createUser(before);
  const person = new Person(before, await account);
  await person.signIn();
  return person;
}

describe.each(['consumer', 'admin'] as const)(
  'a sign-in from before factors were required, of the context "%s"',
  (context) => {
    it('reaches the routes that say that they lead out, and no other', async () => {
      const person = await signedInBefore(context);
      const walked = after.portal.routes.filter((route) => route.context === context && route.auth === 'required');
      const open: string[] = [];
      for (const route of walked.filter(({ exemptFromGates }) => !exemptFromGates)) {
        const path = after.portal.pathOf(route).replace(/:\w+/g, '1');
        const call = { token: person.access, ...(route.method === 'get' ? {} : { body: {} }) };
        const { status, json } = await after.client.send(route.method.toUpperCase(), path, call);
        if (status !== 403 || json.message !== 'MFA enrolment required.') open.push(`${route.operation} ${status}`);
      }
      expect(open).toEqual([]);
      expect(walked.length).toBeGreaterThan(20);
      const admin = context === 'admin' ? 'Admin' : '';
      const own = [
        `begin${admin}EmailFactor`,
        `begin${admin}Totp`,
        `confirm${admin}EmailFactor`,
        `confirm${admin}Totp`,
      ];
      const rest = [`get${admin}Mfa`, admin ? 'adminLogout' : 'logout', `reauthenticate${admin}`];
      const declared = walked.filter(({ exemptFromGates }) => exemptFromGates).map(({ operation }) => operation);
      expect(declared.sort()).toEqual([...own, ...rest, ...(admin ? [] : ['hostWayOut'])].sort());
      const out = { token: person.access };
      expect((await after.client.get(`${person.prefix}/me/mfa`, out)).json.data).toMatchObject({ required: true });
      const setup = await after.client.post(`${person.prefix}/me/mfa/totp`, {}, out);
      expect(setup.status).toBe(200);
    });
  },
);

describe('a browser from before factors were required', () => {
  it('is led to the factor from every page but those that lead out', async () => {
    const user = await createUser(before);
    const old = new PageClient(before.client);
    await old.submit('/portal/login', { email: user.email, password: PASSWORD });
    const browser = old.copy(after.client);
    const goes = async (path: string) => {
      const { status, headers } = await browser.get(`/portal${path}`, { follow: false });
      return status === 303 ? headers.get('location') : status;
    };
    for (const path of ['/dashboard', '/profile', '/settings/mfa/keys', '/apps']) {
      expect([path, await goes(path)]).toEqual([path, '/portal/settings/mfa']);
    }
    expect([await goes('/settings/mfa'), await goes('/way-out')]).toEqual([200, 200]);
    const _csrf = await browser.csrf('/portal/settings/mfa');
    const setup = await browser.post('/portal/settings/mfa/totp', { _csrf });
    expect([setup.status, setup.html]).toEqual([200, expect.stringContaining('/settings/mfa/totp/confirm')]);
    const left = await browser.post('/portal/logout', { _csrf }, { follow: false });
    expect([left.status, left.headers.get('location')]).toEqual([303, '/portal']);
    expect(await goes('/profile')).toContain('/portal/login');
  });
});
