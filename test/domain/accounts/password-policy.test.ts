import { readFile } from 'node:fs/promises';
import { type PasswordHasher } from '../../../src/domain/accounts/index.js';
import { NewPasswords } from '../../../src/domain/accounts/new-passwords.js';
import { ValidationError } from '../../../src/core/index.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

const hasher = { hash: (password) => Promise.resolve(password) } as Partial<PasswordHasher> as PasswordHasher;
const passwords = new NewPasswords({ hasher, minLength: 8, adminMinLength: 12, portalName: 'Acme Hub' });

async function faultOf(password: string, context: 'consumer' | 'admin' = 'consumer'): Promise<string | undefined> {
  try {
    await passwords.hash(password, context, ['ada.lovelace@example.com', 'Ada', 'Lovelace']);
    return undefined;
  } catch (error) {
    if (error instanceof ValidationError) return error.errors.password?.join(' ');
    throw error;
  }
}

const COMMON = 'This password is too common.';
const LITTLE_ADDED = 'This password is a common one with little added.';
const REPEATS = 'This password repeats itself.';
const SEQUENCE = 'This password is a sequence of characters that follow each other.';
const PERSONAL = 'The password must not contain the name or e-mail address of the account, or the name of the portal.';

describe('a new password is refused with the true reason', () => {
  it.each([
    ['password1234', COMMON],
    ['123456789012', COMMON],
    ['password12345', LITTLE_ADDED],
    ['Password1!', LITTLE_ADDED],
    ['P@ssw0rd2024', LITTLE_ADDED],
    ['Welcome2024#1', LITTLE_ADDED],
    ['summerwinter2023', LITTLE_ADDED],
    ['iloveyou2024!!', LITTLE_ADDED],
    ['Berlin123456', LITTLE_ADDED],
    ['aaaaaaaaaaaa', REPEATS],
    ['aB3$aB3$aB3$', REPEATS],
    ['asdfasdfasdf1', REPEATS],
    ['x'.repeat(128), REPEATS],
    ['abcdefghijkl', SEQUENCE],
    ['zyxwvutsrqponm', SEQUENCE],
    ['0987654321', SEQUENCE],
    ['\u0627\u0628\u062a\u062b\u062c\u062d\u062e\u062f\u0630\u0631', SEQUENCE],
    ['i am lovelace!', PERSONAL],
    ['the acme hub one', PERSONAL],
    ['seven c', 'The password must have at least 8 characters.'],
    ['x'.repeat(129), 'The password must have at most 128 characters.'],
  ])('%s', async (password, fault) => {
    expect([password, await faultOf(password)]).toEqual([password, fault]);
  });
});

describe('a new password is taken', () => {
  it.each([
    'correct horse battery staple',
    'quite long enough',
    'green trains leave at seven',
    'a8dk2mqz',
    'tr0ub4dor&3',
    'correcthorse',
    ' padded on both sides ',
    '\u0645\u0631\u062d\u0628\u0627 \u0628\u0627\u0644\u0639\u0627\u0644\u0645',
    'abab-cdcd-efef',
  ])('%s', async (password) => {
    expect(await faultOf(password)).toBeUndefined();
  });
});

it.each([
  ['one character', 'a'.repeat(128)],
  ['two in turn', `${'ab'.repeat(63)}c`],
  ['disguises', '4@8({[<369&#!1/|0$5+7%2'.repeat(6).slice(0, 128)],
  ['surrogates', '\ud83d\ude00\ud83d'.repeat(42)],
  ['half of a pair', '\ud83d'.repeat(120)],
  ['nothing visible', '\u0000\u200b'.repeat(40)],
])('the longest password of %s is judged like any other', async (_what, password) => {
  await expect(faultOf(password)).resolves.not.toBe('');
});

it('the pages judge by the same estimate as the portal', async () => {
  const compiled = await readFile('dist-test/src/domain/accounts/guess-estimate.js', 'utf8');
  const asset = await readFile('templates/theme/assets/guess-estimate.js', 'utf8');
  // After a change: cp the one over the other, and remove its last line.
  expect(asset).toBe(compiled.replace(/\/\/# sourceMappingURL=.*/, ''));
});

describe('whoever sets a password', () => {
  let test: TestPortal;
  beforeAll(async () => {
    test = await startTestPortal({ config: { accounts: { password: { minLength: 14 } } } });
  });
  afterAll(() => test.stop());

  it('is told the minimum at the field, before anything is typed', async () => {
    const { text } = await test.client.send('GET', '/portal/register', { headers: { accept: 'text/html' } });
    expect(text).toMatch(/name="password"[^>]*minlength="14"/);
    expect(text).toContain('At least 14 characters.');
    const arabic = await test.client.send('GET', '/portal/register?locale=ar', { headers: { accept: 'text/html' } });
    expect(arabic.text).toMatch(/(?:14|\u0661\u0664) أحرف على الأقل/);
  });

  it('meets the same rules as an admin', async () => {
    const { admins } = test.portal.services.accounts;
    const create = (password: string) => admins.create({ name: 'Grace', email: 'grace@example.com', password });
    await expect(create('password12345')).rejects.toMatchObject({ errors: { password: [LITTLE_ADDED] } });
    await expect(create('aaaaaaaaaaaa')).rejects.toMatchObject({ errors: { password: [REPEATS] } });
  });
});
