import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  Argon2Hasher,
  NewPasswords,
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
import { Lists } from '../../../src/database/index.js';
import { EventBus, NotFoundError, PortalEvent, silentLogger, ValidationError } from '../../../src/kernel/index.js';
import { createUser } from '../../support/factories.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

let test: TestPortal;
let events: EventBus<never>;
let users: UserService;
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

  it('that is none is refused', async () => {
    expect(await faultsOf(() => users.create(newUser({ email: 'nobody@localhost' })))).toEqual({
      email: ['The e-mail address is not valid.'],
    });
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
    ['of the name', 'i am lovelace!', 'This password is too common.'],
    ['of the address', 'developer-of-x', 'This password is too common.'],
    ['of the portal', 'the acme hub one', 'This password is too common.'],
    ['leaked', 'known from a leak somewhere', 'This password is too common.'],
    ['very long', 'x'.repeat(129), 'The password must have at most 128 characters.'],
  ])('that is %s is refused when it is new and when it is changed', async (_case, password, fault) => {
    const input = newUser({ lastName: 'Lovelace', email: `developer.of${(count += 1)}@example.com`, password });
    expect(await faultsOf(() => users.create(input))).toEqual({ password: [fault] });
    const user = await createUser(test, { lastName: 'Lovelace', email: `developer.by${(count += 1)}@example.com` });
    const before = await passwordHash(user);
    expect(await faultsOf(() => users.changePassword(user.id, password))).toEqual({ password: [fault] });
    expect(await passwordHash(user)).toBe(before);
  });

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
    const user = await users.create(
      newUser({
        customAttributes: { company: 'A', oidc_provider_id: 'mine', is_admin: true },
        systemAttributes: { oidc_provider_id: 'theirs' },
      }),
    );
    expect(user.customAttributes).toEqual({ company: 'A', oidc_provider_id: 'theirs' });
    const input = { company: null, newsletter: true, oidc_provider_id: null, other: 'x' };
    const updated = await users.updateProfile(user.id, { customAttributes: input });
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
