import { generateSync } from 'otplib';
import { GatewayUnavailableError, type GatewayContext } from '../../src/gateway/index.js';
import { mfa } from '../../src/modules/mfa/index.js';
import { oidc } from '../../src/modules/oidc/index.js';
import { ApiJourney, CLIENT, HostileIdp, isUser } from './oidc/support.js';
import { Developer, readKeyAccess } from '../support/apps.js';
import { createProduct, createUser, PASSWORD } from '../support/factories.js';
import { FlakyGateway } from '../support/flaky-gateway.js';
import { Mailbox, tokenOf } from '../support/mailbox.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const NEW_PASSWORD = 'a quite different battery';
const HIGH = { forgotPassword: { perIp: 10_000 }, ip: { requests: { max: 10_000 }, failingAccounts: { max: 10_000 } } };
const AWAY = new GatewayUnavailableError(7);

const box = new Mailbox();
let idp: HostileIdp;
let gateway: FlakyGateway;
let test: TestPortal;
beforeAll(async () => {
  idp = await HostileIdp.start();
  const config = {
    limits: HIGH,
    gateway: { driver: 'flaky' },
    verify: { enabled: true },
    database: { pool: { max: 1 } },
    oidc: { providers: { main: { ...CLIENT, issuer: idp.url } } },
  };
  test = await startTestPortal({
    replicas: 1,
    config,
    extensions: {
      modules: [mfa, oidc],
      mailer: () => box,
      gatewayDrivers: {
        flaky: async (context: GatewayContext) => (gateway = await FlakyGateway.open(context)),
      },
    },
  });
  await createProduct(test, { slug: 'payments', gatewayProductId: 'payments' });
});
afterAll(() => Promise.all([test.stop(), idp.stop()]));

const database = () => test.portal.database;
const setProved = (id: number, at: Date | null) =>
  database().execute('UPDATE portal_users SET email_verified_at = ? WHERE id = ?', [at, id]);
const count = async (table: string, id: number) =>
  (await database().select(`SELECT id FROM ${table} WHERE context = 'consumer' AND account_id = ?`, [id])).length;
const login = (email: string, password: string) => test.client.post('/api/v1/auth/login', { email, password });

/** The owner of the address asks for a new password and chooses one. */
async function reset(email: string): Promise<void> {
  await test.client.post('/api/v1/auth/forgot-password', { email });
  const token = tokenOf((await box.take(test, email)).find(({ text }) => text.includes('/reset-password/')));
  const body = { token, password: NEW_PASSWORD, password_confirmation: NEW_PASSWORD };
  expect((await test.client.post('/api/v1/auth/reset-password', body)).status).toBe(200);
}

/** Whoever made the account has an identity, a factor and two keys in it; the address was never proved, or it was. */
async function furnished(emailVerifiedAt: Date | null) {
  const developer = await Developer.create(test, { emailVerifiedAt: test.clock.now() });
  const { id, email } = developer.user;
  const subject = `intruder ${id}`;
  idp.behave({ ...isUser(`intruder${id}@example.com`), sub: subject });
  expect((await new ApiJourney(test, { token: developer.token }).whole()).status).toBe(200);
  const keys = [await developer.createApp('one', ['payments']), await developer.createApp('two', ['payments'])];
  const setup = await test.client.post('/api/v1/me/mfa/totp', {}, { token: developer.token });
  const { secret } = setup.json.data;
  const code = generateSync({ secret, epoch: Math.floor(test.clock.now().getTime() / 1000) });
  expect((await test.client.post('/api/v1/me/mfa/totp/confirm', { code }, { token: developer.token })).status).toBe(
    200,
  );
  await setProved(id, emailVerifiedAt);
  await box.take(test, email);
  return { developer, id, email, keys: keys.map(({ key }) => key), callEach: () => new ApiJourney(test).whole() };
}
const readAccesses = (keys: readonly string[]) => Promise.all(keys.map((key) => readKeyAccess(test, key, 'payments')));

beforeEach(() => gateway?.mend());

describe('the owner of an address takes over the account that somebody else made with it', () => {
  it('a new password by mail proves the address, and takes away whatever that somebody set up', async () => {
    const { developer, id, email, keys, callEach } = await furnished(null);
    expect([await count('portal_oidc_identities', id), await count('portal_mfa_factors', id)]).toEqual([1, 1]);
    await reset(email);
    expect((await test.portal.services.accounts.users.find(id)).emailVerifiedAt).toEqual(test.clock.now());
    // The identity leads to an account of its own now, not to this one; its address is another.
    const elsewhere = await callEach();
    expect((await test.client.get('/api/v1/me', { token: elsewhere.json.data.access_token })).json.data.id).not.toBe(
      id,
    );
    expect(await count('portal_mfa_factors', id)).toBe(0);
    expect(await count('portal_mfa_recovery_codes', id)).toBe(0);
    expect((await developer.get()).status).toBe(401);
    expect(await readAccesses(keys)).toEqual(['revoked_key', 'revoked_key']);
    expect((await login(email, PASSWORD)).status).toBe(401);
    const mine = await login(email, NEW_PASSWORD);
    expect(mine.status).toBe(200);
    const subjects = (await box.take(test, email)).map(({ subject }) => subject).sort();
    expect(subjects).toEqual([
      'Two-step sign-in was reset',
      'Your keys were revoked',
      'Your password was changed',
      'main does not open your account any more',
    ]);
    // What turns out to be the owner's own is restored by them.
    const token = mine.json.data.access_token;
    const [{ id: key }] = (await test.client.get('/api/v1/me/apps/one/credentials', { token })).json.data;
    const restored = await test.client.post(`/api/v1/me/apps/one/credentials/${key}/approve`, {}, { token });
    expect([restored.status, restored.json.data.status]).toEqual([200, 'approved']);
    expect(await readAccesses(keys)).toEqual(['open', 'revoked_key']);
  });

  it('with the gateway away the password is changed all the same, and the keys close once it is back', async () => {
    const { email, keys } = await furnished(null);
    gateway.cut(AWAY, 'before', 'keys.setStatus');
    await reset(email);
    expect((await login(email, NEW_PASSWORD)).status).toBe(200);
    expect(await readAccesses(keys)).toEqual(['open', 'open']);
    gateway.mend();
    test.clock.advance(60);
    await test.portal.jobs.run('gateway-recovery');
    expect(await readAccesses(keys)).toEqual(['revoked_key', 'revoked_key']);
    expect(await database().select('SELECT id FROM portal_gateway_intents')).toEqual([]);
  });

  it('a key that is being made at that moment closes as soon as it is there', async () => {
    const { email, developer } = await furnished(null);
    let made = (): void => undefined;
    const resetDone = new Promise<void>((resolve) => (made = resolve));
    gateway.holdUp('keys.issue', resetDone);
    const making = developer.post('/one/credentials', { products: ['payments'] });
    await gateway.called('keys.issue');
    await reset(email);
    made();
    const { json } = await making;
    test.clock.advance(60);
    await test.portal.jobs.run('gateway-recovery');
    expect(await readAccesses([json.data.consumer_key])).toEqual(['revoked_key']);
  });

  it('an address that was proved before keeps what its owner set up', async () => {
    const { id, email, keys } = await furnished(test.clock.now());
    await reset(email);
    expect([await count('portal_oidc_identities', id), await count('portal_mfa_factors', id)]).toEqual([1, 1]);
    expect(await readAccesses(keys)).toEqual(['open', 'open']);
    expect((await login(email, NEW_PASSWORD)).status).toBe(202);
  });

  it('an account that nobody could have been in, as one that was imported, keeps its keys', async () => {
    const { email, keys, id } = await furnished(null);
    await database().execute("UPDATE portal_users SET password_hash = '' WHERE id = ?", [id]);
    await reset(email);
    expect(await readAccesses(keys)).toEqual(['open', 'open']);
    expect((await test.portal.services.accounts.users.find(id)).emailVerifiedAt).not.toBeNull();
  });

  it('a change of the password by who knows it proves no address', async () => {
    const user = await createUser(test);
    await test.portal.services.accounts.users.changePassword(user.id, NEW_PASSWORD);
    expect((await test.portal.services.accounts.users.find(user.id)).emailVerifiedAt).toBeNull();
  });
});
