import type { PortalConfigInput } from '../../../src/config/index.js';
import { Developer } from '../../support/apps.js';
import { createAdmin, createProduct, createRole, createUser } from '../../support/factories.js';
import { Mailbox } from '../../support/mailbox.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

const HOUR = 3_600;
const ACCESS = 'portal.admin.access';

let test: TestPortal;
let box: Mailbox;
afterEach(() => test.stop());

async function start(config: PortalConfigInput = {}): Promise<void> {
  box = new Mailbox();
  test = await startTestPortal({
    config: { ...config, app: { name: 'Acme APIs' }, apps: { approval: 'manual' } },
    extensions: { mailer: () => box },
  });
  await test.portal.services.rbac.seed();
}

/** Mails about approvals since the last time, as `address: subject`. */
async function told(): Promise<string[]> {
  await test.portal.jobs.run('waiting-approvals');
  await test.portal.jobs.run('mail');
  const mails = box.mails.splice(0).filter(({ subject }) => /decision/.test(subject));
  return mails.map(({ to, subject }) => `${to}: ${subject}`);
}

const admin = async (email: string, ...permissions: string[]) => {
  const role = await createRole(test, [ACCESS, ...permissions]);
  return createAdmin(test, { email, roles: [role] });
};

describe('mail about waiting approvals', () => {
  beforeEach(() => start());

  it('goes to the admins who may decide, each of what they may', async () => {
    await admin('apps@example.com', 'portal.apps.update');
    await admin('people@example.com', 'portal.users.update');
    await admin('reader@example.com', 'portal.apps.view', 'portal.users.view');
    await createAdmin(test, { email: 'all@example.com', roles: ['super_admin'] });
    await createAdmin(test, { email: 'gone@example.com', roles: ['super_admin'], status: 'inactive' });
    expect(await told()).toEqual([]);
    await createUser(test, { status: 'pending' });
    const { slug } = await createProduct(test, { approval: 'manual' });
    await (await Developer.create(test)).createApp('checkout', [slug]);
    expect((await told()).sort()).toEqual([
      'all@example.com: 3 decisions wait for you at Acme APIs',
      'apps@example.com: 2 decisions wait for you at Acme APIs',
      'people@example.com: 1 decision waits for you at Acme APIs',
    ]);
  });

  it('says what waits and where, and no names that strangers chose', async () => {
    await createAdmin(test, { email: 'all@example.com', roles: ['super_admin'] });
    const developer = await Developer.create(test);
    await developer.post('', { name: 'checkout', display_name: 'Call https://evil.example now' });
    await test.portal.jobs.run('waiting-approvals');
    const [mail] = await box.take(test, 'all@example.com');
    expect(mail?.text).toMatch(/- 1 app\n[^]*GET http[^ ]*\/api\/v1\/admin\/apps\?filters=%7B%22waiting%22:true%7D/);
    expect(mail?.text).toContain('the setting notices.approvals');
    for (const part of [mail?.text, mail?.html]) expect(part).not.toMatch(/evil|developer(s)?<|\/users\?/);
  });

  it('is sent at once, and then not again for an hour, with all that came meanwhile', async () => {
    await createAdmin(test, { email: 'all@example.com', roles: ['super_admin'] });
    const developer = await Developer.create(test);
    await developer.post('', { name: 'one' });
    expect(await told()).toEqual(['all@example.com: 1 decision waits for you at Acme APIs']);
    expect(await told()).toEqual([]);
    for (const name of ['two', 'three', 'four']) await developer.post('', { name });
    expect(await told()).toEqual([]);
    test.clock.advance(HOUR);
    expect(await told()).toEqual(['all@example.com: 4 decisions wait for you at Acme APIs']);
    test.clock.advance(24 * HOUR);
    expect(await told()).toEqual([]);
  });

  it('tells again of what was decided and waits once more, and never floods for it', async () => {
    await createAdmin(test, { email: 'all@example.com', roles: ['super_admin'] });
    const developer = await Developer.create(test);
    await developer.post('', { name: 'one' });
    expect(await told()).toHaveLength(1);
    for (let round = 0; round < 3; round += 1) {
      await developer.delete('/one');
      expect(await told()).toEqual([]);
      await developer.post('', { name: 'one' });
      expect(await told()).toEqual([]);
    }
    test.clock.advance(HOUR);
    expect(await told()).toEqual(['all@example.com: 1 decision waits for you at Acme APIs']);
  });

  it('is not held up for long by a clock that was ahead', async () => {
    await createAdmin(test, { email: 'all@example.com', roles: ['super_admin'] });
    test.clock.advance(30 * 24 * HOUR);
    await createUser(test, { status: 'pending' });
    expect(await told()).toHaveLength(1);
    test.clock.advance(-29 * 24 * HOUR);
    await createUser(test, { status: 'pending' });
    expect(await told()).toHaveLength(1);
  });
});

describe('mail about waiting approvals, by setting', () => {
  it('is not sent when it is switched off', async () => {
    await start({ notices: { approvals: false } });
    await createAdmin(test, { email: 'all@example.com', roles: ['super_admin'] });
    await createUser(test, { status: 'pending' });
    expect(await told()).toEqual([]);
  });

  it('leaves out developers who have to prove their address first', async () => {
    await start({ accounts: { verifyEmail: true, defaultStatus: 'pending' } });
    await createAdmin(test, { email: 'all@example.com', roles: ['super_admin'] });
    const { id } = await createUser(test, { status: 'pending' });
    expect(await told()).toEqual([]);
    await test.portal.database.execute('UPDATE portal_users SET email_verified_at = ? WHERE id = ?', [
      test.clock.now(),
      id,
    ]);
    expect(await told()).toEqual(['all@example.com: 1 decision waits for you at Acme APIs']);
  });
});
