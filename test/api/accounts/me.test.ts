import type { Schema } from 'joi';
import { ownAdminReply } from '../../../src/api/accounts/admin-schema.js';
import { developerReply } from '../../../src/api/accounts/user-schema.js';
import { UserDeletingEvent, type AdminRecord, type UserRecord } from '../../../src/domain/accounts/index.js';
import { createAdmin, createUser } from '../../support/factories.js';
import { signIn, signInPair } from '../../support/sign-in.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

const ME = '/api/v1/me';
const ADMIN_ME = '/api/v1/admin/me';

let test: TestPortal;
let user: UserRecord;
let admin: AdminRecord;
let token: string;
let adminToken: string;
beforeAll(async () => {
  test = await startTestPortal({ config: { accounts: { customAttributes: ['company', 'employees', 'newsletter'] } } });
  await test.portal.services.rbac.seed();
  user = await createUser(test, { email: 'ada@example.com', customAttributes: { oidc_provider_id: 'theirs' } });
  admin = await createAdmin(test, { email: 'grace@example.com', roles: ['support'] });
  token = await signIn(test, user);
  adminToken = await signIn(test, admin);
});
afterAll(() => test.stop());

const put = (body: unknown) => test.client.put(ME, body, { token });
const putAdmin = (body: unknown) => test.client.put(ADMIN_ME, body, { token: adminToken });

function expectReply(schema: Schema, data: unknown): void {
  expect(schema.validate(data, { convert: false }).error).toBeUndefined();
}

async function row(table: 'portal_users' | 'portal_admins', id: number): Promise<Record<string, unknown>> {
  const [found] = await test.portal.database.select(`SELECT * FROM ${table} WHERE id = ?`, [id]);
  return found ?? {};
}

/** Every column of every table, as its name and as its attribute, with a value that would mean something. */
function everyColumn(except: readonly string[]): Record<string, unknown> {
  const body: Record<string, unknown> = { role: 'super_admin', roles: ['super_admin'], is_admin: true, sub: 1 };
  for (const model of Object.values(test.portal.database.sequelize.models)) {
    for (const [name, { field }] of Object.entries(model.getAttributes())) {
      for (const key of [name, field ?? name]) if (!except.includes(key)) body[key] = 'active';
    }
  }
  expect(Object.keys(body)).toEqual(expect.arrayContaining(['password_hash', 'passwordHash', 'auth_epoch', 'status']));
  return body;
}

describe('GET /me', () => {
  it('shows the developer to themselves, without audiences', async () => {
    const { status, json } = await test.client.get(ME, { token });
    expect(status).toBe(200);
    expect(json.data).toEqual({
      id: user.id,
      email: 'ada@example.com',
      first_name: user.firstName,
      last_name: user.lastName,
      full_name: `${user.firstName} ${user.lastName}`,
      status: 'active',
      email_verified_at: null,
      pending_email: null,
      locale: null,
      custom_attributes: { oidc_provider_id: 'theirs' },
      created_at: user.createdAt.toISOString(),
      updated_at: user.updatedAt.toISOString(),
    });
    expectReply(developerReply, json.data);
  });
});

describe('PUT /me', () => {
  it('changes what it is given and leaves the rest', async () => {
    test.clock.advance(5);
    const { status, json } = await put({ first_name: '  Augusta ', custom_attributes: { company: 'A', employees: 3 } });
    expect(status).toBe(200);
    expectReply(developerReply, json.data);
    expect(json.data).toMatchObject({
      first_name: 'Augusta',
      last_name: user.lastName,
      custom_attributes: { company: 'A', employees: 3, oidc_provider_id: 'theirs' },
      updated_at: test.clock.now().toISOString(),
    });
    expect((await put({})).json.data).toEqual(json.data);
    expect((await put(undefined)).json.data).toEqual(json.data);
    expect((await put({ custom_attributes: { employees: null } })).json.data.custom_attributes).toEqual({
      company: 'A',
      oidc_provider_id: 'theirs',
    });
  });

  it('takes a language of the portal, or none', async () => {
    expect((await put({ locale: 'ar' })).json.data.locale).toBe('ar');
    expect((await put({ first_name: 'Ada' })).json.data.locale).toBe('ar');
    expect((await put({ locale: null })).json.data.locale).toBeNull();
  });

  it('takes back the whole record that it showed', async () => {
    const { json: shown } = await test.client.get(ME, { token });
    const { status, json } = await put(shown.data);
    expect([status, json.data]).toEqual([200, shown.data]);
  });

  it('takes nothing that is not the developer’s to write, whatever its name (S52)', async () => {
    const before = await row('portal_users', user.id);
    const sent = {
      ...everyColumn(['first_name', 'last_name', 'email', 'locale', 'custom_attributes', 'name']),
      custom_attributes: { oidc_provider_id: 'mine', oidc_subject: 'mine', is_admin: true, status: 'active' },
    };
    expect((await put(sent)).status).toBe(422);
    expect((await put({ id: 99, status: 'inactive', pending_email: 'eve@example.com' })).status).toBe(200);
    expect(await row('portal_users', user.id)).toEqual(before);
  });

  it('knows the present e-mail address in any spelling, and refuses what is none', async () => {
    expect((await put({ email: ' ADA@example.com ' })).status).toBe(200);
    expect((await put({ email: 'nobody' })).json.errors).toEqual({ email: ['The e-mail address is not valid.'] });
    expect((await row('portal_users', user.id)).email).toBe('ada@example.com');
  });

  const text = [null, 1, true, [], ['Ada'], {}, { $ne: '' }];
  it.each([
    ['first_name', [...text, '', '   ', 'x'.repeat(101), 'a\u0007', '\u202eadA']],
    ['last_name', [...text, '', ' \t', 'x'.repeat(101), 'a\r\nb', '\u0000']],
    ['email', [...text, '', 'x'.repeat(300)]],
    ['locale', [1, true, [], {}, '', 'xx', 'EN', 'x'.repeat(17)]],
    ['custom_attributes', ['text', 1, true, [], ['company'], null]],
    ['custom_attributes.company', [[], ['x'], {}, { $ne: 1 }, 'x'.repeat(1001)]],
  ])('refuses every wrong %s with its name (S12)', async (field, values) => {
    const before = await row('portal_users', user.id);
    for (const value of values) {
      const [name, inner] = field.split('.') as [string, string | undefined];
      const { status, json } = await put({ [name]: inner === undefined ? value : { [inner]: value } });
      expect([value, status, Object.keys(json.errors)]).toEqual([value, 422, [field]]);
    }
    expect(await row('portal_users', user.id)).toEqual(before);
  });

  it.each([[[]], ['text'], [1], [null]])('refuses a body that is %j', async (body) => {
    expect((await put(body)).status).toBe(422);
  });
});

describe('DELETE /me', () => {
  it('asks for a sign-in of the last 15 minutes, then deletes the account and ends its sign-ins', async () => {
    const leaving = await createUser(test);
    const old = await signInPair(test, leaving);
    test.clock.advance(16 * 60);
    const renewed = await test.client.post('/api/v1/auth/refresh', { refresh_token: old.refresh_token });
    const refused = await test.client.delete(ME, { token: renewed.json.data.access_token });
    expect([refused.status, refused.json.message]).toEqual([403, 'Re-authentication required.']);
    const recent = await signIn(test, leaving);
    const answer = await test.client.delete(ME, { token: recent });
    expect([answer.status, answer.json.data]).toEqual([200, {}]);
    expect(await row('portal_users', leaving.id)).toEqual({});
    expect((await test.client.get(ME, { token: recent })).status).toBe(401);
  });

  it('keeps the account when something that has to happen first cannot', async () => {
    const staying = await createUser(test);
    const own = await signIn(test, staying);
    test.portal.events.within(UserDeletingEvent, (event) => {
      if (event.user.id === staying.id) throw new Error('the gateway is away');
    });
    expect((await test.client.delete(ME, { token: own })).status).toBe(500);
    expect((await test.client.get(ME, { token: own })).status).toBe(200);
  });
});

describe('the admin’s own account', () => {
  beforeAll(async () => {
    adminToken = await signIn(test, admin);
  });

  it('shows roles and effective permissions', async () => {
    const { status, json } = await test.client.get(ADMIN_ME, { token: adminToken });
    expect(status).toBe(200);
    expectReply(ownAdminReply, json.data);
    expect(json.data).toMatchObject({
      id: admin.id,
      name: admin.name,
      email: 'grace@example.com',
      status: 'active',
      roles: [{ id: expect.any(Number), name: 'support' }],
      last_login_at: test.clock.now().toISOString(),
    });
    expect(json.data.permissions).toEqual(expect.arrayContaining(['portal.admin.access', 'portal.users.update']));
  });

  it('is there for an admin without any role, and with every permission for one who bypasses', async () => {
    const nobody = await signIn(test, await createAdmin(test));
    const { status, json } = await test.client.get(ADMIN_ME, { token: nobody });
    expect([status, json.data.roles, json.data.permissions]).toEqual([200, [], []]);
    const everything = await signIn(test, await createAdmin(test, { roles: ['super_admin'] }));
    const shown = await test.client.get(ADMIN_ME, { token: everything });
    expect(shown.json.data.permissions).toContain('portal.rbac.manage');
  });

  it('takes a new name, and nothing else whatever it is called (S52)', async () => {
    test.clock.advance(5);
    expect((await putAdmin({ name: ' Grace B. Hopper ' })).json.data.name).toBe('Grace B. Hopper');
    const before = await row('portal_admins', admin.id);
    expect((await putAdmin(everyColumn(['name', 'email']))).status).toBe(422);
    expect(await row('portal_admins', admin.id)).toEqual(before);
    const { json } = await test.client.get(ADMIN_ME, { token: adminToken });
    expect(json.data.roles.map(({ name }: { name: string }) => name)).toEqual(['support']);
    expect((await putAdmin({ email: 'new@example.com' })).json.errors).toHaveProperty('email');
  });

  it.each(['name', 'email'])('refuses every wrong %s (S12)', async (field) => {
    for (const value of [null, 1, true, [], {}, ['x'], '', 'x'.repeat(300)]) {
      const { status, json } = await putAdmin({ [field]: value });
      expect([value, status, Object.keys(json.errors)]).toEqual([value, 422, [field]]);
    }
  });
});
