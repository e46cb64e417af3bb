import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AppCreatedEvent } from '../../src/domain/apps/index.js';
import { ServiceUnavailableError } from '../../src/kernel/index.js';
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
  await createProduct(test, { slug: 'payments' });
  ada = await Developer.create(test);
});
afterAll(() => test.stop());

const newKey = () => `"key-${(count += 1)}"`;
const newName = () => `app-${(count += 1)}`;
const post = (path: string, body: unknown, key: string, token = ada.token): Promise<Answer> =>
  test.client.post(path, body, { token, headers: { 'idempotency-key': key } });
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

  it('of a process that died is free after its lease', async () => {
    const [key, body] = [newKey(), { name: newName() }];
    await post(APPS, body, key);
    const { database } = test.portal;
    await ada.delete(`/${body.name}`);
    await database.execute(
      'UPDATE portal_idempotency_keys SET answer = NULL WHERE id = (SELECT id FROM (SELECT MAX(id) AS id FROM portal_idempotency_keys) newest)',
    );
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
});
