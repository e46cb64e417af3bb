import { userReply } from '../../../src/api/accounts/user-schema.js';
import {
  type PasswordChangedEvent,
  UserDeletedEvent,
  UserKeptActiveEvent,
  UserStatusChangedEvent,
  UserUnlockedEvent,
  type UserUpdatedEvent,
  type UserRecord,
} from '../../../src/domain/accounts/index.js';
import { PortalEvent, ValidationError } from '../../../src/core/index.js';
import { Developer, readKeyAccess } from '../../support/apps.js';
import { createAdmin, createProduct, createUser, PASSWORD } from '../../support/factories.js';
import type { Call } from '../../support/http-client.js';
import { signIn } from '../../support/sign-in.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

const USERS = '/api/v1/admin/users';
const ME = '/api/v1/me';
const NEW_PASSWORD = 'seven blue bicycles at noon';

let test: TestPortal;
let token: string;
const seen: PortalEvent[] = [];
beforeAll(async () => {
  test = await startTestPortal({
    config: { accounts: { customAttributes: ['company', 'tier'] }, verify: { enabled: true } },
  });
  await test.portal.services.rbac.seed();
  token = await signIn(test, await createAdmin(test, { roles: ['admin'] }));
  for (const name of ['partners', 'beta']) await test.portal.services.catalog.audiences.create({ name });
  test.portal.events.on(PortalEvent, (event) => void seen.push(event));
});
afterAll(() => test.stop());

const post = (path: string, body: unknown = {}) => test.client.post(`${USERS}${path}`, body, { token });
const put = (id: number, body: unknown, call: Call = {}) => test.client.put(`${USERS}/${id}`, body, { token, ...call });
const show = (id: number) => test.client.get(`${USERS}/${id}`, { token });
const login = (email: string, password: string) => test.client.post('/api/v1/auth/login', { email, password });
const eventsOf = async (work: () => Promise<unknown>) => {
  seen.length = 0;
  await work();
  return seen.map((event) => event.constructor.name).filter((name) => name !== 'TokenIssuedEvent');
};
const names = (user: { audiences: { name: string }[] }) => user.audiences.map(({ name }) => name);

let count = 0;
const newUser = (overrides: object = {}) => {
  count += 1;
  const common = { first_name: 'Hedy', last_name: 'Lamarr', email: `hedy${count}@example.com`, password: NEW_PASSWORD };
  return { ...common, ...overrides };
};

describe('POST /admin/users', () => {
  it('creates a developer who can sign in, with audiences and declared attributes', async () => {
    const body = newUser({ email: ' Hedy@Example.COM ', audiences: ['partners', 'BETA'] });
    const { status, json, text } = await post('', { ...body, custom_attributes: { company: 'MGM' } });
    expect(status).toBe(201);
    expect(userReply.validate(json.data, { convert: false }).error).toBeUndefined();
    expect(json.data).toMatchObject({
      email: 'hedy@example.com',
      status: 'active',
      email_verified_at: null,
      custom_attributes: { company: 'MGM' },
    });
    expect(names(json.data)).toEqual(['beta', 'partners']);
    expect(text).not.toMatch(/argon2|password/);
    expect((await login('hedy@example.com', NEW_PASSWORD)).status).toBe(200);
  });

  it('takes no column that is not offered (S52)', async () => {
    const extra = {
      id: 1,
      email_verified_at: '2026-01-01T00:00:00Z',
      auth_epoch: 9,
      password_hash: 'x',
      pending_email: 'x',
    };
    const { status, json } = await post('', newUser({ ...extra, created_at: '2020-01-01T00:00:00Z' }));
    expect([status, Object.keys(json.errors).sort()]).toEqual([422, [...Object.keys(extra), 'created_at'].sort()]);
  });

  it.each([
    [{ first_name: '' }, 'first_name'],
    [{ first_name: 'a'.repeat(101) }, 'first_name'],
    [{ first_name: 'a\u0000b' }, 'first_name'],
    [{ last_name: 7 }, 'last_name'],
    [{ last_name: undefined }, 'last_name'],
    [{ email: 'nobody' }, 'email'],
    [{ email: ['a@example.com'] }, 'email'],
    [{ email: `${'a'.repeat(250)}@example.com` }, 'email'],
    [{ password: 'short' }, 'password'],
    [{ password: 'password123' }, 'password'],
    [{ password: { length: 99 } }, 'password'],
    [{ status: 'root' }, 'status'],
    [{ audiences: 'partners' }, 'audiences'],
    [{ audiences: ['nobody', 999_999] }, 'audiences'],
    [{ audiences: [{}] }, 'audiences.0'],
    [{ custom_attributes: { company: ['x'] } }, 'custom_attributes.company'],
    [{ custom_attributes: 'x' }, 'custom_attributes'],
  ])('refuses %j on %s and creates nobody', async (wrong, field) => {
    const body = newUser(wrong);
    const { status, json } = await post('', body);
    expect([status, Object.keys(json.errors)]).toEqual([422, [field]]);
    const { json: list } = await test.client.get(
      `${USERS}?filters=${encodeURIComponent(JSON.stringify({ email: `hedy${count}@example.com` }))}`,
      { token },
    );
    expect(list.meta.pagination.total).toBe(0);
  });

  it('refuses a taken address on its field, and of 10 at once creates one (R20)', async () => {
    const body = newUser();
    const answers = await Promise.all(Array.from({ length: 10 }, () => post('', body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(422)]);
    const refused = answers.find(({ status }) => status === 422);
    expect(refused?.json.errors).toEqual({ email: ['The e-mail address is already taken.'] });
  });
});

describe('PUT /admin/users/{id}', () => {
  let user: UserRecord;
  beforeAll(async () => {
    user = await createUser(test, { customAttributes: { company: 'MGM', oidc_provider_id: 'keep' } });
    await test.portal.database.execute(
      'UPDATE portal_users SET email_verified_at = ?, pending_email = ? WHERE id = ?',
      [test.clock.now(), 'pending@example.com', user.id],
    );
  });

  it('changes what is given and tells what changed, once', async () => {
    const body = { first_name: 'Margarete', custom_attributes: { tier: 3, company: null, oidc_provider_id: 'keep' } };
    const change = () => put(user.id, { ...body, audiences: ['partners'] });
    expect(await eventsOf(change)).toEqual(['UserUpdatedEvent']);
    expect((seen[0] as UserUpdatedEvent).changes).toEqual({
      firstName: ['Ada', 'Margarete'],
      customAttributes: [
        { company: 'MGM', oidc_provider_id: 'keep' },
        { oidc_provider_id: 'keep', tier: 3 },
      ],
      audiences: [[], ['partners']],
    });
    expect(await eventsOf(change)).toEqual([]);
  });

  it('refuses attributes that are not configured, and those of the portal unless they come back as they are (S52)', async () => {
    const wrong = await put(user.id, { custom_attributes: { teir: 3, oidc_provider_id: 'stolen' } });
    expect([wrong.status, wrong.json.errors]).toEqual([
      422,
      {
        'custom_attributes.teir': ['There is no field teir. Did you mean tier?'],
        'custom_attributes.oidc_provider_id': ['There is no field oidc_provider_id. Those there are: company, tier.'],
      },
    ]);
  });

  it('takes a new address as not verified, and drops the one that waits for its confirmation (S70)', async () => {
    expect((await show(user.id)).json.data.email_verified_at).not.toBeNull();
    const { json } = await put(user.id, { email: 'New@Example.com' });
    expect(json.data).toMatchObject({ email: 'new@example.com', email_verified_at: null, pending_email: null });
    const { changes } = seen.at(-1) as UserUpdatedEvent;
    expect(Object.keys(changes).sort()).toEqual(['email', 'emailVerifiedAt', 'pendingEmail']);
    const { status, json: taken } = await put(user.id, { email: (await createUser(test)).email });
    expect([status, Object.keys(taken.errors)]).toEqual([422, ['email']]);
  });

  it('sets a password, which ends every sign-in (S06, S40)', async () => {
    const other = await createUser(test);
    const bearer = await signIn(test, other);
    expect((await test.client.get(ME, { token: bearer })).status).toBe(200);
    const events = await eventsOf(() => put(other.id, { password: NEW_PASSWORD }));
    expect(events).toEqual(['TokenRevokedEvent', 'PasswordChangedEvent']);
    expect(JSON.stringify(seen as PasswordChangedEvent[])).not.toContain(NEW_PASSWORD);
    expect((await test.client.get(ME, { token: bearer })).status).toBe(401);
    expect((await login(other.email, PASSWORD)).status).toBe(401);
    expect((await login(other.email, NEW_PASSWORD)).status).toBe(200);
  });

  it.each([
    [{ password: 'short' }, 'password'],
    [{ status: 'deleted' }, 'status'],
    [{ first_name: '\u202Eevil' }, 'first_name'],
    [{ email: 'x' }, 'email'],
    [{ audiences: ['nobody'] }, 'audiences'],
    [{ status: 'inactive', audiences: ['nobody'] }, 'audiences'],
  ])('refuses %j and changes nothing', async (wrong, field) => {
    const before = (await show(user.id)).json.data;
    const { status, json } = await put(user.id, { first_name: 'Changed', ...wrong });
    expect([status, Object.keys(json.errors)]).toEqual([422, [field]]);
    expect((await show(user.id)).json.data).toEqual(before);
  });

  it('takes If-Match for the record and for its audiences, whose change is one of the record', async () => {
    const old = (await show(user.id)).headers.get('etag') ?? '';
    const headers = { 'if-match': old };
    const audiences = { audiences: ['beta'] };
    const path = `${USERS}/${user.id}/audiences`;
    const first = await test.client.put(path, audiences, { token, headers });
    expect([first.status, names(first.json.data)]).toEqual([200, ['beta']]);
    expect(first.headers.get('etag')).not.toBe(old);
    expect((await test.client.put(path, { audiences: [] }, { token, headers })).status).toBe(412);
    expect((await put(user.id, { first_name: 'Late', status: 'inactive' }, { headers })).status).toBe(412);
    expect((await test.client.delete(`${USERS}/${user.id}`, { token, headers })).status).toBe(412);
    expect((await show(user.id)).json.data).toMatchObject({ first_name: 'Margarete', status: 'active' });
  });

  it('filters the list by audience', async () => {
    const filters = (filter: unknown) =>
      test.client.get(`${USERS}?filters=${encodeURIComponent(JSON.stringify({ audience: filter }))}`, { token });
    const ids = async (filter: unknown) => (await filters(filter)).json.data.map(({ id }: { id: number }) => id);
    expect(await ids('partners')).not.toContain(user.id);
    expect(await ids('beta')).toContain(user.id);
    expect(await ids({ in: ['beta', 'partners'] })).toContain(user.id);
    expect(await ids({ ne: 'beta' })).not.toContain(user.id);
    expect(await ids({ null: false })).toContain(user.id);
    expect(await ids({ null: true })).not.toContain(user.id);
    expect(await ids({ like: 'et' })).toContain(user.id);
  });
});

describe('the status of a developer', () => {
  it('shuts them out and lets them in again, with an event for each change and none for no change', async () => {
    const user = await createUser(test);
    const bearer = await signIn(test, user);
    expect(await eventsOf(() => post(`/${user.id}/deactivate`))).toEqual([
      'UserDisablingEvent',
      'TokenRevokedEvent',
      'UserStatusChangedEvent',
    ]);
    expect((seen.at(-1) as UserStatusChangedEvent).after).toBe('inactive');
    expect((await test.client.get(ME, { token: bearer })).status).toBe(401);
    expect((await login(user.email, PASSWORD)).status).toBe(401);
    expect(await eventsOf(() => post(`/${user.id}/deactivate`))).toEqual([]);
    const { status, json } = await post(`/${user.id}/activate`);
    expect([status, json.data.status]).toEqual([200, 'active']);
    expect((await login(user.email, PASSWORD)).status).toBe(200);
  });

  it('stays when the keys cannot be closed first, and opens them again when the change fails after that (R16)', async () => {
    const user = await createUser(test);
    const kept: number[] = [];
    test.portal.events.on(UserKeptActiveEvent, (event) => void kept.push(event.user.id));
    test.portal.events.within(UserStatusChangedEvent, (event) => {
      if (event.user.id === user.id) throw new ValidationError({ status: ['Not today.'] });
    });
    const { status } = await put(user.id, { status: 'inactive' });
    expect([status, kept]).toEqual([422, [user.id]]);
    expect((await show(user.id)).json.data.status).toBe('active');
  });
});

describe('the keys of a developer', () => {
  it('follow the account at the gateway, and open again when it could not be shut', async () => {
    await createProduct(test, { slug: 'payments' });
    const developer = await Developer.create(test);
    const { key } = await developer.createApp('shop', ['payments']);
    const { id } = developer.user;
    expect(await readKeyAccess(test, key)).toBe('open');
    expect((await put(id, { status: 'inactive', audiences: ['nobody'] })).status).toBe(422);
    expect(await readKeyAccess(test, key)).toBe('open');
    await put(id, { status: 'inactive' });
    expect(await readKeyAccess(test, key)).toBe('inactive_developer');
    await post(`/${id}/activate`);
    expect(await readKeyAccess(test, key)).toBe('open');
    await put(id, { status: 'pending' });
    expect(await readKeyAccess(test, key)).toBe('inactive_developer');
    await test.client.delete(`${USERS}/${id}`, { token });
    expect(await readKeyAccess(test, key)).toBe('unknown_key');
  });
});

describe('a locked developer', () => {
  it('can sign in after an admin lifted the lock (S13)', async () => {
    const user = await createUser(test);
    for (let guess = 0; guess < 10; guess += 1) {
      await login(user.email, `wrong ${guess}`);
      test.clock.advance(20);
    }
    expect((await login(user.email, PASSWORD)).status).toBe(429);
    expect(await eventsOf(() => post(`/${user.id}/unlock`))).toEqual([UserUnlockedEvent.name]);
    test.clock.advance(61);
    expect((await login(user.email, PASSWORD)).status).toBe(200);
    token = await signIn(test, await createAdmin(test, { roles: ['admin'] }));
  });
});

describe('the end of a developer', () => {
  it('is announced before and in the transaction, and ends sign-ins', async () => {
    const user = await createUser(test);
    const bearer = await signIn(test, user);
    const events = await eventsOf(() => test.client.delete(`${USERS}/${user.id}`, { token }));
    expect(events).toEqual(['UserDeletingEvent', 'TokenRevokedEvent', UserDeletedEvent.name]);
    expect((await show(user.id)).status).toBe(404);
    expect((await test.client.get(ME, { token: bearer })).status).toBe(401);
    expect((await test.client.delete(`${USERS}/${user.id}`, { token })).status).toBe(404);
  });

  it('of all sign-ins leaves the account', async () => {
    const user = await createUser(test);
    const bearers = [await signIn(test, user), await signIn(test, user)];
    const { status, json } = await post(`/${user.id}/sessions/revoke`);
    expect([status, json.data]).toEqual([200, {}]);
    for (const bearer of bearers) expect((await test.client.get(ME, { token: bearer })).status).toBe(401);
    expect((await login(user.email, PASSWORD)).status).toBe(200);
  });
});

it('every action knows no developer who is missing', async () => {
  for (const path of ['activate', 'deactivate', 'unlock', 'sessions/revoke']) {
    expect((await post(`/987654/${path}`)).status).toBe(404);
  }
  expect((await put(987_654, {})).status).toBe(404);
  expect((await test.client.put(`${USERS}/987654/audiences`, {}, { token })).status).toBe(404);
});
