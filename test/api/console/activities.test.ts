import { csvLine } from '../../../src/core/index.js';
import { activityListReply, activityReply } from '../../../src/api/console/activity-schema.js';
import type { UserRecord } from '../../../src/domain/accounts/index.js';
import { AudienceCreatedEvent } from '../../../src/domain/catalog/index.js';
import { runAs } from '../../../src/core/index.js';
import { analyzeTables } from '../../support/databases.js';
import { createAdmin, createRole, createUser } from '../../support/factories.js';
import { signIn } from '../../support/sign-in.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

const ACTIVITIES = '/api/v1/admin/activities';
const OWN = '/api/v1/me/activities';

let test: TestPortal;
let token: string;
let ada: UserRecord;
let adaToken: string;
beforeAll(async () => {
  test = await startTestPortal();
  await test.portal.services.rbac.seed();
  const auditor = await createAdmin(test, { email: 'auditor@example.com', name: 'Audrey', roles: ['auditor'] });
  token = await signIn(test, auditor);
  test.clock.advance(1);
  ada = await createUser(test, { email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace' });
  adaToken = await signIn(test, ada);
  test.clock.advance(1);
  await test.client.put('/api/v1/me', { first_name: 'Adele' }, { token: adaToken });
  test.clock.advance(1);
  await asAdmin(auditor.id, () => test.portal.services.accounts.users.setStatus(ada.id, 'pending'));
  test.clock.advance(1);
  await test.client.post('/api/v1/auth/login', { email: ada.email, password: 'wrong' });
});
afterAll(() => test.stop());

function asAdmin<T>(id: number, run: () => Promise<T>): Promise<T> {
  const person = { type: 'admin', id, name: 'Audrey', email: 'auditor@example.com' } as const;
  const request = { requestId: 'request-of-admin', ip: '192.0.2.99', userAgent: 'admin-browser' };
  return runAs({ person, request }, run);
}

const list = (query: Record<string, string> = {}, path = ACTIVITIES, as = token) =>
  test.client.get(`${path}?${new URLSearchParams(query).toString()}`, { token: as });
const actions = async (query: Record<string, string>, path = ACTIVITIES, as = token) => {
  const { json } = await list(query, path, as);
  return json.data.map(({ action }: { action: string }) => action);
};

const times = () => ({ createdAt: test.clock.now(), updatedAt: test.clock.now() });

describe('GET /admin/activities', () => {
  it('lists what happened, newest first, with who, from where and what changed', async () => {
    const { status, json } = await list();
    expect(status).toBe(200);
    expect(activityListReply.validate(json.data, { convert: false }).error).toBeUndefined();
    expect(json.data.map(({ action }: { action: string }) => action)).toEqual([
      'user.login_failed',
      'user.status_changed',
      'user.updated',
      'token.issued',
      'user.login',
      'token.issued',
      'admin.login',
      'admin.roles_changed',
    ]);
    expect(json.data[2]).toMatchObject({
      actor: { type: 'developer', id: ada.id, name: 'Adele Lovelace', email: 'ada@example.com' },
      subject: { type: 'user', id: String(ada.id), label: 'ada@example.com' },
      changes: { first_name: ['Ada', 'Adele'] },
      ip: expect.stringContaining('127.0.0.1'),
      user_agent: expect.any(String),
      request_id: expect.any(String),
    });
    expect(json.data[1]).toMatchObject({
      actor: { type: 'admin', name: 'Audrey', email: 'auditor@example.com' },
      changes: { status: ['active', 'pending'] },
      ip: '192.0.2.99',
    });
  });

  it.each([
    [{ filters: '{"action":"user.login"}' }, ['user.login']],
    [{ filters: '{"action":{"in":["user.login","admin.login"]}}', order_by: 'id' }, ['admin.login', 'user.login']],
    [{ filters: '{"actor":"auditor@example.com"}' }, ['user.status_changed', 'token.issued', 'admin.login']],
    [{ filters: '{"actor_email":"auditor@example.com","subject_type":"user"}' }, ['user.status_changed']],
    [{ filters: '{"actor":"visitor"}' }, ['user.login_failed']],
    [{ filters: '{"actor":"admin","subject":"user"}' }, ['user.status_changed']],
    [{ filters: '{"actor_type":"admin","action":"admin.login"}' }, ['admin.login']],
    [{ filters: '{"from":"2026-06-01T12:00:03Z","to":"2026-06-01T12:00:04Z"}' }, ['user.status_changed']],
    [{ filters: '{"created_at":{"gte":"2026-06-01T12:00:04Z"}}' }, ['user.login_failed']],
    [{ order_by: 'created_at', direction: 'asc', per_page: '1' }, ['admin.roles_changed']],
  ])('filters and sorts by %j', async (query, expected) => {
    expect(await actions(query)).toEqual(expected);
  });

  it('filters by the number of an actor and of a subject', async () => {
    const filters = JSON.stringify({ actor: `developer:${ada.id}`, subject: `user:${ada.id}` });
    expect(await actions({ filters })).toEqual(['user.updated', 'token.issued', 'user.login']);
  });

  it.each([
    [{ order_by: 'action' }, 'order_by'],
    [{ filters: '{"hash":"a"}' }, 'filters'],
    [{ filters: '{"actor":{"in":["admin"]}}' }, 'filters'],
    [{ filters: '{"actor":"admin:x"}' }, 'filters'],
    [{ filters: '{"from":{"gt":"2026-01-01"}}' }, 'filters'],
    [{ q: 'ada' }, 'q'],
  ])('refuses %j', async (query, field) => {
    const { status, json } = await list(query);
    expect([status, Object.keys(json.errors)]).toEqual([422, [field]]);
  });

  it('walks on by cursor', async () => {
    const walked: string[] = [];
    let cursor = '';
    do {
      const { json } = await list({ per_page: '2', ...(cursor === '' ? {} : { cursor }) });
      walked.push(...json.data.map(({ action }: { action: string }) => action));
      cursor = json.meta.pagination.next_cursor ?? '';
    } while (cursor !== '');
    expect(walked).toEqual(await actions({}));
  });

  it('shows one, and nothing for a number that there is not', async () => {
    const [first] = (await list()).json.data;
    const { status, json } = await test.client.get(`${ACTIVITIES}/${first.id}`, { token });
    expect(status).toBe(200);
    expect(activityReply.validate(json.data, { convert: false }).error).toBeUndefined();
    expect(json.data).toEqual(first);
    expect((await test.client.get(`${ACTIVITIES}/999999`, { token })).status).toBe(404);
    expect((await test.client.get(`${ACTIVITIES}/x`, { token })).status).toBe(404);
  });

  it('asks for portal.activities.view', async () => {
    const support = await signIn(test, await createAdmin(test, { roles: ['support'] }));
    for (const path of ['', '/export', '/1']) {
      expect((await test.client.get(`${ACTIVITIES}${path}`, { token: support })).status).toBe(403);
      expect((await test.client.get(`${ACTIVITIES}${path}`, { token: adaToken })).status).toBe(401);
      expect((await test.client.get(`${ACTIVITIES}${path}`)).status).toBe(401);
    }
    const role = await createRole(test, ['portal.admin.access', 'portal.activities.view']);
    const viewer = await signIn(test, await createAdmin(test, { roles: [role] }));
    expect((await list({}, ACTIVITIES, viewer)).status).toBe(200);
  });
});

describe('GET /me/activities', () => {
  it('shows a developer their own, and tells nothing of admins but that it was one', async () => {
    const { status, json, text } = await list({}, OWN, adaToken);
    expect(status).toBe(200);
    expect(activityListReply.validate(json.data, { convert: false }).error).toBeUndefined();
    expect(json.data.map(({ action }: { action: string }) => action)).toEqual([
      'user.login_failed',
      'user.status_changed',
      'user.updated',
      'token.issued',
      'user.login',
    ]);
    expect(json.data[1]).toMatchObject({
      actor: { type: 'admin', id: null, name: null, email: null },
      changes: { status: ['active', 'pending'] },
      ...{ ip: null, user_agent: null, request_id: null },
    });
    expect(json.data[0]).toMatchObject({ actor: { type: 'visitor' }, ip: expect.stringContaining('127.0.0.1') });
    expect(text).not.toMatch(/auditor|Audrey|192\.0\.2\.99|admin-browser|request-of-admin/);
  });

  it('shows nothing of others, and cannot be asked for actors', async () => {
    const other = await signIn(test, await createUser(test));
    expect(await actions({}, OWN, other)).toEqual(['token.issued', 'user.login']);
    expect((await list({ filters: '{"actor":"auditor@example.com"}' }, OWN, adaToken)).status).toBe(422);
    expect(await actions({ filters: '{"action":"user.updated"}' }, OWN, adaToken)).toEqual(['user.updated']);
  });
});

describe('GET /admin/activities/export', () => {
  it('is CSV of all that the filters choose', async () => {
    const { status, headers, text } = await list({ filters: `{"subject":"user:${ada.id}"}` }, `${ACTIVITIES}/export`);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(headers.get('content-disposition')).toBe('attachment; filename="activities-2026-06-01.csv"');
    const lines = text.trimEnd().split('\r\n');
    expect(lines[0]).toMatch(/^"id","created_at","action","actor_type"/);
    expect(lines.slice(1).map((line) => line.split(',')[2])).toEqual([
      '"user.login_failed"',
      '"user.status_changed"',
      '"user.updated"',
      '"token.issued"',
      '"user.login"',
    ]);
    expect(lines[3]).toContain('"{""first_name"":[""Ada"",""Adele""]}"');
  });

  it('answers a wrong filter with 422 and not with half a file', async () => {
    const { status, json } = await list({ filters: '{"actor":"admin:x"}' }, `${ACTIVITIES}/export`);
    expect([status, json.success]).toEqual([422, false]);
  });

  it('holds nothing that a spreadsheet runs (S68)', async () => {
    const { events, database } = test.portal;
    const audience = { id: 1, name: '=HYPERLINK("http://evil.example","x")', description: '', ...times() };
    await database.transaction((transaction) =>
      events.emit(new AudienceCreatedEvent({ audience, occurredAt: test.clock.now() }), transaction),
    );
    const { text } = await list({ filters: '{"subject":"audience"}' }, `${ACTIVITIES}/export`);
    expect(text).toContain(`"'=HYPERLINK(""http://evil.example"",""x"")"`);
  });

  it.each(['=1', '+1', '-1', '@a', '\ta', '\ra', '\u0000a', '＝1', '＠a'])('marks %j as text', (value) => {
    expect(csvLine([value])).toBe(`"'${value}"\r\n`);
  });

  it('streams several batches in one order, and ends when the reader leaves', async () => {
    const { events, database } = test.portal;
    const audience = { id: 1, name: 'many', description: '', ...times() };
    await database.transaction(async (transaction) => {
      for (let count = 0; count < 1500; count += 1) {
        await events.emit(new AudienceCreatedEvent({ audience, occurredAt: test.clock.now() }), transaction);
      }
    });
    const { text } = await list({ filters: '{"action":"audience.created"}' }, `${ACTIVITIES}/export`);
    const ids = text
      .trimEnd()
      .split('\r\n')
      .slice(1)
      .map((line) => Number(line.split(',')[0]?.replaceAll('"', '')));
    expect(ids.length).toBeGreaterThan(1500);
    expect(ids).toEqual([...ids].sort((a, b) => b - a));
    expect(new Set(ids).size).toBe(ids.length);
    const leaving = new AbortController();
    const response = await fetch(`${test.client.url}${ACTIVITIES}/export`, {
      headers: { authorization: `Bearer ${token}` },
      signal: leaving.signal,
    });
    leaving.abort();
    await expect(response.text()).rejects.toThrow();
    expect((await list({ per_page: '1' })).status).toBe(200);
  });
});

describe('the default orders', () => {
  it.each([
    ['the list', '1 = 1', []],
    ['the list of a developer', 'a.owner_id = ?', [1]],
    ['one action', 'a.action = ?', ['user.login']],
    ['one subject', "a.subject_type = 'user' AND a.subject_id = ?", ['1']],
    ['one actor', "a.actor_type = 'admin' AND a.actor_id = ?", [1]],
  ])('come from an index: %s', async (_what, where, values) => {
    const { database } = test.portal;
    const sql = `SELECT a.id AS list_key, a.created_at AS list_sort FROM portal_activities a WHERE (${where})
      ORDER BY a.created_at DESC, a.id DESC LIMIT 16 OFFSET 0`;
    if (database.dialect === 'sqlite') {
      const plan = await database.select<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, values);
      expect(JSON.stringify(plan)).not.toContain('TEMP B-TREE');
      expect(JSON.stringify(plan)).toContain('INDEX');
    } else {
      await analyzeTables(database, ['activities']);
      const [plan] = await database.select<{ Extra: string; key: string }>(`EXPLAIN ${sql}`, values);
      expect(plan?.Extra ?? '').not.toContain('filesort');
      expect(plan?.key).not.toBeNull();
    }
  });
});
