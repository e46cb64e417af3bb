import { createAdmin, createProduct, createUser, PASSWORD } from '../support/factories.js';
import { PageClient } from '../support/page-client.js';
import { signIn } from '../support/sign-in.js';
import { Developer } from '../support/apps.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

interface Row {
  readonly action: string;
  readonly actor_type: string;
  readonly actor_id: number;
  readonly subject_type: string;
  readonly request_id: string;
  readonly changes: object;
}

let test: TestPortal;
let admin: { id: number; token: string; page: PageClient };
beforeAll(async () => {
  test = await startTestPortal({ config: { apps: { approval: 'manual' } } });
  await test.portal.services.rbac.seed();
  await createProduct(test, { slug: 'payments' });
  const record = await createAdmin(test, { roles: ['super_admin'] });
  const page = new PageClient(test.client);
  await page.submit('/admin/login', { email: record.email, password: PASSWORD });
  admin = { id: record.id, token: await signIn(test, record), page };
});
afterAll(() => test.stop());

const written = () =>
  test.portal.database.select<Row>('SELECT * FROM portal_activities ORDER BY id', [], { decode: { changes: 'json' } });

/** What `run` adds to the log, but for what tells two records apart. */
async function recorded(run: () => Promise<unknown>) {
  const before = (await written()).length;
  await run();
  return (await written()).slice(before).map((row) => {
    expect(row.request_id).not.toBe('');
    const { action, actor_type: actor, actor_id: id, subject_type: subject, changes } = row;
    return { action, actor, id: Number(id), subject, changes };
  });
}

const call = (method: string, path: string, body: unknown = {}) =>
  test.client.send(method, `/api/v1/admin${path}`, { token: admin.token, body });

describe('what an admin does at the console', () => {
  const submit = (path: string, fields: Record<string, string>) => admin.page.submit(path, fields);
  const newUser = async () =>
    (await createUser(test, { firstName: 'Ada', lastName: 'Lovelace', status: 'pending' })).id;
  const newApp = async () => {
    const developer = await Developer.create(test);
    await developer.createApp('shop', ['payments']);
    return `/apps/${developer.user.id}/shop`;
  };
  const app = (path: string) => path.replace(/^\/apps\/(\d+)\/(.*)/, '/users/$1/apps/$2');

  it.each<[string, () => Promise<number | string>, (key: never) => Promise<unknown>, (key: never) => Promise<unknown>]>(
    [
      [
        'a change of a developer',
        newUser,
        (id: number) => submit(`/admin/users/${id}/edit`, { first_name: 'Augusta' }),
        (id: number) => call('PUT', `/users/${id}`, { first_name: 'Augusta' }),
      ],
      [
        'an activation',
        newUser,
        (id: number) => submit(`/admin/users/${id}/activate`, {}),
        (id: number) => call('POST', `/users/${id}/activate`),
      ],
      [
        'a deletion',
        newUser,
        (id: number) => submit(`/admin/users/${id}/delete`, { _confirmation: 'Ada Lovelace' }),
        (id: number) => call('DELETE', `/users/${id}`),
      ],
      [
        'an approval',
        newApp,
        (path: string) => submit(`/admin${path}/approve`, {}),
        (path: string) => call('POST', `${app(path)}/approve`),
      ],
    ],
  )('is recorded as over REST, with the admin as its actor: %s', async (_what, create, atConsole, overRest) => {
    const [one, two] = [await create(), await create()];
    const rows = await recorded(() => atConsole(one as never));
    expect(rows).not.toEqual([]);
    for (const { actor, id } of rows) expect([actor, id]).toEqual(['admin', admin.id]);
    expect(rows).toEqual(await recorded(() => overRest(two as never)));
  });

  it('is recorded as over REST when it is refused', async () => {
    const record = await createAdmin(test, { roles: ['auditor'] });
    const page = new PageClient(test.client);
    await page.submit('/admin/login', { email: record.email, password: PASSWORD });
    const _csrf = await page.csrf('/admin/account');
    const token = await signIn(test, record);
    const id = await newUser();
    const rows = await recorded(() => page.post(`/admin/users/${id}/activate`, { _csrf }));
    expect(rows).toEqual([expect.objectContaining({ actor: 'admin', id: record.id })]);
    const path = `/api/v1/admin/users/${id}/activate`;
    expect(rows).toEqual(await recorded(() => test.client.send('POST', path, { token, body: {} })));
  });
});
