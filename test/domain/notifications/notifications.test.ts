import { CredentialExpiringEvent } from '../../../src/domain/apps/index.js';
import { Developer } from '../../support/apps.js';
import { createAdmin, createProduct, createUser } from '../../support/factories.js';
import { Mailbox } from '../../support/mailbox.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

const DAY = 86_400;

const box = new Mailbox();
let test: TestPortal;
let by: { type: 'admin'; id: number };
beforeAll(async () => {
  test = await startTestPortal({ extensions: { mailer: () => box } });
  by = { type: 'admin', id: (await createAdmin(test)).id };
});
afterAll(() => test.stop());

const subjects = async (to: string) => (await box.take(test, to)).map(({ subject }) => subject);

describe('notices', () => {
  it('tell a developer what an admin decided, with the reason', async () => {
    const { slug } = await createProduct(test);
    const developer = await Developer.create(test);
    await developer.createApp('weather', [slug]);
    const { apps } = test.portal.services.apps;
    const owned = await apps.find(developer.user, 'weather');
    await apps.revoke(owned, by, 'Too many calls');
    const [mail] = await box.take(test, developer.user.email);
    expect(mail).toMatchObject({ subject: 'Your app weather was revoked' });
    expect(mail?.text).toContain('Reason given: Too many calls');
    expect(mail?.text).toContain('/portal/apps/weather');
    await apps.approve(owned, by);
    expect(await subjects(developer.user.email)).toEqual(['Your app weather was approved']);
  });

  it('call an app by its title in subject and text, not by the name in its address', async () => {
    const { slug, name: product } = await createProduct(test, { name: 'City Weather' });
    const developer = await Developer.create(test);
    const made = await developer.post('', {
      name: 'app-7',
      display_name: 'Rain or Shine',
      products: [slug],
      expires_in: 3 * DAY,
    });
    const { apps, credentials, grants } = test.portal.services.apps;
    const owned = await apps.find(developer.user, 'app-7');
    const key = await credentials.find(owned, made.json.data.credentials[0].id);
    await grants.revoke(await grants.find(key, slug), by, null);
    await grants.approve(await grants.find(key, slug), by, null);
    await credentials.revoke(key, by, null);
    await credentials.approve(await credentials.find(owned, key.credential.id), by, null);
    await apps.revoke(owned, by, null);
    await apps.approve(owned, by, null);
    await test.portal.jobs.run('expiring-keys');
    const mails = await box.take(test, developer.user.email);
    expect(mails.map(({ subject }) => subject).sort()).toEqual([
      'A key of Rain or Shine ends soon',
      'A key of Rain or Shine was approved',
      'A key of Rain or Shine was revoked',
      `${product} is closed for Rain or Shine`,
      `${product} is open for Rain or Shine`,
      'Your app Rain or Shine was approved',
      'Your app Rain or Shine was revoked',
    ]);
  });

  it('give the reason for a product on a key, not that of the key', async () => {
    const { slug, name } = await createProduct(test);
    const developer = await Developer.create(test);
    await developer.createApp('maps', [slug]);
    const { apps, credentials, grants } = test.portal.services.apps;
    const owned = await apps.find(developer.user, 'maps');
    const [first] = (await apps.view(owned)).credentials ?? [];
    const grant = await grants.find(await credentials.find(owned, first?.id ?? 0), slug);
    await grants.revoke(grant, by, 'Contract ended');
    const [mail] = await box.take(test, developer.user.email);
    expect(mail?.subject).toBe(`${name} is closed for maps`);
    expect(mail?.text).toContain('Reason given: Contract ended');
  });

  it('are silent about what developers do themselves', async () => {
    const developer = await Developer.create(test);
    await developer.post('', { name: 'quiet' });
    await developer.post('/quiet/revoke');
    await developer.post('/quiet/approve');
    expect(await subjects(developer.user.email)).toEqual([]);
  });

  it('welcome whom an admin let in', async () => {
    const user = await createUser(test, { status: 'pending' });
    await test.portal.services.accounts.users.setStatus(user.id, 'active');
    expect(await subjects(user.email)).toEqual(['Your account is active']);
  });

  it('go with the change: rolled back, there is no mail', async () => {
    const user = await createUser(test, { status: 'pending' });
    await test.portal.database
      .transaction(async (transaction) => {
        const mail = {
          template: 'account-approved',
          to: user.email,
          locale: 'en',
          values: { url: 'https://a.example' },
        };
        await test.portal.mail.queue(mail, transaction);
        throw new Error('undone');
      })
      .catch(() => undefined);
    expect(await subjects(user.email)).toEqual([]);
  });

  it('announce the end of a key a week before, once, and not of a rotated one', async () => {
    const { slug } = await createProduct(test);
    const developer = await Developer.create(test);
    const { status } = await developer.post('', { name: 'ending', products: [slug], expires_in: 30 * DAY });
    expect(status).toBe(201);
    const announce = () => test.portal.jobs.run('expiring-keys');
    const heard: CredentialExpiringEvent[] = [];
    test.portal.events.on(CredentialExpiringEvent, (event) => void heard.push(event));
    await announce();
    expect(await subjects(developer.user.email)).toEqual([]);
    test.clock.advance(24 * DAY);
    await announce();
    await announce();
    expect(await subjects(developer.user.email)).toEqual(['A key of ending ends soon']);
    expect(heard).toMatchObject([{ app: { name: 'ending' }, by: { type: 'system' } }]);
    expect(heard[0]?.credential).not.toHaveProperty('gatewayKeyRef');
    const told = await test.portal.database.select<{ owner: number }>(
      "SELECT owner_id AS owner FROM portal_activities WHERE action = 'credential.expiring' AND subject_id = ?",
      [String(heard[0]?.credential.id)],
    );
    expect(told.map(({ owner }) => Number(owner))).toEqual([developer.user.id]);
  });
});
