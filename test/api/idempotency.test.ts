import type { OperationRunner } from '../../src/domain/apps/gateway-operations/runner.js';
import { AppCreatedEvent } from '../../src/domain/apps/index.js';
import { DatabaseUnavailableError } from '../../src/database/index.js';
import { ServiceUnavailableError } from '../../src/core/index.js';
import { Admin } from '../support/admin.js';
import { Developer } from '../support/apps.js';
import { createProduct } from '../support/factories.js';
import type { Answer } from '../support/http-client.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const APPS = '/api/v1/me/apps';
const FREE = { ip: { requests: { max: 100_000 } }, register: { perHour: 100_000, perDay: 100_000 } };

let test: TestPortal;
let ada: Developer;
let count = 0;
/** Whether the next app fails with 503 inside its transaction. */
let failing = false;
beforeAll(async () => {
  test = await startTestPortal({ config: { limits: FREE, apps: { keysPerApp: 100 } } });
  test.portal.events.within(AppCreatedEvent, () => {
    if (failing) throw new ServiceUnavailableError(3);
  });
  const { database } = test.portal;
  const execute = database.execute.bind(database);
  database.execute = async (sql, values, options) => {
    if (broken !== null && sql.startsWith(broken)) throw new DatabaseUnavailableError({ detail: 'for this test' });
    return execute(sql, values, options);
  };
  await createProduct(test, { slug: 'payments' });
  ada = await Developer.create(test);
});
afterAll(() => test.stop());

const newKey = () => `"key-${(count += 1)}"`;
const newName = () => `app-${(count += 1)}`;
const post = (path: string, body: unknown, key: string, token = ada.token): Promise<Answer> =>
  test.client.post(path, body, { token, headers: { 'idempotency-key': key } });
/** As if the process of the newest request had been killed after its commit, or before it. */
const forget = (columns: string) =>
  test.portal.database.execute(
    `UPDATE portal_idempotency_keys SET ${columns} WHERE id = (SELECT id FROM (SELECT MAX(id) AS id FROM portal_idempotency_keys) newest)`,
  );
/** Statements that begin like this fail from now on. */
let broken: string | null = null;
const appCount = async () => (await ada.get('?per_page=1')).json.meta.pagination.total as number;

describe('an Idempotency-Key', () => {
  it('gives a repetition the same answer for a day, the key in full included (R19)', async () => {
    const [key, name] = [newKey(), newName()];
    const body = { name, products: ['payments'] };
    const first = await post(APPS, body, key);
    expect([first.status, first.headers.get('idempotency-replayed')]).toEqual([201, null]);
    test.clock.advance(600);
    const again = await post(APPS, { products: ['payments'], name }, key.replaceAll('"', ''));
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    for (const header of ['etag', 'content-type', 'cache-control']) {
      expect([header, again.headers.get(header)]).toEqual([header, first.headers.get(header)]);
    }
    const path = `${APPS}/${name}/credentials`;
    const credential = await post(path, { products: ['payments'] }, newKey());
    const rotation = newKey();
    const rotated = await post(`${path}/${credential.json.data.id}/rotate`, {}, rotation);
    const repeated = await post(`${path}/${credential.json.data.id}/rotate`, {}, rotation);
    expect([repeated.status, repeated.text]).toEqual([201, rotated.text]);
    test.clock.advance(24 * 3600);
    await ada.signInAgain();
    const later = await post(APPS, body, key);
    expect([later.status, later.headers.get('idempotency-replayed')]).toEqual([422, null]);
  });

  it('keeps no key and no secret in clear', async () => {
    const { json } = await post(APPS, { name: newName(), products: ['payments'] }, '"find-me-in-the-dump"');
    const rows = JSON.stringify(await test.portal.database.select('SELECT * FROM portal_idempotency_keys'));
    for (const secret of ['find-me', json.data.credentials[0].consumer_secret, json.data.credentials[0].consumer_key]) {
      expect(rows).not.toContain(secret);
    }
  });

  it('of another request is refused (R19)', async () => {
    const key = newKey();
    const body = { name: newName(), products: ['payments'] };
    const { json } = await post(APPS, body, key);
    const refusals = [
      await post(APPS, { ...body, name: newName() }, key),
      await post(`${APPS}/${json.data.name}/credentials`, { products: ['payments'] }, key),
    ];
    for (const refused of refusals) {
      expect([refused.status, refused.json.errors]).toEqual([
        422,
        { 'Idempotency-Key': ['This key was used for another request; take a new one.'] },
      ]);
    }
  });

  it('belongs to its account', async () => {
    const key = newKey();
    const bob = await Developer.create(test);
    const body = { name: newName() };
    const mine = await post(APPS, body, key);
    const theirs = await post(APPS, body, key, bob.token);
    expect([mine.status, theirs.status, theirs.headers.get('idempotency-replayed')]).toEqual([201, 201, null]);
    expect(theirs.json.data.id).not.toBe(mine.json.data.id);
    const admin = await Admin.create(test);
    const other = await admin.post(
      `/users/${bob.user.id}/apps`,
      { name: newName() },
      { headers: { 'idempotency-key': key } },
    );
    expect(other.status).toBe(201);
    // The token is asked first, whatever the key knows.
    expect((await post(APPS, body, key, 'bad')).status).toBe(401);
  });

  it('lets one of twenty at once do the work (R19)', async () => {
    const before = await appCount();
    const [key, body] = [newKey(), { name: newName(), products: ['payments'] }];
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(APPS, body, key)));
    const done = answers.filter(({ status }) => status === 201);
    const waiting = answers.filter(({ status }) => status === 409);
    expect([done.length + waiting.length, new Set(done.map(({ text }) => text)).size]).toEqual([20, 1]);
    expect(done.filter(({ headers }) => headers.get('idempotency-replayed') === null)).toHaveLength(1);
    for (const { headers, json } of waiting) {
      expect(headers.get('retry-after')).toBe('1');
      expect(Object.keys(json.errors)).toEqual(['Idempotency-Key']);
    }
    expect(await appCount()).toBe(before + 1);
    expect((await post(APPS, body, key)).text).toBe(done[0]?.text);
  });

  it('works at another replica', async () => {
    const replica = await startTestPortal({ databaseUrl: test.databaseUrl, clock: test.clock });
    const [key, body] = [newKey(), { name: newName() }];
    const first = await post(APPS, body, key);
    const call = { token: ada.token, headers: { 'idempotency-key': key } };
    const again = await replica.client.post(APPS, body, call);
    expect([again.status, again.text, again.headers.get('idempotency-replayed')]).toEqual([201, first.text, 'true']);
    await replica.stop();
  });

  it('is free again after a failure, of the form as well as of the server', async () => {
    const [key, body] = [newKey(), { name: newName(), products: ['payments'] }];
    expect((await post(APPS, { ...body, products: ['nope'] }, key)).status).toBe(422);
    failing = true;
    const failed = await post(APPS, body, key);
    failing = false;
    expect(failed.status).toBe(503);
    const created = await post(APPS, body, key);
    expect([created.status, created.headers.get('idempotency-replayed')]).toEqual([201, null]);
  });

  it('of a process that died before its work was done is free after its lease', async () => {
    const [key, body] = [newKey(), { name: newName() }];
    await post(APPS, body, key);
    await ada.delete(`/${body.name}`);
    await forget('answer = NULL, made = NULL');
    expect((await post(APPS, body, key)).status).toBe(409);
    test.clock.advance(60);
    expect((await post(APPS, body, key)).status).toBe(201);
  });

  it.each(['', '""', '"a', 'a b', 'a, b', '"a\\"b"', 'ü', 'x'.repeat(256)])('is malformed as %j', async (key) => {
    const { status, json } = await post(APPS, { name: newName() }, encodeURI(key) === key ? key : 'a;b');
    expect([status, json.message, Object.keys(json.errors)]).toEqual([400, 'Malformed request.', ['Idempotency-Key']]);
  });

  it('is pruned by age', async () => {
    await post(APPS, { name: newName() }, newKey());
    test.clock.advance(24 * 3600 + 60);
    await ada.signInAgain();
    await post(APPS, { name: newName() }, newKey());
    const rows = await test.portal.database.select('SELECT id FROM portal_idempotency_keys');
    expect(rows).toHaveLength(1);
  });
});

describe('what was done before the process died', () => {
  let app: string;
  const keysOf = async () => (await ada.get(`/${app}/credentials`)).json.data as { id: number; status: string }[];
  const live = async () => (await keysOf()).filter(({ status }) => status === 'approved').length;
  const atGateway = async (): Promise<number> => {
    const { portal } = test;
    const sql = `SELECT COUNT(*) AS total FROM portal_gateway_keys k JOIN portal_gateway_apps a ON a.id = k.app_id
      WHERE a.name LIKE ? AND k.status = 'approved'`;
    const [row] = await portal.database.select<{ total: number }>(sql, [`%${app}%`]);
    return Number(row?.total);
  };
  beforeEach(async () => {
    app = newName();
    await ada.createApp(app, ['payments']);
  });
  afterEach(() => void (broken = null));

  const secretOf = ({ json }: Answer) => (json.data.credentials?.[0] ?? json.data) as Record<string, string>;
  const works: [string, () => [path: string, body: object]][] = [
    ['an app', () => [APPS, { name: newName(), products: ['payments'] }]],
    ['an app without a key', () => [APPS, { name: newName() }]],
    ['a key', () => [`${APPS}/${app}/credentials`, { products: ['payments'] }]],
  ];

  it.each(works)('%s is found, its secret included, and made once', async (_what, request) => {
    const [[path, body], key] = [request(), newKey()];
    const first = await post(path, body, key);
    const before = [await appCount(), await live(), await atGateway()];
    await forget('answer = NULL');
    expect((await post(path, body, key)).status).toBe(409);
    test.clock.advance(60);
    const again = await post(path, body, key);
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
    const { consumer_key: name, consumer_secret: secret } = secretOf(first);
    expect(secretOf(again)).toMatchObject(name === undefined ? {} : { consumer_key: name, consumer_secret: secret });
    expect(again.json.data).toMatchObject({ id: first.json.data.id });
    expect([await appCount(), await live(), await atGateway()]).toEqual(before);
    // Kept by now, like any other.
    expect((await post(path, body, key)).text).toBe(again.text);
  });

  it('a rotation is found, and the old key stays replaced once', async () => {
    const [{ id } = { id: 0 }] = await keysOf();
    const [path, key] = [`${APPS}/${app}/credentials/${id}/rotate`, newKey()];
    const first = await post(path, { overlap: 0 }, key);
    await forget('answer = NULL');
    test.clock.advance(60);
    const again = await post(path, { overlap: 0 }, key);
    const shown = ['id', 'consumer_key', 'consumer_secret'].map((field) => secretOf(first)[field]);
    expect(['id', 'consumer_key', 'consumer_secret'].map((field) => secretOf(again)[field])).toEqual(shown);
    expect([again.status, await live(), await atGateway()]).toEqual([201, 1, 1]);
  });

  it('accounts are found', async () => {
    const admin = await Admin.create(test);
    const password = 'a phrase that nobody else uses';
    const user = { first_name: 'Eve', last_name: 'X', email: `eve${(count += 1)}@example.com`, password };
    for (const [path, body] of [
      ['/users', user],
      ['/admins', { name: 'Eve', email: user.email, password }],
    ] as const) {
      const headers = { 'idempotency-key': newKey() };
      const first = await admin.post(path, body, { headers });
      await forget('answer = NULL');
      test.clock.advance(60);
      const again = await admin.post(path, body, { headers });
      expect([path, again.status, again.json.data]).toEqual([path, 201, first.json.data]);
    }
  });

  it('that was deleted since is not made again', async () => {
    const [key, body] = [newKey(), { name: newName(), products: ['payments'] }];
    await post(APPS, body, key);
    await forget('answer = NULL');
    await ada.delete(`/${body.name}`);
    test.clock.advance(60);
    const again = await post(APPS, body, key);
    expect([again.status, Object.keys(again.json.errors)]).toEqual([409, ['Idempotency-Key']]);
    expect((await ada.get(`/${body.name}`)).status).toBe(404);
  });

  it('is found at once when its answer could not be kept', async () => {
    const [path, key] = [`${APPS}/${app}/credentials`, newKey()];
    broken = 'UPDATE portal_idempotency_keys SET answer';
    const first = await post(path, { products: ['payments'] }, key);
    expect(first.status).toBe(201);
    const again = await post(path, { products: ['payments'] }, key);
    expect([again.status, secretOf(again)]).toEqual([201, secretOf(first)]);
    broken = null;
    expect(secretOf(await post(path, { products: ['payments'] }, key))).toEqual(secretOf(first));
    expect([await live(), await atGateway()]).toEqual([2, 2]);
  });

  describe('in a process that fails', () => {
    beforeEach(() => test.pin(true));
    afterEach(() => test.pin(false));

    it('is not done when it cannot be noted', async () => {
      const [path, key] = [`${APPS}/${app}/credentials`, newKey()];
      broken = 'UPDATE portal_idempotency_keys SET made';
      expect((await post(path, { products: ['payments'] }, key)).status).toBe(503);
      broken = null;
      expect([await live(), await atGateway()]).toEqual([1, 1]);
      expect((await post(path, { products: ['payments'] }, key)).status).toBe(201);
      expect([await live(), await atGateway()]).toEqual([2, 2]);
    });

    it('is found at once when only the rest of its request failed', async () => {
      const [path, key] = [`${APPS}/${app}/credentials`, newKey()];
      const { readModel } = test.portal.services.apps.credentials as unknown as { readModel: { one: unknown } };
      const one = jest.spyOn(readModel as { one: () => Promise<never> }, 'one');
      one.mockImplementationOnce(() => Promise.reject(new DatabaseUnavailableError({ detail: 'for this test' })));
      expect((await post(path, { products: ['payments'] }, key)).status).toBe(503);
      one.mockRestore();
      const again = await post(path, { products: ['payments'] }, key);
      expect([again.status, secretOf(again).consumer_secret]).toEqual([201, expect.stringMatching(/^[\w-]{20,}$/)]);
      expect([await live(), await atGateway()]).toEqual([2, 2]);
    });

    it('counts for nothing when another process has taken over meanwhile', async () => {
      const [path, key] = [`${APPS}/${app}/credentials`, newKey()];
      const { runner } = (test.portal.services.apps.credentials as unknown as { parts: { runner: OperationRunner } })
        .parts;
      const run = runner.run.bind(runner);
      const slow = jest.spyOn(runner, 'run').mockImplementationOnce(async (change) => {
        const applyRemote = async (entry: number) => {
          await change.applyRemote(entry);
          // As long as the lease: the next request with the key goes on without this one.
          await forget("lease_token = 'another'");
        };
        return run({ ...change, applyRemote });
      });
      expect((await post(path, { products: ['payments'] }, key)).status).toBe(409);
      slow.mockRestore();
      expect([await live(), await atGateway()]).toEqual([1, 1]);
    });
  });

  it('is kept encrypted', async () => {
    const first = await post(`${APPS}/${app}/credentials`, { products: ['payments'] }, newKey());
    const rows = JSON.stringify(await test.portal.database.select('SELECT made FROM portal_idempotency_keys'));
    for (const secret of Object.values(secretOf(first))) {
      if (typeof secret === 'string' && secret.length > 16) expect(rows).not.toContain(secret);
    }
  });
});

describe('an Idempotency-Key of a registration', () => {
  const register = (email: string, key: string, password = 'a phrase nobody else uses') =>
    test.client.post(
      '/api/v1/auth/register',
      { first_name: 'Eve', last_name: 'X', email, password, password_confirmation: password },
      { headers: { 'idempotency-key': key } },
    );

  it('belongs to the address, and repeats for the same body only', async () => {
    const key = newKey();
    const first = await register('Eve@example.com', key);
    const again = await register('Eve@example.com', key);
    expect([first.status, again.status, again.text]).toEqual([201, 201, first.text]);
    expect((await register('eve@example.com', key, 'another phrase nobody uses')).json.errors).toHaveProperty([
      'Idempotency-Key',
    ]);
    expect((await register('eve2@example.com', key)).status).toBe(201);
    const rows = JSON.stringify(await test.portal.database.select('SELECT * FROM portal_idempotency_keys'));
    expect(rows).not.toContain(first.json.data.refresh_token);
  });

  it('goes on where a process died, for as long as the request proves who sends it', async () => {
    const email = `lost${(count += 1)}@example.com`;
    const key = newKey();
    expect((await register(email, key)).status).toBe(201);
    await forget('answer = NULL');
    test.clock.advance(60);
    const again = await register(email, key);
    expect([again.status, again.json.data.access_token]).toEqual([201, expect.any(String)]);
    await forget('answer = NULL');
    test.clock.advance(60);
    const { users } = test.portal.services.accounts;
    const { user } = (await users.findByEmail(email)) ?? { user: { id: 0 } };
    await users.changePassword(user.id, 'quite another phrase by now');
    expect((await register(email, key)).status).toBe(409);
  });
});
