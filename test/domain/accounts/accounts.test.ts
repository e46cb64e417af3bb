import { availableParallelism } from 'node:os';
import { hash } from '@node-rs/argon2';
import {
  Argon2Hasher,
  PasswordChangedEvent,
  UserCreatedEvent,
  UserDeletedEvent,
  UserDeletingEvent,
  UserDisablingEvent,
  UserService,
  UserStatusChangedEvent,
  UserUpdatedEvent,
  type NewUser,
  type UserRecord,
} from '../../../src/domain/accounts/index.js';
import { NewPasswords } from '../../../src/domain/accounts/new-passwords.js';
import { Lists } from '../../../src/database/index.js';
import { EventBus, NotFoundError, PortalEvent, silentLogger, ValidationError } from '../../../src/core/index.js';
import { createUser } from '../../support/factories.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

let test: TestPortal;
let events: EventBus<never>;
let users: UserService;
const PERSONAL = 'The password must not contain the name or e-mail address of the account, or the name of the portal.';
/** Passwords that the fake service for leaks knows. */
const leakedOnes = ['known from a leak somewhere'];

beforeAll(async () => {
  test = await startTestPortal({ config: { accounts: { customAttributes: ['company', 'newsletter'] } } });
});
afterAll(() => test.stop());

/** A service with a bus of its own, so that no test meets the listeners of another. */
function freshService(): void {
  const { portal, clock } = test;
  const hasher = new Argon2Hasher();
  events = new EventBus(silentLogger);
  users = new UserService({
    database: portal.database,
    lists: new Lists(portal.database, clock),
    events: events,
    clock,
    hasher,
    locales: ['en', 'ar'],
    customAttributes: portal.config.accounts.customAttributes,
    passwords: new NewPasswords({
      hasher,
      minLength: 8,
      adminMinLength: 12,
      portalName: 'Acme Hub',
      leaked: { includes: (password) => Promise.resolve(leakedOnes.includes(password)) },
    }),
  });
}
beforeAll(freshService);
afterEach(freshService);

let count = 0;
function newUser(overrides: Partial<NewUser> = {}): NewUser {
  count += 1;
  const email = `new${count}@example.com`;
  return { email, firstName: 'Ada', lastName: 'Byron', password: 'quite long enough', status: 'active', ...overrides };
}

async function faultsOf(run: () => Promise<unknown>): Promise<Record<string, string[]>> {
  try {
    await run();
  } catch (error) {
    if (error instanceof ValidationError) return error.errors;
    throw error;
  }
  return {};
}

async function passwordHash(user: UserRecord): Promise<string> {
  return (await users.findCredentials(user.id)).passwordHash;
}

function record(): string[] {
  const seen: string[] = [];
  events.within(PortalEvent, (event, transaction) => {
    seen.push(`${event.constructor.name}${transaction ? ' in transaction' : ''}`);
  });
  return seen;
}

describe('an e-mail address (S11)', () => {
  let owner: UserRecord;
  beforeAll(async () => {
    owner = await createUser(test, { email: 'admin@example.com' });
  });

  it.each([
    ['as it is stored', 'admin@example.com', true],
    ['in capitals', 'ADMIN@Example.COM', true],
    ['with spaces around it', '  admin@example.com\t', true],
    ['in full-width letters', 'ａｄｍｉｎ@ｅｘａｍｐｌｅ.com', true],
    ['with an accent', 'ádmin@example.com', false],
    ['with a combining accent', 'a\u0301dmin@example.com', false],
    ['with a dotless i', 'admın@example.com', false],
    ['with a dotted capital I', 'ADMİN@example.com', false],
    ['with a Cyrillic letter in the domain', 'admin@exаmple.com', false],
    ['with a NUL', 'admin@example.com\u0000', false],
    ['as a LIKE pattern', 'adm%@example.com', false],
    ['as a piece of SQL', "admin@example.com' OR '1'='1", false],
    ['with a tag', 'admin+x@example.com', false],
    ['with a quoted local part', '"admin"@example.com', false],
    ['with a full-width at sign', 'admin＠example.com', true],
    ['with a second at sign', 'admin@evil.example＠example.com', false],
    ['with a space at its end inside', 'admin @example.com', false],
    ['with a zero-width space', 'ad\u200bmin@example.com', false],
    ['with one in the domain', 'admin@exa\u200bmple.com', false],
    ['with a soft hyphen in the domain', 'admin@exa\u00admple.com', false],
    ['with a path', 'admin@example.com/bank.example', false],
    ['with a full-width one', 'admin@example.com／bank.example', false],
    ['with a fragment', 'admin@example.com#bank.example', false],
    ['with a query', 'admin@example.com?bank.example', false],
    ['with an escape', 'admin@example%2ecom', false],
    ['with a tab in the domain', 'admin@exam\tple.com', false],
    ['with a backslash', 'admin@example.com\\bank.example', false],
    ['with an ideographic full stop', 'admin@example。com', true],
    ['with a soft hyphen', 'ad\u00admin@example.com', false],
    ['with a right-to-left override', '\u202eadmin@example.com', false],
    ['with a Kelvin sign for a letter', 'admin@example.com\u212a', false],
    ['with a letter that folds into two', 'admin@example.com\u00df', false],
    ['with a domain that is its look-alike in punycode', 'admin@xn--exmple-cua.com', false],
    ['with a domain of broken punycode', 'admin@xn--example-.com', false],
    ['with a dot at the end', 'admin@example.com.', false],
    ['with a path for a domain', 'admin@example℀.com', false],
    ['with a lone surrogate', 'admin@example.com\ud800', false],
  ])('%s finds its account or none', async (_case, spelling, matches) => {
    const found = await users.findByEmail(spelling);
    expect(found?.user.id ?? null).toBe(matches ? owner.id : null);
    if (matches) {
      expect(await faultsOf(() => users.create(newUser({ email: spelling })))).toEqual({
        email: ['The e-mail address is already taken.'],
      });
    }
  });

  it('is taken once when two sign up with it at the same time', async () => {
    const outcomes = await Promise.allSettled(
      [1, 2, 3].map(() => users.create(newUser({ email: 'race@example.com' }))),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(ValidationError);
    }
  });

  it.each([
    'nobody@localhost',
    'ádmin@example.com',
    'adm\u0131n@example.com',
    'ad\u200bmin@example.com',
    'аdmin@example.com',
    'admin@example.com\u0000',
    'admin@127.0.0.1',
    'admin@0x7f.1',
    'admin@[127.0.0.1]',
    'a..b@example.com',
    '.a@example.com',
    'a@-example.com',
    `${'a'.repeat(65)}@example.com`,
    `a@${'b.'.repeat(126)}com`,
  ])('that is none, or could pass for another, is refused: %j', async (email) => {
    expect(await faultsOf(() => users.create(newUser({ email })))).toEqual({
      email: ['The e-mail address is not valid.'],
    });
  });

  it('of another alphabet is kept in ASCII, in which it cannot pass for another', async () => {
    const user = await users.create(newUser({ email: 'ops@exаmple.com' }));
    expect(user.email).toBe('ops@xn--exmple-4nf.com');
    expect((await users.findByEmail('OPS@XN--EXMPLE-4NF.COM'))?.user.id).toBe(user.id);
    expect(await users.findByEmail('ops@example.com')).toBeNull();
  });
});

describe('a name', () => {
  it.each(['', '   ', 'a\u0000b', 'a\nb', '\u202eadA', '\u200b', 'x'.repeat(101)])('%j is refused', async (name) => {
    expect(await faultsOf(() => users.create(newUser({ firstName: name })))).toEqual({
      first_name: ['The name must have 1 to 100 characters and no control characters.'],
    });
  });

  it.each(['Ada', 'أحمد', '李', 'O’Brien-Šmíd', 'x'.repeat(100)])('%j is stored as it is', async (name) => {
    const user = await createUser(test);
    expect((await users.updateProfile(user.id, { lastName: ` ${name} ` })).lastName).toBe(name);
  });
});

describe('a password', () => {
  const ARGON2ID = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/;

  it('is hashed with argon2id on every path (S01)', async () => {
    const user = await users.create(newUser());
    expect(await passwordHash(user)).toMatch(ARGON2ID);
    await users.changePassword(user.id, 'another long one');
    const changed = await passwordHash(user);
    expect(changed).toMatch(ARGON2ID);
    await users.rehash(user.id, 'another long one', changed);
    expect(await passwordHash(user)).toMatch(ARGON2ID);
    expect(await passwordHash(user)).not.toBe(changed);
    const { admins } = test.portal.services.accounts;
    const admin = await admins.create({ name: 'Root', email: 'root@example.com', password: 'long enough for it' });
    expect((await admins.findCredentials(admin.id)).passwordHash).toMatch(ARGON2ID);
    await admins.changePassword(admin.id, 'another that is long');
    expect((await admins.findCredentials(admin.id)).passwordHash).toMatch(ARGON2ID);
  });

  it.each([
    ['short', 'short', 'The password must have at least 8 characters.'],
    ['common', 'password123', 'This password is too common.'],
    ['of the name', 'i am lovelace!', PERSONAL],
    ['of the address', 'developer-of-x', PERSONAL],
    ['of the portal', 'the acme hub one', PERSONAL],
    ['leaked', 'known from a leak somewhere', 'This password is known from a leak.'],
    ['very long', 'x'.repeat(129), 'The password must have at most 128 characters.'],
  ])('that is %s is refused when it is new and when it is changed', async (_case, password, fault) => {
    const input = newUser({ lastName: 'Lovelace', email: `developer.of${(count += 1)}@example.com`, password });
    expect(await faultsOf(() => users.create(input))).toEqual({ password: [fault] });
    const user = await createUser(test, { lastName: 'Lovelace', email: `developer.by${(count += 1)}@example.com` });
    const before = await passwordHash(user);
    expect(await faultsOf(() => users.changePassword(user.id, password))).toEqual({ password: [fault] });
    expect(await passwordHash(user)).toBe(before);
  });

  it('is taken as it is: to its last byte, with its spaces, in its own case and form', async () => {
    const hasher = new Argon2Hasher();
    const long = 'x'.repeat(72);
    const pairs: [string, string][] = [
      [`${long}a`, `${long}b`],
      [' leading space', 'leading space'],
      ['trailing space ', 'trailing space'],
      ['Case matters', 'case matters'],
      ['caf\u00e9 au lait', 'cafe\u0301 au lait'],
      ['cut \u0000 here', 'cut '],
    ];
    for (const [mine, other] of pairs) {
      const stored = await hasher.hash(mine);
      expect((await hasher.verify(mine, stored)).matches).toBe(true);
      expect([mine, (await hasher.verify(other, stored)).matches]).toEqual([mine, false]);
    }
    const user = await users.create(newUser({ password: ' padded on both sides ' }));
    expect((await hasher.verify(' padded on both sides ', await passwordHash(user))).matches).toBe(true);
  });

  it('is hashed at most a few at once, with 64 waiting; more are put off for a second (S03)', async () => {
    const hasher = new Argon2Hasher();
    const outcomes = await Promise.allSettled(Array.from({ length: 100 }, () => hasher.hash('whatever it is')));
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
    expect(refused).toHaveLength(100 - 64 - Math.min(4, availableParallelism()));
    expect(refused[0]).toMatchObject({ status: 503, headers: { 'Retry-After': '1' } });
    expect(await hasher.hash('once they are done')).toMatch(ARGON2ID);
  });

  it('is verified while many others are hashed: neither fills the line of the other', async () => {
    const hasher = new Argon2Hasher();
    const stored = await hasher.hash('whatever it is');
    const hashes = Promise.allSettled(Array.from({ length: 100 }, () => hasher.hash('whatever it is')));
    const results = await Promise.all(Array.from({ length: 64 }, () => hasher.verify('whatever it is', stored)));
    expect(results.every(({ matches }) => matches)).toBe(true);
    expect((await hashes).filter(({ status }) => status === 'fulfilled').length).toBeGreaterThanOrEqual(64);
  });

  it('of a stored hash that would exhaust the machine is refused unheard (S02)', async () => {
    const hasher = new Argon2Hasher();
    for (const cost of ['m=4194304,t=2,p=1', 'm=19456,t=11,p=1', 'm=999999999,t=1,p=1']) {
      const stored = `$argon2id$v=19$${cost}$cArBsM0NIWmK/DSm+cX9LA$g3VioDum7u+jIr+fYdfuSqQStP7UZM1HAYWqYApdaIA`;
      expect(await hasher.verify('whatever', stored)).toEqual({ matches: false, outdated: false });
    }
    const slow = await hash('the right password', { timeCost: 11, memoryCost: 64, parallelism: 1 });
    expect(await hasher.verify('the right password', slow)).toEqual({ matches: false, outdated: false });
    const bcrypt = '$2y$31$qx4G/LsPtjYsFwqcdn/.d.je6VkwMgltOYXaELRu28oro1/f4OXGS';
    expect(await hasher.verify('whatever', bcrypt)).toEqual({ matches: false, outdated: false });
  });

  it.each(['', '!', 'plain text', '$argon2id$v=19$m=99999999,t=2,p=1$c2FsdA$aGFzaA', '$2y$31$x'])(
    'is hashed all the same when %j is stored, which nothing matches (S08)',
    async (stored) => {
      let hashed = 0;
      class CountingHasher extends Argon2Hasher {
        override async verifyNothing(password: string): Promise<void> {
          hashed += 1;
          await super.verifyNothing(password);
        }
      }
      const result = await new CountingHasher().verify('correct horse', stored);
      expect([result, hashed]).toEqual([{ matches: false, outdated: false }, 1]);
    },
  );

  it('of an admin has at least 12 characters', async () => {
    const { admins } = test.portal.services.accounts;
    const short = () => admins.create({ name: 'Root', email: 'short@example.com', password: 'eleven char' });
    expect(await faultsOf(short)).toEqual({ password: ['The password must have at least 12 characters.'] });
  });

  it('that was changed announces it in the transaction and names the sign-in that lives on', async () => {
    const user = await createUser(test);
    const seen: PasswordChangedEvent[] = [];
    events.within(PasswordChangedEvent, (event, transaction) => {
      if (transaction) seen.push(event);
    });
    await users.changePassword(user.id, 'a fresh and long one', { keepSid: 'sid-1' });
    expect(seen).toMatchObject([{ context: 'consumer', accountId: user.id, keepSid: 'sid-1' }]);
  });

  it('stays when a listener fails', async () => {
    const user = await createUser(test);
    const before = await passwordHash(user);
    events.within(PasswordChangedEvent, () => Promise.reject(new Error('sessions cannot be ended')));
    await expect(users.changePassword(user.id, 'a fresh and long one')).rejects.toThrow('sessions cannot be ended');
    expect(await passwordHash(user)).toBe(before);
  });

  it('that was changed meanwhile is not undone by a rehash, and a rehash announces nothing', async () => {
    const user = await createUser(test);
    const seen = record();
    const before = await passwordHash(user);
    await users.rehash(user.id, 'whatever it was', 'the hash of a moment ago');
    expect(await passwordHash(user)).toBe(before);
    expect(seen).toEqual([]);
  });
});

describe('a profile', () => {
  it('takes declared attributes only, and leaves what the program stored', async () => {
    const systemAttributes = { oidc_provider_id: 'theirs' };
    const strange = () =>
      users.create(
        newUser({ customAttributes: { company: 'A', oidc_provider_id: 'mine', is_admin: true }, systemAttributes }),
      );
    expect(Object.keys(await faultsOf(strange))).toEqual([
      'custom_attributes.oidc_provider_id',
      'custom_attributes.is_admin',
    ]);
    const user = await users.create(newUser({ customAttributes: { company: 'A' }, systemAttributes }));
    expect(user.customAttributes).toEqual({ company: 'A', oidc_provider_id: 'theirs' });
    const overwrite = () => users.updateProfile(user.id, { customAttributes: { oidc_provider_id: null, other: 'x' } });
    expect(Object.keys(await faultsOf(overwrite))).toEqual([
      'custom_attributes.oidc_provider_id',
      'custom_attributes.other',
    ]);
    const readBack = { company: null, newsletter: true, oidc_provider_id: 'theirs' };
    const updated = await users.updateProfile(user.id, { customAttributes: readBack });
    expect(updated.customAttributes).toEqual({ newsletter: true, oidc_provider_id: 'theirs' });
  });

  it('keeps both of two changes made at once', async () => {
    const user = await createUser(test);
    await Promise.all([
      users.updateProfile(user.id, { customAttributes: { company: 'A' } }),
      users.updateProfile(user.id, { customAttributes: { newsletter: false } }),
      users.updateProfile(user.id, { firstName: 'Augusta' }),
    ]);
    const { customAttributes, firstName } = await users.find(user.id);
    expect({ ...customAttributes, firstName }).toEqual({ company: 'A', newsletter: false, firstName: 'Augusta' });
  });

  it('tells what changed, and nothing when nothing did', async () => {
    const user = await createUser(test, { firstName: 'Ada' });
    const changes: unknown[] = [];
    events.on(UserUpdatedEvent, (event) => void changes.push(event.changes));
    test.clock.advance(60);
    await users.updateProfile(user.id, { firstName: 'Ada' });
    expect((await users.find(user.id)).updatedAt).toEqual(user.updatedAt);
    await users.updateProfile(user.id, { firstName: 'Augusta' });
    expect((await users.find(user.id)).updatedAt).toEqual(test.clock.now());
    expect(changes).toEqual([{ firstName: ['Ada', 'Augusta'] }]);
  });
});

describe('the life of an account', () => {
  it('announces what happens, before and within the transaction', async () => {
    const seen = record();
    const user = await users.create(newUser());
    await users.setStatus(user.id, 'active');
    await users.setStatus(user.id, 'inactive');
    await users.setStatus(user.id, 'active');
    await users.delete(user.id);
    expect(seen).toEqual([
      'UserCreatedEvent in transaction',
      'UserDisablingEvent',
      'UserStatusChangedEvent in transaction',
      'UserStatusChangedEvent in transaction',
      'UserDeletingEvent',
      'UserDeletedEvent in transaction',
    ]);
    await expect(users.find(user.id)).rejects.toBeInstanceOf(NotFoundError);
  });

  it.each([UserDeletingEvent, UserDeletedEvent])('keeps the account when a listener of %p fails', async (type) => {
    const user = await createUser(test);
    events.within(type, () => Promise.reject(new Error('the gateway is away')));
    await expect(users.delete(user.id)).rejects.toThrow('the gateway is away');
    expect(await users.find(user.id)).toEqual(user);
  });

  it.each([UserDisablingEvent, UserStatusChangedEvent])(
    'keeps the status when a listener of %p fails',
    async (type) => {
      const user = await createUser(test);
      events.within(type, () => Promise.reject(new Error('the gateway is away')));
      await expect(users.setStatus(user.id, 'inactive')).rejects.toThrow('the gateway is away');
      expect((await users.find(user.id)).status).toBe('active');
    },
  );

  it('does not begin when a listener fails', async () => {
    events.within(UserCreatedEvent, () => Promise.reject(new Error('no')));
    const input = newUser();
    await expect(users.create(input)).rejects.toThrow('no');
    expect(await users.findByEmail(input.email)).toBeNull();
  });

  it('of a missing account is a missing record', async () => {
    const missing = 987_654;
    const attempts = [
      () => users.find(missing),
      () => users.updateProfile(missing, { firstName: 'A' }),
      () => users.changePassword(missing, 'quite long enough'),
      () => users.setStatus(missing, 'active'),
      () => users.delete(missing),
      () => test.portal.services.accounts.admins.updateProfile(missing, { name: 'A' }),
    ];
    for (const attempt of attempts) await expect(attempt()).rejects.toBeInstanceOf(NotFoundError);
  });
});

describe('an admin account', () => {
  it('is made together with its roles or not at all', async () => {
    const { admins } = test.portal.services.accounts;
    const before = await admins.count();
    const input = { name: 'Root', email: 'half@example.com', password: 'long enough for it' };
    await expect(admins.create(input, { after: () => Promise.reject(new Error('no such role')) })).rejects.toThrow(
      'no such role',
    );
    expect(await admins.count()).toBe(before);
  });

  it('remembers its last login without being changed by it', async () => {
    const { admins } = test.portal.services.accounts;
    const admin = await admins.create({ name: 'Ops', email: 'ops@example.com', password: 'long enough for it' });
    test.clock.advance(60);
    await admins.recordLogin(admin.id);
    expect(await admins.find(admin.id)).toEqual({ ...admin, lastLoginAt: test.clock.now() });
    const renamed = await admins.updateProfile(admin.id, { name: ' Ops II ' });
    expect([renamed.name, renamed.updatedAt]).toEqual(['Ops II', test.clock.now()]);
  });
});
