import { createAdmin, createUser, PASSWORD } from '../support/factories.js';
import { PageClient } from '../support/page-client.js';
import { createTeam } from '../support/teams.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';
import { Developer } from '../support/apps.js';
import { createProduct } from '../support/factories.js';

let test: TestPortal;
let admin: PageClient;
beforeAll(async () => {
  test = await startTestPortal({ config: { apps: { approval: 'manual' } }, replicas: 1 });
  await test.portal.services.rbac.seed();
  await createProduct(test, { slug: 'payments', name: 'Payments' });
  admin = await signedIn();
});
afterAll(() => test.stop());

async function signedIn(roles: readonly string[] = ['super_admin']): Promise<PageClient> {
  const { email } = await createAdmin(test, { roles });
  const page = new PageClient(test.client);
  const { path } = await page.submit('/admin/login', { email, password: PASSWORD });
  expect(path).toBe('/admin');
  return page;
}

const status = async (id: number) => (await test.portal.services.accounts.users.find(id)).status;

describe('the console without scripts', () => {
  it('finds a developer by a filter that stands in the address, and says what is wrong with one', async () => {
    await createUser(test, { firstName: 'Grace', lastName: 'Pending', status: 'pending' });
    await createUser(test, { firstName: 'Ada', lastName: 'Active' });
    const { html } = await admin.get('/admin/users?status=pending&sort=-email');
    expect(html).toContain('Grace Pending');
    expect(html).not.toContain('Ada Active');
    const wrong = await admin.get('/admin/users?nothing=1');
    expect([wrong.status, wrong.html.includes('filters')]).toEqual([422, true]);
  });

  it('makes and changes a record with the forms of the route, and tells faults at their fields', async () => {
    const fields = {
      first_name: 'Mary',
      last_name: 'Jackson',
      email: 'mary@example.com',
      password: 'plum ladder kettle 42',
    };
    const made = await admin.submit('/admin/users/create', fields);
    expect(made.path).toMatch(/^\/admin\/users\/\d+$/);
    const edited = await admin.submit(`${made.path}/edit`, { last_name: 'Winston' });
    expect(edited.html).toContain('Mary Winston');
    const refused = await admin.submit('/admin/users/create', { ...fields, email: 'not an address' });
    expect(refused.status).toBe(422);
    expect(refused.html).toContain('value="Mary"');
    expect(refused.html).toMatch(/aria-invalid="true"/);
  });

  it('shows the secret of a new endpoint once, and never again', async () => {
    const fields = { url: 'https://hooks.example.com/portal', events: 'app.*\ncredential.*' };
    const made = await admin.submit('/admin/webhooks/create', fields);
    expect(made.path).toMatch(/^\/admin\/webhooks\/\d+\/created\?once=/);
    expect(made.html).toMatch(/whsec_[A-Za-z0-9+/=]{40,}/);
    expect(made.html).toContain('Copy it now');
    const again = await admin.get(made.path);
    expect([again.status, again.html.includes('whsec_')]).toEqual([200, false]);
    expect(again.html).toContain('https://hooks.example.com/portal');
  });

  it('shows what somebody else changed meanwhile, and takes theirs or mine for each field', async () => {
    const { id } = await createUser(test, { firstName: 'Dorothy', lastName: 'Vaughan' });
    const page = `/admin/users/${id}/edit`;
    const { html } = await admin.get(page);
    const version = /name="_version" value="([^"]+)"/.exec(html)?.[1]?.replaceAll('&quot;', '"') ?? '';
    await test.portal.services.accounts.users.update(id, { firstName: 'Theirs', lastName: 'Theirs' }, {});
    const mine = { first_name: 'Mine', last_name: 'Mine', status: 'active' };
    const conflict = await admin.submit(page, { ...mine, _version: version });
    expect(conflict.status).toBe(412);
    expect(conflict.html.match(/name="_take"/g)).toHaveLength(2);
    const merged = await admin.submit(page, { ...mine, _take: 'last_name' });
    expect(merged.html).toContain('Mine Theirs');
  });

  it('deletes only what was named', async () => {
    const { id } = await createUser(test, { firstName: 'Katherine', lastName: 'Johnson' });
    const wrong = await admin.submit(`/admin/users/${id}/delete`, { _confirmation: 'Katherine' });
    expect([wrong.status, await status(id)]).toEqual([422, 'active']);
    const { path } = await admin.submit(`/admin/users/${id}/delete`, { _confirmation: 'Katherine Johnson' });
    expect(path).toBe('/admin/users');
    await expect(status(id)).rejects.toMatchObject({ status: 404 });
  });

  it('says in numbers what else is reached, and asks for the name then', async () => {
    const { user } = await Developer.create(test, { firstName: 'Annie', lastName: 'Easley' }).then(async (annie) => {
      await annie.createApp('weather', ['payments']);
      return annie;
    });
    const page = `/admin/users/${user.id}/deactivate`;
    expect((await admin.get(page)).html).toMatch(/It also reaches:\s+1 Apps/);
    const unnamed = await admin.submit(page, {});
    expect([unnamed.status, await status(user.id)]).toEqual([422, 'active']);
    await admin.submit(page, { _confirmation: 'Annie Easley' });
    expect(await status(user.id)).toBe('inactive');
    // Nothing else is reached: nothing is typed.
    const { id } = await createUser(test);
    await admin.submit(`/admin/users/${id}/deactivate`, {});
    expect(await status(id)).toBe('inactive');
  });

  it('shows a new key once', async () => {
    const developer = await Developer.create(test);
    await developer.createApp('shop', ['payments']);
    const made = await admin.submit(`/admin/apps/${developer.user.id}/shop/create-key`, {}, {});
    expect(made.html).toMatch(/portal_test_[A-Za-z0-9]{38}/);
    const again = await admin.get(made.path);
    expect(again.html).not.toMatch(/portal_test_[A-Za-z0-9]{38}/);
  });

  it('gives an app to another owner, a team or a developer, and goes on to it there', async () => {
    const [developer, other] = [await Developer.create(test), await Developer.create(test)];
    await developer.createApp('given', ['payments']);
    const team = await createTeam(test, other.user);
    const page = `/admin/apps/${developer.user.id}/given/hand-over`;
    const asked = (await admin.get(page)).html;
    expect([asked.includes(team.name), asked.includes('takes the keys over')]).toEqual([true, false]);
    const moved = await admin.submit(page, { team: String(team.id) });
    expect(moved.path).toBe(`/admin/apps/${team.accountId}/given`);
    const refused = await admin.submit(`${moved.path}/hand-over`, { email: 'nobody@example.com' });
    expect(refused.status).toBe(422);
    const back = await admin.submit(`${moved.path}/hand-over`, { email: developer.user.email });
    expect(back.path).toBe(`/admin/apps/${developer.user.id}/given`);
  });

  it('does something to everything that a filter chooses, after showing the number and the first ones', async () => {
    for (let count = 0; count < 22; count += 1) await createUser(test, { lastName: 'Crowd', firstName: `Nr${count}` });
    const preview = await admin.get('/admin/users/bulk?action=deactivate&scope=all&last_name=Crowd');
    expect(preview.html).toContain('22');
    expect(preview.html.match(/<tr data-row/g)).toHaveLength(20);
    const page = preview.path;
    const started = await admin.submit(page, {}, { action: '/admin/users/bulk/deactivate' });
    expect(started.path).toMatch(/^\/admin\/batches\/[0-9a-f-]{36}$/);
    await test.portal.jobs.run('bulk');
    const done = await admin.get(started.path);
    expect(done.html).toContain('badge-done');
    expect((await admin.get(`${started.path}/results.csv`)).headers.get('content-type')).toMatch('text/csv');
    const { html } = await admin.get('/admin/users?last_name=Crowd&status=active');
    expect(html).not.toContain('<tr data-row');
  });

  it('does it to marked rows alone, and to none when none is marked', async () => {
    const [one, two] = [await createUser(test), await createUser(test)];
    const preview = await admin.get(`/admin/users/bulk?action=deactivate&scope=selected&keys=${one.id}`);
    await admin.submit(preview.path, {}, { action: '/admin/users/bulk/deactivate' });
    await test.portal.jobs.run('bulk');
    expect([await status(one.id), await status(two.id)]).toEqual(['inactive', 'active']);
    const none = await admin.get('/admin/users/bulk?action=deactivate&scope=selected');
    expect([none.path, none.html.includes('Nothing was marked.')]).toEqual(['/admin/users', true]);
  });

  it('saves a list with its filters under a name, which opens it', async () => {
    const csrf = await admin.csrf('/admin/users');
    const view = { _csrf: csrf, resource: 'users', name: 'Who waits', query: '?status=pending', pinned: 'true' };
    const saved = await admin.post('/admin/views', view);
    expect(saved.path).toBe('/admin/users?status=pending');
    expect(saved.html).toContain('Who waits');
  });

  it('lets nobody see or do what their role does not allow', async () => {
    const { id } = await createUser(test, { firstName: 'Only', lastName: 'Seen' });
    const support = await signedIn(['support']);
    const list = await support.get('/admin/roles');
    expect(list.status).toBe(403);
    const record = await support.get(`/admin/users/${id}`);
    expect(record.html.includes(`/admin/users/${id}/delete`)).toBe(false);
    const csrf = await support.csrf(`/admin/users/${id}`);
    const posted = await support.post(`/admin/users/${id}/delete`, { _csrf: csrf, _confirmation: 'Only Seen' });
    expect([posted.status, await status(id)]).toEqual([403, 'active']);
  });
});
