import { AdminClient } from '../support/admin-client.js';
import { Developer, verify } from '../support/apps.js';
import { createProduct } from '../support/factories.js';
import { Mailbox } from '../support/mailbox.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';
import { flushUsage } from '../support/usage.js';

const DAY_S = 86_400;
const box = new Mailbox();
let test: TestPortal;
let admin: AdminClient;
let count = 0;
let slug: string;
let people: Record<'caller' | 'holder' | 'muted' | 'watcher' | 'lost', Developer>;

const mailsTo = async (developer: Developer): Promise<string[]> => {
  const sql = 'SELECT template FROM portal_mails WHERE recipient = ? ORDER BY id';
  return (await test.portal.database.select<{ template: string }>(sql, [developer.user.email]))
    .map(({ template }) => template)
    .filter((template) => /^(?:changes?|deprecation|sunset)-/.test(template));
};
const told = async () => {
  const all = await Promise.all(Object.entries(people).map(async ([name, one]) => [name, await mailsTo(one)] as const));
  return Object.fromEntries(all.filter(([, mails]) => mails.length > 0));
};
const me = (developer: Developer, method: string, path: string, body?: object) =>
  test.client.send(method, `/api/v1/me${path}`, { token: developer.token, ...(body && { body }) });
/** Twice at the same time, as two replicas would. */
const run = () => {
  test.pin(false);
  return both('change-notices');
};
const both = (job: string) => Promise.all([test.portal.jobs.run(job), test.portal.jobs.run(job)]);
const call = async (key: string) => {
  expect((await verify(test, key, slug)).status).toBe(200);
  await flushUsage(test);
};

beforeAll(async () => {
  test = await startTestPortal({ replicas: 1, extensions: { mailer: () => box } });
});
let key: string;
beforeEach(async () => {
  count += 1;
  slug = `api-${count}`;
  test.clock.advance(40 * DAY_S);
  admin = await AdminClient.create(test, ['catalog_manager']);
  const names = ['caller', 'holder', 'muted', 'watcher', 'lost'] as const;
  const made = await Promise.all(names.map(async (name) => [name, await Developer.create(test)] as const));
  people = Object.fromEntries(made) as typeof people;
  const { audiences } = test.portal.services.catalog;
  const users = Object.values(people).map(({ user }) => user.email);
  const beta = await audiences.create({ name: `beta-${count}`, users });
  await createProduct(test, { slug, visibility: 'private', audiences: [`beta-${count}`] });
  ({ key } = await people.caller.createApp('shop', [slug]));
  await people.holder.createApp('idle', [slug]);
  const muted = await people.muted.createApp('quiet', [slug]);
  const lost = await people.lost.createApp('gone', [slug]);
  for (const one of [key, muted.key, lost.key]) await call(one);
  expect((await me(people.muted, 'PUT', `/watches/${slug}`, { kinds: [] })).status).toBe(200);
  expect((await me(people.watcher, 'PUT', `/watches/${slug}`, { kinds: ['deprecation', 'fix'] })).status).toBe(200);
  await audiences.update(beta.id, { users: users.filter((email) => email !== people.lost.user.email) });
});
afterAll(() => test.stop());

const announced = async (days = 100) => {
  const sunset = new Date(test.clock.now().getTime() + days * DAY_S * 1_000);
  const body = { sunset_at: `${sunset.toISOString().slice(0, 10)}T00:00Z` };
  const path = `/products/${slug}/deprecations/${(await admin.post(`/products/${slug}/deprecations`, body)).json.data.id as number}`;
  expect((await admin.post(`${path}/announce`)).status).toBe(200);
  return { path, sunset: Date.parse(body.sunset_at) };
};
const published = async (kind: string, notice: boolean) => {
  const { id } = (await admin.post(`/products/${slug}/changes`, { kind, name: 'Amounts are texts' })).json.data;
  expect((await admin.post(`/products/${slug}/changes/${id as number}/publish`, { notice })).status).toBe(200);
};

describe('a change', () => {
  it('names to admins whom it hits before it is published', async () => {
    const { status, json } = await admin.get(`/products/${slug}/callers`);
    expect([status, json.data.basis, json.data.total]).toEqual([200, 'product', 3]);
    const shown = json.data.apps.map((app: { name: string; reachable: boolean; calls: number }) => [
      app.name,
      app.reachable,
      app.calls,
    ]);
    expect(shown.sort()).toEqual([
      ['gone', false, 1],
      ['quiet', true, 1],
      ['shop', true, 1],
    ]);
    expect((await (await AdminClient.create(test, ['auditor'])).get(`/products/${slug}/callers`)).status).toBe(403);
  });

  it.each([
    ['breaking', true, { caller: ['change-published'] }],
    ['breaking', false, {}],
    ['feature', true, {}],
    ['fix', true, { watcher: ['change-published'] }],
    ['deprecation', true, { caller: ['change-published'], watcher: ['change-published'] }],
  ])(
    'of the kind %s with notice %s tells exactly those whom it hits or who asked, once',
    async (kind, notice, expected) => {
      await published(kind, notice);
      await run();
      await run();
      expect(await told()).toEqual(expected);
    },
  );

  it('is told on pages and by webhook too, to its owner alone, and can be marked as read', async () => {
    await announced();
    await run();
    const notices = async (one: Developer) => (await me(one, 'GET', '/notices')).json.data;
    const [notice] = await notices(people.caller);
    expect(notice).toMatchObject({ kind: 'deprecation', product: { slug }, apps: [{ name: 'shop' }], read_at: null });
    expect([await notices(people.holder), await notices(people.lost)]).toEqual([[], []]);
    const recorded = "SELECT action FROM portal_activities WHERE action = 'app.change_announced' AND owner_id = ?";
    expect(await test.portal.database.select(recorded, [people.caller.user.id])).toHaveLength(1);
    expect((await me(people.watcher, 'POST', `/notices/${notice.id as number}/read`)).status).toBe(404);
    expect((await me(people.caller, 'POST', `/notices/${notice.id as number}/read`)).status).toBe(200);
    expect((await notices(people.caller))[0].read_at).not.toBeNull();
    // Who sees the product no more reads nothing of it.
    const { audiences } = test.portal.services.catalog;
    await audiences.update(
      (await audiences.list({ page: 1, perPage: 50, orderBy: 'id', direction: 'DESC', with: [], filters: [] })).items[0]
        ?.id ?? 0,
      { users: [] },
    );
    expect(await notices(people.caller)).toEqual([]);
  });

  it('that ends something reminds those who still call, each stage once, and nobody who moved on', async () => {
    const { path, sunset } = await announced(95);
    await run();
    expect(await told()).toEqual({ caller: ['deprecation-announced'], watcher: ['deprecation-announced'] });
    const at = async (days: number) => {
      test.clock.advance((sunset - test.clock.now().getTime()) / 1_000 - days * DAY_S);
      // Sums up the days that are over.
      await test.portal.jobs.run('usage');
      await run();
      await run();
      return (await mailsTo(people.caller)).length;
    };
    expect([await at(91), await at(90), await at(89)]).toEqual([1, 2, 2]);
    // Nobody called for a month.
    expect(await at(30)).toBe(2);
    test.clock.advance(DAY_S);
    await call(key);
    expect(await at(7)).toBe(3);
    await people.caller.signInAgain();
    const [notice] = (await me(people.caller, 'GET', '/notices')).json.data;
    expect((await me(people.caller, 'POST', `/notices/${notice.id as number}/migrated`)).status).toBe(200);
    expect(await at(1)).toBe(3);
    expect((await mailsTo(people.watcher)).length).toBe(1);
    admin = await AdminClient.create(test, ['catalog_manager']);
    const { apps, burn_down: days } = (await admin.get(`${path}/callers`)).json.data;
    expect(
      apps.map((app: { name: string; migrated_at: string | null }) => [app.name, app.migrated_at !== null]),
    ).toEqual([['shop', true]]);
    expect(days.at(-1)).toMatchObject({ apps: 1, calls: 1 });
  });

  it('is ended by the address of its mail without a sign-in, for that product and person alone', async () => {
    const { notices } = test.portal.services;
    const { id } = await test.portal.services.catalog.products.findForAdmin(slug);
    const token = notices.tokenOf(people.caller.user.id, id);
    const post = (value: string) => test.client.send('POST', `/unsubscribe/${value}`);
    const other = token.replace(/^\d+/, String(people.watcher.user.id));
    for (const wrong of ['', 'x', other, `${token}x`, token.slice(0, -1), '1.2.3'])
      expect((await post(wrong)).status).toBe(404);
    expect((await test.client.send('GET', `/unsubscribe/${token}`)).status).toBe(303);
    await published('breaking', false);
    expect((await post(token)).status).toBe(200);
    expect((await me(people.caller, 'GET', '/watches')).json.data).toEqual([
      { product: expect.objectContaining({ slug }), kinds: [] },
    ]);
    await announced();
    await run();
    expect(await told()).toEqual({ watcher: ['deprecation-announced'] });
  });
});

describe('a developer who wants one mail a day', () => {
  const choose = async (one: Developer, delivery: string) =>
    expect((await me(one, 'PUT', '/change-mails', { delivery })).json.data).toEqual({ delivery });
  /** Goes to an hour of the day that is so many days away from the present one, in UTC. */
  const go = (days: number, hour: number) => {
    const now = test.clock.now().getTime();
    test.clock.advance((Math.floor(now / 864e5) + days) * DAY_S + hour * 3_600 - now / 1_000);
  };
  const digest = () => both('change-digests');
  const again = () => test.portal.services.notices;
  const idOf = async () => (await test.portal.services.catalog.products.findForAdmin(slug)).id;

  it('hears of all changes that they still see and want, each once, in their language and with an end to it', async () => {
    const { caller, watcher, holder, muted } = people;
    expect((await me(caller, 'GET', '/change-mails')).json.data).toEqual({ delivery: 'at_once' });
    expect((await me(caller, 'PUT', '/change-mails', { delivery: 'weekly' })).status).toBe(422);
    for (const one of [caller, watcher, holder, muted]) await choose(one, 'daily');
    for (const one of [holder, muted]) await me(one, 'PUT', `/watches/${slug}`, { kinds: ['breaking'] });
    await me(watcher, 'PUT', '', { locale: 'ar' });
    go(1, 5);
    admin = await AdminClient.create(test, ['catalog_manager']);
    await published('breaking', true);
    const { sunset } = await announced();
    await run();
    await digest();
    expect([await told(), (await again().list(caller.user.id, FIRST, 'en')).items.length]).toEqual([{}, 2]);
    // One sees the product no more, another does not want to hear of it any more.
    const { audiences } = test.portal.services.catalog;
    const { items } = await audiences.list({ ...FIRST, orderBy: 'id' });
    const users = [caller, watcher, muted].map(({ user }) => user.email);
    await audiences.update(items[0]?.id ?? 0, { users });
    await again().watch(muted.user.id, { id: await idOf() }, []);
    go(0, 6);
    await digest();
    await digest();
    expect(await told()).toEqual({ caller: ['changes-digest'], watcher: ['changes-digest'] });
    await test.portal.jobs.run('mail');
    const [mail, arabic] = [caller, watcher].map(({ user }) => box.mails.find(({ to }) => to === user.email));
    expect(mail?.subject).toMatch(/^2 changes: /);
    const pages = `/portal/products/${slug}`;
    expect(mail?.text).toMatch(new RegExp(`Deprecation: [^]+${pages}\\n- Breaking: Amounts are texts`));
    expect(mail?.text).toContain('Your apps that called it: shop.');
    expect(mail?.html).toMatch(new RegExp(`href="[^"]+${pages}/changes/\\d+"`));
    expect(mail?.text).toMatch(new RegExp(`Ends on .*${new Date(sunset).getUTCFullYear()}: keys are refused`));
    expect([arabic?.locale, arabic?.subject]).toEqual(['ar', expect.stringMatching(/^تغيير واحد: /)]);
    // The end of it: nobody else's, nothing for who only opens it.
    const address = new URL(mail?.unsubscribe ?? '').pathname;
    const other = address.replace(/\d+(?=\.0\.)/, String(watcher.user.id));
    const post = async (path: string) => (await test.client.send('POST', path)).status;
    expect([await post(other), await post(`${address}x`)]).toEqual([404, 404]);
    expect((await test.client.send('GET', address)).status).toBe(303);
    const chosen = async (one: Developer) => test.portal.services.changeMails.find(one.user.id);
    expect([await chosen(caller), await post(address), await chosen(caller)]).toEqual(['daily', 200, 'none']);
    expect(await chosen(watcher)).toBe('daily');
  });

  it('gets no second one on a day, also where the first came late, and none of what they chose to hear nothing of', async () => {
    const { caller, watcher } = people;
    await choose(caller, 'daily');
    await choose(watcher, 'daily');
    const publish = async () => {
      // Sums up the days that are over.
      await test.portal.jobs.run('usage');
      admin = await AdminClient.create(test, ['catalog_manager']);
      await published('deprecation', true);
      await run();
      await digest();
    };
    go(1, 12);
    await publish();
    go(1, 5);
    await digest();
    expect(await told()).toEqual({});
    // Nothing ran until the next morning.
    go(1, 2);
    await digest();
    const once = ['changes-digest'];
    expect(await told()).toEqual({ caller: once, watcher: once });
    await publish();
    go(0, 23);
    await digest();
    expect(await told()).toEqual({ caller: once, watcher: once });
    await test.portal.services.changeMails.choose(watcher.user.id, 'none');
    go(1, 6);
    await digest();
    expect(await told()).toEqual({ caller: [...once, ...once], watcher: once });
    await test.portal.services.changeMails.choose(caller.user.id, 'at_once');
    await publish();
    expect(await told()).toEqual({ caller: [...once, ...once, 'change-published'], watcher: once });
  });

  it.each(['daily', 'none'])('is reminded at once of what ends within a week, with the choice %s', async (delivery) => {
    const { caller } = people;
    await choose(caller, delivery);
    const { sunset } = await announced();
    await run();
    const at = async (days: number) => {
      test.clock.advance((sunset - test.clock.now().getTime()) / 1_000 - days * DAY_S);
      await test.portal.jobs.run('usage');
      await call(key);
      await run();
      return mailsTo(caller);
    };
    const [month, week, day] = [await at(30), await at(7), await at(1)];
    expect([month, week, day]).toEqual([[], ['sunset-near'], ['sunset-near', 'sunset-near']]);
    await digest();
    expect((await mailsTo(caller)).slice(2)).toEqual(delivery === 'daily' ? ['changes-digest'] : []);
  });
});

const FIRST = { page: 1, perPage: 9, orderBy: 'created_at', direction: 'DESC', with: [], filters: [] } as const;
