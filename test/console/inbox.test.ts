import { Developer } from '../support/apps.js';
import { openConsole } from '../support/console.js';
import { createProduct, createUser } from '../support/factories.js';
import { formsOf, type PageClient } from '../support/page-client.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

let test: TestPortal;
let ada: Developer;
beforeAll(async () => {
  test = await startTestPortal({ config: { apps: { approval: 'manual' } } });
  await createProduct(test, { slug: 'payments', name: 'Payments' });
  await createProduct(test, { slug: 'loans', name: 'Loans', approval: 'manual' });
});
beforeEach(async () => {
  ada = await Developer.create(test);
});
afterAll(() => test.stop());
afterEach(async () => {
  await test.portal.database.execute("UPDATE portal_users SET status = 'active'");
  await test.portal.database.execute("UPDATE portal_apps SET status = 'approved'");
  await test.portal.database.execute("UPDATE portal_credentials SET status = 'approved'");
  await test.portal.database.execute("UPDATE portal_credential_products SET status = 'approved'");
});

/** The forms of the first entry: to approve, and to refuse. */
async function firstEntry(browser: PageClient, path = '/admin/inbox') {
  const { html } = await browser.get(path);
  const [approve, refuse] = formsOf(html).filter(({ action }) => action === '/admin/inbox');
  return { html, approve: approve?.fields ?? {}, refuse: refuse?.fields ?? {} };
}
/** One after the other, since those who came first stand first. */
async function newcomers(count: number) {
  const users: Awaited<ReturnType<typeof createUser>>[] = [];
  for (let index = 0; index < count; index++)
    users.push(await createUser(test, { status: 'pending', firstName: 'Newcomer', lastName: String(index) }));
  return users;
}
const statusOf = async (id: number) => (await test.portal.services.accounts.users.find(id)).status;

describe('the inbox of the console', () => {
  it('shows who waits, for what and how long, with buttons that need no script', async () => {
    await ada.createApp('checkout', ['payments', 'loans']);
    await ada.put('/checkout', { description: 'Takes the money\nof our shop' });
    test.clock.advance(3 * 86_400);
    const { html, approve, refuse } = await firstEntry(await openConsole(test));
    expect(html).toMatch(new RegExp(`${ada.user.email}.*checkout`, 's'));
    expect(html).toContain('waits for 3 days');
    // The class keeps its lines; `lines` alone is the frame of a list.
    expect(html).toMatch(/<p class="soft console-lines break"><bdi>Takes the money\nof our shop</);
    expect(html).toMatch(/Payments.*Loans|Loans.*Payments/s);
    expect(approve.operation).toBe('approveUserApp');
    expect(refuse).toMatchObject({ operation: 'revokeUserApp', reason: '' });
  });

  it('approves, and opens the next one', async () => {
    const [first, second] = await newcomers(2);
    const browser = await openConsole(test);
    const { approve, html } = await firstEntry(browser);
    expect(html).toMatch(/Inbox <span class="count">2</);
    const answer = await browser.post('/admin/inbox', approve);
    expect([answer.status, answer.path]).toEqual([200, '/admin/inbox']);
    expect(answer.html).toContain('Approved. Here is the next one.');
    expect(answer.html).toMatch(/Inbox <span class="count">1</);
    expect(answer.html.match(/data-row data-at/g)).toHaveLength(1);
    expect([await statusOf(first?.id ?? 0), await statusOf(second?.id ?? 0)]).toEqual(['active', 'pending']);
  });

  it('stays at its place in the list, on its page and with its filter', async () => {
    await newcomers(3);
    const browser = await openConsole(test);
    const { html } = await browser.get('/admin/inbox?kind=developer');
    const forms = formsOf(html).filter(({ action }) => action === '/admin/inbox');
    const answer = await browser.post('/admin/inbox', forms[2]?.fields ?? {});
    expect(answer.path).toBe('/admin/inbox?kind=developer&at=1');
    expect(answer.html).toMatch(/data-row data-at>.*?name="at" value="1"/s);
  });

  it('refuses with the reason that the developer reads', async () => {
    await ada.createApp('refused', ['payments']);
    const browser = await openConsole(test);
    const { refuse } = await firstEntry(browser);
    const answer = await browser.post('/admin/inbox', { ...refuse, reason: 'Please sign the contract.' });
    expect(answer.html).toContain('Refused. Here is the next one.');
    const app = await test.client.get('/api/v1/me/apps/refused', { token: ada.token });
    expect(app.json.data).toMatchObject({ status: 'revoked', status_reason: 'Please sign the contract.' });
  });

  it('decides about keys and about products on keys', async () => {
    const { id } = await ada.createApp('parts', ['payments', 'loans']);
    await test.portal.database.execute("UPDATE portal_apps SET status = 'approved'");
    await test.portal.database.execute("UPDATE portal_credentials SET status = 'pending' WHERE id = ?", [id]);
    const browser = await openConsole(test);
    for (const kind of ['key', 'product']) {
      const { approve } = await firstEntry(browser, `/admin/inbox?kind=${kind}`);
      const answer = await browser.post('/admin/inbox', approve);
      expect(answer.html).toContain('Approved.');
      expect(answer.html).toContain('Nothing waits');
    }
  });

  it.each([
    ['approve', 'Somebody else has approved this already. Nothing was changed.'],
    ['refuse', 'Somebody else has refused this already. Nothing was changed.'],
  ] as const)('tells the second of two admins that it was decided: %s', async (verb, sentence) => {
    const [one] = await newcomers(1);
    const [first, second] = [await openConsole(test), await openConsole(test)];
    const [mine, theirs] = [await firstEntry(first), await firstEntry(second)];
    await first.post('/admin/inbox', mine[verb]);
    const decided = await statusOf(one?.id ?? 0);
    const answer = await second.post('/admin/inbox', verb === 'approve' ? theirs.refuse : theirs.approve);
    expect(answer.html).toContain(sentence);
    expect(await statusOf(one?.id ?? 0)).toBe(decided);
  });

  it('says that what was deleted no longer waits', async () => {
    const [one] = await newcomers(1);
    const browser = await openConsole(test);
    const { approve } = await firstEntry(browser);
    await test.portal.services.accounts.users.delete(one?.id ?? 0);
    expect((await browser.post('/admin/inbox', approve)).html).toContain('This no longer waits');
  });

  it('runs decisions of the queue and nothing else', async () => {
    const [one] = await newcomers(1);
    const browser = await openConsole(test);
    const { approve } = await firstEntry(browser);
    for (const operation of ['deleteUser', 'revealUserCredential', 'toString', '']) {
      expect((await browser.post('/admin/inbox', { ...approve, operation })).status).toBe(422);
    }
    expect((await browser.post('/admin/inbox', { ...approve, params: '{' })).status).toBe(422);
    expect(await statusOf(one?.id ?? 0)).toBe('pending');
  });

  it('offers decisions to those who may make them, and refuses what others send anyway', async () => {
    const [one] = await newcomers(1);
    const mighty = await openConsole(test);
    const looking = await openConsole(test, ['portal.users.view']);
    const { approve } = await firstEntry(mighty);
    const seen = await firstEntry(looking);
    expect(seen.html).toContain('Newcomer');
    expect(seen.approve).toEqual({});
    const token = await looking.csrf('/admin');
    const answer = await looking.post('/admin/inbox', { ...approve, _csrf: token });
    expect(answer.status).toBe(403);
    expect(await statusOf(one?.id ?? 0)).toBe('pending');
    expect((await firstEntry(await openConsole(test, []))).html).toContain('Nothing waits');
  });
});
