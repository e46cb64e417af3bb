import { userListReply, userReply } from '../../../src/api/accounts/user-schema.js';
import type { UserRecord } from '../../../src/domain/accounts/index.js';
import { createAdmin, createUser } from '../../support/factories.js';
import { signIn } from '../../support/sign-in.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

const USERS = '/api/v1/admin/users';

let test: TestPortal;
let token: string;
let ada: UserRecord;
beforeAll(async () => {
  test = await startTestPortal();
  await test.portal.services.rbac.seed();
  token = await signIn(test, await createAdmin(test, { roles: ['support'] }));
  ada = await createUser(test, { email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace' });
  test.clock.advance(1);
  await createUser(test, { email: 'bob@example.com', firstName: 'Bob', lastName: '100%', status: 'inactive' });
  test.clock.advance(1);
  await createUser(test, { email: 'cy@example.org', firstName: 'Cy', lastName: 'Ng', status: 'pending' });
  await joinAudiences(ada.id, 'partners', 'beta');
});
afterAll(() => test.stop());

async function joinAudiences(userId: number, ...names: string[]): Promise<void> {
  const { database } = test.portal;
  for (const name of names) {
    const insert = "INSERT INTO portal_audiences (name, description, created_at, updated_at) VALUES (?, '', ?, ?)";
    const { insertId } = await database.execute(insert, [name, test.clock.now(), test.clock.now()]);
    await database.execute('INSERT INTO portal_audience_users (audience_id, user_id) VALUES (?, ?)', [
      insertId,
      userId,
    ]);
  }
}

const list = (query: Record<string, string> = {}) =>
  test.client.get(`${USERS}?${new URLSearchParams(query).toString()}`, { token });
const emails = async (query: Record<string, string>) =>
  (await list(query)).json.data.map(({ email }: { email: string }) => email.slice(0, email.indexOf('@')));

describe('GET /admin/users', () => {
  it('lists developers, newest first, with their audiences and without secrets', async () => {
    const { status, json, text } = await list();
    expect(status).toBe(200);
    expect(userListReply.validate(json.data, { convert: false }).error).toBeUndefined();
    expect(json.data.map(({ first_name }: { first_name: string }) => first_name)).toEqual(['Cy', 'Bob', 'Ada']);
    expect(json.data[2].audiences.map(({ name }: { name: string }) => name)).toEqual(['beta', 'partners']);
    expect(json.meta.pagination).toMatchObject({ total: 3, count: 3, per_page: 15, current_page: 1, total_pages: 1 });
    expect(text).not.toMatch(/argon2|password|epoch/);
  });

  it.each([
    [{ order_by: 'email' }, ['ada', 'bob', 'cy']],
    [{ order_by: 'last_name', direction: 'desc' }, ['cy', 'ada', 'bob']],
    [{ filters: '{"status":"inactive"}' }, ['bob']],
    [{ filters: '{"status":{"in":["active","pending"]}}', order_by: 'id' }, ['ada', 'cy']],
    [{ filters: '{"email":{"like":"example.org"}}' }, ['cy']],
    [{ filters: '{"email_verified_at":{"null":true},"first_name":"Ada"}' }, ['ada']],
    [{ filters: '{"created_at":{"gt":"2026-06-01T12:00:01Z"}}' }, ['cy']],
    [{ q: 'love ada' }, ['ada']],
    [{ q: '%' }, ['bob']],
    [{ with: 'audiences', per_page: '1', page: '3' }, ['ada']],
  ])('with %j answers %j', async (query, expected) => {
    expect(await emails(query as Record<string, string>)).toEqual(expected);
  });

  it('walks the whole list by its cursor', async () => {
    const seen: string[] = [];
    for (let cursor: string | null = null, page = 0; page === 0 || cursor !== null; page += 1) {
      const { json } = await list({ per_page: '1', order_by: 'email', ...(cursor === null ? {} : { cursor }) });
      seen.push(json.data[0].first_name as string);
      cursor = json.meta.pagination.next_cursor as string | null;
    }
    expect(seen).toEqual(['Ada', 'Bob', 'Cy']);
  });

  it.each([
    ['order_by', 'password_hash'],
    ['order_by', 'auth_epoch'],
    ['order_by', 'u.id; DROP TABLE portal_users'],
    ['filters', '{"password_hash":{"like":"$argon2"}}'],
    ['filters', '{"auth_epoch":0}'],
    ['filters', '{"status":{"$ne":"x"}}'],
    ['filters', '{"status":["active",{"a":1}]}'],
    ['filters', '[]'],
    ['with', 'sessions'],
    ['per_page', '0'],
    ['page', '10001'],
    ['direction', 'SIDEWAYS'],
    ['cursor', 'nonsense'],
  ])('refuses %s=%s by its name (S53)', async (name, value) => {
    const { status, json } = await list({ [name]: value });
    expect([status, Object.keys(json.errors)]).toEqual([422, [name]]);
  });

  it('refuses a parameter that is given twice', async () => {
    const { status } = await test.client.get(`${USERS}?order_by=id&order_by=email`, { token });
    expect(status).toBe(422);
  });
});

describe('GET /admin/users/{id}', () => {
  it('shows a developer with audiences', async () => {
    const { status, json } = await test.client.get(`${USERS}/${ada.id}`, { token });
    expect(status).toBe(200);
    expect(userReply.validate(json.data, { convert: false }).error).toBeUndefined();
    expect(json.data).toMatchObject({ email: 'ada@example.com', full_name: 'Ada Lovelace' });
    expect(json.data.audiences).toHaveLength(2);
  });

  it.each(['987654', '0', '-1', '1.5', 'ada', '1e3', '99999999999999999999', '1%00'])(
    'knows no developer %s',
    async (id) => {
      const { status, json } = await test.client.get(`${USERS}/${id}`, { token });
      expect([status, json.message, json.errors]).toEqual([404, 'Resource not found.', {}]);
    },
  );
});
