import { createUser, PASSWORD } from '../support/factories.js';
import { decoded, formsOf, PageClient } from '../support/page-client.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const LIST = '/portal/webhooks';

let test: TestPortal;
let page: PageClient;
let receiver: WebhookReceiver;
let owner: number;
/** Below the list. */
let place: string;
beforeAll(async () => {
  test = await startTestPortal({ config: { outbound: { allow: ['127.0.0.1'] } }, replicas: 1 });
  receiver = await WebhookReceiver.start();
  const user = await createUser(test);
  owner = user.id;
  page = await signIn(user.email);
});
afterAll(async () => {
  await receiver.stop();
  await test.stop();
});

async function signIn(email: string): Promise<PageClient> {
  const client = new PageClient(test.client);
  await client.submit('/portal/login', { email, password: PASSWORD });
  return client;
}
const add = async (fields: Record<string, string | string[]>, client = page) => {
  const sent = { _csrf: await client.csrf(`${LIST}/create`), url: receiver.url, events: ['app.*'], ...fields };
  return client.post(LIST, sent);
};
const send = (action: string, fields: Record<string, string> = {}) =>
  page.submit(place, fields, { action: `${place}/${action}` });
const secretIn = (html: string) => /whsec_[A-Za-z0-9+/=]+/.exec(decoded(html))?.[0];
async function deliver(): Promise<void> {
  await test.portal.jobs.run('webhooks');
  await test.portal.services.webhooks.dispatcher.idle();
}
const textOf = (html: string) =>
  decoded(html)
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ');

describe('the pages of webhooks', () => {
  it('are one step away from the dashboard and from every page', async () => {
    const { html } = await page.get('/portal/dashboard');
    expect(html.split(`<a href="${LIST}">`)).toHaveLength(3);
    expect((await page.get(LIST)).html).toContain('No webhooks yet');
    expect((await page.get(`${LIST}?locale=ar`)).html).toContain('لا خطافات ويب بعد');
    await page.get(`${LIST}?locale=en`);
  });

  it('refuse what cannot be, beside its field, and keep what was typed', async () => {
    for (const [fields, said] of [
      [{ url: 'ftp://example.com' }, 'Give an address that begins with https://.'],
      [{ url: 'https://ada:word@example.com' }, 'Give an address without a user name'],
      [{ url: ' ' }, 'Please fill in this field.'],
      [{ url: `https://example.com/${'x'.repeat(2_050)}` }, 'Give an address that begins with https://.'],
      [{ description: 'x'.repeat(201) }, 'Use at most 200 visible characters.'],
      [{ description: 'a\u0007b' }, 'visible characters'],
      [{ events: [] }, 'Choose at least one event.'],
      [{ events: ['category.*'] }, 'There is no event category.*'],
    ] as const) {
      const { html } = await add({ description: 'Kept', ...(fields as Record<string, string>) });
      expect(decoded(html)).toContain(said);
      if (!('description' in fields)) expect(html).toContain('value="Kept"');
    }
    expect(await test.portal.services.webhooks.endpoints.list(owner)).toEqual([]);
  });

  it('add one, tell its secret once, with the name that the programs beside it read', async () => {
    const made = await add({ description: 'Our billing', events: ['app.*', 'credential.expiring'] });
    place = made.path.replace(/\?.*/, '');
    expect(place).toMatch(/^\/portal\/webhooks\/\d+$/);
    const secret = secretIn(made.html);
    expect(secret).toBeDefined();
    expect(made.html).toContain('Not verified');
    expect(textOf(made.html)).toMatch(
      /process\.env\.OUR_BILLING_WEBHOOK_SECRET.*Getenv\("OUR_BILLING_WEBHOOK_SECRET"\)/,
    );
    expect(secretIn((await page.get(place)).html)).toBeUndefined();
    expect((await page.get(LIST)).html).toContain('Our billing');
  });

  it('verify it, and say what is wrong when the server does not echo', async () => {
    receiver.isLiar = true;
    expect(textOf((await send('verify')).html)).toContain('Your server did not echo the challenge');
    receiver.isLiar = false;
    expect(textOf((await send('verify')).html)).toContain('Too many attempts');
    test.clock.advance(11);
    const { html } = await send('verify');
    expect(textOf(html)).toContain('it gets events from now on');
    expect(formsOf(html).map(({ action }) => action)).not.toContain(`${place}/verify`);
  });

  it('send a test, and show each attempt, but no answer of a host that is not public', async () => {
    receiver.answer = { status: 500, body: 'secret of the network' };
    expect(textOf((await send('test', { type: 'app.approved' })).html)).toContain('The test is on its way.');
    await deliver();
    const { html } = await page.get(place);
    const link = /href="([^"]+\/deliveries\/\d+)"/.exec(html)?.[1] ?? '';
    const shown = textOf((await page.get(link)).html);
    expect(shown).toMatch(/Waiting.*msg_[0-9a-f]{32}.*"is_test": true.*Answered 500.*one that is not shown/);
    expect(shown).not.toContain('secret of the network');
    receiver.answer = { status: 200 };
    await page.submit(link, {}, { action: `${link}/resend` });
    await deliver();
    expect(textOf((await page.get(link)).html)).toMatch(/Delivered.*Answered 500.*Answered 200/);
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1);
    expect((await page.get(`${place}?state=failed`)).html).toContain('There is none like that.');
    expect((await page.get(`${place}?state=sent`)).html).toContain(link);
    expect(textOf((await send('test', { type: 'category.created' })).html)).toContain('There is no event');
  });

  it('send again what was given up or missed', async () => {
    await test.portal.database.execute("UPDATE portal_webhook_deliveries SET state = 'failed'");
    expect(textOf((await send('recover', { since: '3600' })).html)).toContain('The messages are on their way.');
    await deliver();
    expect(textOf((await send('replay', { since: '86400', until: '3600' })).html)).toContain(
      'There was nothing to send.',
    );
    expect(receiver.received).toHaveLength(3);
  });

  it('replace the secret, while both sign, and tell the new one once', async () => {
    const { html } = await send('rotate', { overlap: '3600' });
    expect(secretIn(html)).toBeDefined();
    expect(html).toContain('Two secrets sign until');
    const [endpoint] = await test.portal.services.webhooks.endpoints.list(owner);
    expect(endpoint?.previousUntil?.getTime()).toBe(test.clock.now().getTime() + 3_600_000);
  });

  it('change it; another address has to be verified anew, and turning off stops it', async () => {
    const _csrf = await page.csrf(place);
    const change = (fields: Record<string, string | string[]>) =>
      page.post(place, { _csrf, url: receiver.url, events: ['app.*'], ...fields });
    expect(textOf((await change({ url: '', description: 'B' })).html)).toContain('Please fill in this field.');
    expect(textOf((await change({ description: 'Billing' })).html)).toContain('The webhook was saved.');
    expect(textOf((await change({ url: `${receiver.url}2` })).html)).toContain('Verify the new address');
    test.clock.advance(11);
    expect(textOf((await send('verify')).html)).toContain('it gets events from now on');
    expect(textOf((await send('off')).html)).toMatch(/The webhook is off.*You turned it off/);
  });

  it('are nobody else’s: another developer finds nothing, and visitors sign in first', async () => {
    const other = await signIn((await createUser(test, { email: 'other@example.com' })).email);
    const _csrf = await other.csrf(`${LIST}/create`);
    for (const path of [place, `${place}/deliveries/1`, `${LIST}/0`, `${LIST}/x`]) {
      expect((await other.get(path)).status).toBe(404);
    }
    for (const act of [
      '',
      '/verify',
      '/off',
      '/rotate',
      '/test',
      '/recover',
      '/replay',
      '/delete',
      '/deliveries/1/resend',
    ]) {
      expect((await other.post(place + act, { _csrf, url: receiver.url })).status).toBe(404);
    }
    const visitor = await new PageClient(test.client).get(place, { follow: false });
    expect(visitor.headers.get('location')).toContain('/login');
  });

  it('run nothing that somebody wrote into them', async () => {
    const { html } = await add({ description: '<script>alert(1)</script>', url: 'https://x.example/"><img src=x>' });
    expect(html).not.toMatch(/<script>alert|<img src=x/);
    expect(textOf(html)).toContain('SCRIPT_ALERT_1_SCRIPT_WEBHOOK_SECRET');
  });

  it('delete it', async () => {
    expect(textOf((await send('delete')).html)).toContain('The webhook was deleted.');
    expect((await page.get(place)).status).toBe(404);
  });
});
