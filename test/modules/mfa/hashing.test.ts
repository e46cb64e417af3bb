import type { PasswordHasher } from '../../../src/domain/accounts/index.js';
import { createAdmin, createRole, createUser, PASSWORD } from '../../support/factories.js';
import type { Answer } from '../../support/http-client.js';
import { signIn } from '../../support/sign-in.js';
import { Person, startMfaPortal, type MfaPortal } from './support.js';

const AT_ONCE = 8;
const NEXT = 'another quite long passphrase';

let hashed = 0;
let underWay = 0;
let mostAtOnce = 0;

/** Knows the password of the factories by its hash; tells how often, and how many at once, something is hashed. */
const hasher: PasswordHasher = {
  hash: async (password) => {
    hashed += 1;
    underWay += 1;
    mostAtOnce = Math.max(mostAtOnce, underWay);
    await new Promise((resolve) => setImmediate(resolve));
    underWay -= 1;
    return `plain:${password}`;
  },
  verify: (password, stored) =>
    Promise.resolve({
      matches: stored === `plain:${password}` || (stored.startsWith('$argon2id$') && password === PASSWORD),
      outdated: false,
    }),
  verifyNothing: () => Promise.resolve(),
};

let test: MfaPortal;
beforeAll(async () => {
  test = await startMfaPortal({}, { extensions: { passwordHasher: () => hasher } });
  await test.portal.services.rbac.seed();
});
afterAll(() => test.stop());
beforeEach(() => {
  hashed = 0;
  mostAtOnce = 0;
});

const atOnce = (ask: () => Promise<Answer>): Promise<Answer[]> => Promise.all(Array.from({ length: AT_ONCE }, ask));
const counts = (answers: readonly Answer[], status: number): number =>
  answers.filter((answer) => answer.status === status).length;
const developer = async (): Promise<Person> => new Person(test, await createUser(test));

describe('recovery codes', () => {
  it('nothing is hashed for an account without a factor', async () => {
    const person = await developer();
    await person.signIn();
    const answers = await atOnce(() => person.call('POST', '/me/mfa/recovery-codes'));
    expect([counts(answers, 409), hashed]).toEqual([AT_ONCE, 0]);
  });

  it('eight requests at once draw codes one after the other, each for one hash at a time; the others are told to come back', async () => {
    const person = await (await developer()).withTotp();
    [hashed, mostAtOnce] = [0, 0];
    const answers = await atOnce(() => person.call('POST', '/me/mfa/recovery-codes'));
    // Once, unless one was answered before the next had come.
    const drawn = counts(answers, 200);
    expect(drawn).toBeGreaterThan(0);
    expect([counts(answers, 429), hashed, mostAtOnce]).toEqual([AT_ONCE - drawn, drawn * 10, 1]);
    const refused = answers.find(({ status }) => status === 429);
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('are drawn five times an hour at most, those of the first factor included', async () => {
    const person = await (await developer()).withTotp();
    const renew = () => person.call('POST', '/me/mfa/recovery-codes');
    for (let round = 0; round < 4; round += 1) expect((await renew()).status).toBe(200);
    hashed = 0;
    expect([(await renew()).status, hashed]).toEqual([429, 0]);
    test.clock.advance(3_600);
    await person.passBoth();
    expect((await renew()).status).toBe(200);
  });

  it('a right first code that is sent eight times at once draws them once', async () => {
    const person = await developer();
    await person.signIn();
    person.secret = (await person.call('POST', '/me/mfa/totp')).json.data.secret;
    const answers = await atOnce(() => person.call('POST', '/me/mfa/totp/confirm', { code: person.code() }));
    expect([counts(answers, 200), hashed, mostAtOnce]).toEqual([1, 10, 1]);
  });
});

describe('new passwords', () => {
  it('eight changes at once hash one password', async () => {
    const person = await developer();
    await person.signIn();
    const change = { current_password: PASSWORD, password: NEXT, password_confirmation: NEXT };
    const answers = await atOnce(() => person.call('POST', '/me/password', change));
    expect([counts(answers, 200), hashed]).toEqual([1, 1]);
  });

  it('an account changes its password ten times an hour at most; one that is refused is not counted', async () => {
    const person = await developer();
    await person.signIn();
    const change = (password: string, current = PASSWORD) =>
      person.call('POST', '/me/password', { current_password: current, password, password_confirmation: password });
    for (let round = 0; round < 12; round += 1) expect((await change('short')).status).toBe(422);
    let current = PASSWORD;
    for (let round = 0; round < 10; round += 1) {
      expect((await change(`${NEXT} ${round}`, current)).status).toBe(200);
      current = `${NEXT} ${round}`;
    }
    hashed = 0;
    expect([(await change(NEXT, current)).status, hashed]).toEqual([429, 0]);
  });

  it('a link of a reset that is used eight times at once hashes one password', async () => {
    const person = await developer();
    await person.call('POST', '/auth/forgot-password', { email: person.account.email }, null);
    const mail = (await test.box.take(test, person.account.email)).at(-1);
    const token = /reset-password\/([\w-]{43})/.exec(mail?.text ?? '')?.[1];
    const answers = await atOnce(() =>
      person.call('POST', '/auth/reset-password', { token, password: NEXT, password_confirmation: NEXT }, null),
    );
    expect([counts(answers, 200), hashed]).toEqual([1, 1]);
  });

  it('thirty passwords a minute are proved anew from one address, whichever accounts do it', async () => {
    const limited = await startMfaPortal({}, { config: { limits: { ip: {} } } });
    const people = [];
    for (let index = 0; index < 16; index += 1) {
      const person = new Person(limited, await createUser(limited));
      await person.signIn();
      people.push(person);
    }
    const prove = (person: Person) => person.call('POST', '/me/reauthenticate', { password: PASSWORD });
    const answers = [...(await Promise.all(people.map(prove))), ...(await Promise.all(people.map(prove)))];
    expect([counts(answers, 200), counts(answers, 429)]).toEqual([30, 2]);
    await limited.stop();
  });

  it('a sign-up with an address that is taken is refused before its password is hashed', async () => {
    const { email } = await createUser(test);
    const body = { first_name: 'Ada', last_name: 'Byron', email, password: NEXT };
    const answer = await test.client.post('/api/v1/auth/register', { ...body, password_confirmation: NEXT });
    expect([answer.status, Object.keys(answer.json.errors), hashed]).toEqual([422, ['email'], 0]);
  });
});

describe('accounts that admins write', () => {
  it('what cannot be is refused before a password is hashed', async () => {
    const manager = await createAdmin(test, { roles: [await createRole(test, ['portal.admins.manage'])] });
    const root = await createAdmin(test, { roles: ['super_admin'] });
    const [taken, target] = [await createAdmin(test), await createAdmin(test)];
    const [user, other] = [await createUser(test), await createUser(test)];
    const [byManager, byRoot] = [await signIn(test, manager), await signIn(test, root)];
    const names = { first_name: 'Ada', last_name: 'Byron' };
    const send = async (token: string, method: string, path: string, body: object, headers = {}): Promise<number> =>
      (await test.client.send(method, `/api/v1/admin${path}`, { token, body: { password: NEXT, ...body }, headers }))
        .status;
    const stale = { 'If-Match': '"stale"' };
    const statuses = [
      await send(byManager, 'POST', '/admins', { name: 'New', email: 'n1@example.com', roles: ['super_admin'] }),
      await send(byManager, 'PUT', `/admins/${root.id}`, {}),
      await send(byManager, 'PUT', `/admins/${target.id}`, { roles: ['super_admin'] }),
      await send(byRoot, 'POST', '/admins', { name: 'New', email: 'n1@example.com', roles: ['nobody'] }),
      await send(byRoot, 'POST', '/admins', { name: 'New', email: taken.email }),
      await send(byRoot, 'PUT', `/admins/${target.id}`, { email: taken.email }),
      await send(byRoot, 'PUT', `/admins/${target.id}`, {}, stale),
      await send(byRoot, 'POST', '/users', { ...names, email: user.email }),
      await send(byRoot, 'POST', '/users', { ...names, email: 'n2@example.com', audiences: ['nobody'] }),
      await send(byRoot, 'PUT', `/users/${user.id}`, { email: other.email }),
      await send(byRoot, 'PUT', `/users/${user.id}`, { audiences: ['nobody'] }),
      await send(byRoot, 'PUT', `/users/${user.id}`, {}, stale),
    ];
    expect([statuses, hashed]).toEqual([[403, 403, 403, 422, 422, 422, 412, 422, 422, 422, 422, 412], 0]);
  });
});
