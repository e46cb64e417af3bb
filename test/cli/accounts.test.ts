import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { shippedCommands } from '../../src/cli/commands.js';
import { runCommandLine } from '../../src/cli/main.js';
import { folderWith, SECRETS } from '../config/support.js';
import { portal } from '../support/portal-command.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const PASSWORD = 'a long enough one';

let test: TestPortal;
let root: string;
beforeAll(async () => {
  test = await startTestPortal();
  root = await folderWith({ 'portal.config.ts': "export default { app: { env: 'development' } };" });
});
afterAll(() => test.stop());

/** On the database of the test. */
const run = (args: readonly string[], input = '', databaseUrl = test.databaseUrl) =>
  portal(args, { cwd: root, env: { ...SECRETS, DATABASE_URL: databaseUrl }, input });

const create = (overrides: Record<string, string> = {}, input = PASSWORD, more: readonly string[] = []) => {
  const flags = { email: 'grace@example.com', name: 'Grace Hopper', role: 'super_admin', ...overrides };
  const args = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]);
  return run(['admin:create', ...args, '--password-stdin', ...more], input);
};

describe('portal admin:create before the roles are there', () => {
  it('says what to do first', async () => {
    const { stderr, exitCode } = await create();
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringMatching(/There are no roles yet\.\nFix: run portal rbac:seed/),
    ]);
  });
});

describe('portal rbac:seed', () => {
  it('lists what it added, and nothing the second time', async () => {
    const first = await run(['rbac:seed', '--json']);
    const { added } = JSON.parse(first.stdout) as { added: { roles: string[]; permissions: string[] } };
    expect([first.exitCode, added.roles]).toEqual([
      0,
      ['super_admin', 'admin', 'catalog_manager', 'support', 'auditor'],
    ]);
    expect(added.permissions).toContain('portal.rbac.manage');
    const second = await run(['rbac:seed']);
    expect([second.exitCode, second.stdout]).toEqual([0, '✓ Nothing was missing.']);
  });

  it('names the command that brings the tables', async () => {
    const { stderr, exitCode } = await run(['rbac:seed'], '', `sqlite:${join(root, 'empty.sqlite')}`);
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/lacks \d+ migrations\.\nFix: run portal migrate/)]);
  });
});

describe('portal admin:create', () => {
  it('finds no admin on a fresh installation (S62)', async () => {
    expect(await test.portal.services.accounts.admins.count()).toBe(0);
  });

  it('creates an admin with a role, the password read without its line break', async () => {
    const { stdout, exitCode } = await create({ email: ' Grace@Example.com' }, `${PASSWORD}\n`, ['--json']);
    const admin = {
      ...{ id: expect.any(Number), name: 'Grace Hopper', email: 'grace@example.com', roles: ['super_admin'] },
      portal_url: 'http://127.0.0.1:3000/portal',
      console_url: 'http://127.0.0.1:3000/admin',
      sign_in_url: 'http://127.0.0.1:3000/api/v1/admin/auth/login',
    };
    expect([exitCode, JSON.parse(stdout)]).toEqual([0, admin]);
    const { accounts, rbac } = test.portal.services;
    const credentials = await accounts.admins.findByEmail('grace@example.com');
    expect(credentials?.passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect((await rbac.grantsOf(credentials?.admin.id ?? 0)).bypass).toBe(true);
  });

  it.each([
    ['a taken address', { email: 'GRACE@example.com' }, PASSWORD, /--email: The e-mail address is already taken/, 1],
    [
      'an unknown role',
      { email: 'a@example.com', role: 'root' },
      PASSWORD,
      /no role root\.\nFix: use one of admin, auditor, catalog_manager, super_admin, support\./,
      1,
    ],
    ['a short password', { email: 'a@example.com' }, 'eleven char', /^Error: The password must have at least 12/, 1],
    [
      'a password made of the name',
      { email: 'a@example.com' },
      'grace hopper 1906',
      /must not contain the name .*\nFix: choose 12 characters or more .* in which neither the name/,
      1,
    ],
    ['no password', { email: 'a@example.com' }, '', /--password-stdin: standard input is empty/, 2],
    ['no address', { email: 'nobody' }, PASSWORD, /email: The e-mail address is not valid/, 1],
  ])('refuses %s and creates nothing', async (_case, overrides, input, message, code) => {
    const before = await test.portal.services.accounts.admins.count();
    const { stderr, stdout, exitCode } = await create(overrides, input);
    expect([exitCode, stdout, stderr]).toEqual([code, '', expect.stringMatching(message)]);
    expect(await test.portal.services.accounts.admins.count()).toBe(before);
  });

  it('names the flag for every question when nobody is there to answer', async () => {
    const { stderr, exitCode } = await run(['admin:create', '--email', 'b@example.com']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('--name is required')]);
  });
});

describe('portal admin:unlock', () => {
  const logIn = async (password: string) =>
    (await test.client.post('/api/v1/admin/auth/login', { email: 'grace@example.com', password })).status;

  it('has a serving portal let a locked admin in again', async () => {
    for (let guess = 0; guess < 10; guess += 1) {
      await logIn('wrong');
      if (guess === 4) test.clock.advance(60);
    }
    expect(await logIn(PASSWORD)).toBe(429);
    // It counts failures by a clock that stands still, the command clears them by the machine's.
    const unlocked = await run(['admin:unlock', 'Grace@example.com', '--json']);
    expect([unlocked.exitCode, JSON.parse(unlocked.stdout)]).toEqual([
      0,
      { id: expect.any(Number), email: 'grace@example.com', status: 'active' },
    ]);
    test.clock.advance(1);
    expect(await logIn(PASSWORD)).toBe(429);
    // The minute of this address goes on; the lock of the account is gone.
    test.clock.advance(59);
    expect(await logIn(PASSWORD)).toBe(200);
  });

  it('says so when nobody has the address', async () => {
    const { stderr, exitCode } = await run(['admin:unlock', 'nobody@example.com']);
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringContaining('There is no admin with the address nobody@example.com.'),
    ]);
  });
});

describe('portal admin:create at a terminal', () => {
  /** Types each answer once its question is there. @returns what was on the screen */
  async function converse(...answers: readonly (readonly [asked: RegExp, typed: string])[]) {
    const cwd = await folderWith({
      'portal.config.js': "export default { app: { env: 'development' } };",
      'package.json': '{"type":"module"}',
      '.env': Object.entries({ ...SECRETS, DATABASE_URL: test.databaseUrl })
        .map((pair) => `${pair.join('=')}\n`)
        .join(''),
    });
    const keyboard = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
    const screen = Object.assign(new PassThrough(), { isTTY: true, columns: 200, rows: 50 });
    const left = [...answers];
    let shown = '';
    let unread = '';
    screen.on('data', (chunk: Buffer) => {
      const text = stripVTControlCharacters(chunk.toString());
      shown += text;
      unread += text;
      if (left[0]?.[0].test(unread) !== true) return;
      unread = '';
      const answer = left.shift()?.[1];
      // A question is drawn before it listens.
      setImmediate(() => keyboard.write(`${answer}\r`));
    });
    const terminal = { stdin: keyboard, stdout: screen, stderr: screen } as never;
    const exitCode = await runCommandLine(['admin:create', '--cwd', cwd], await shippedCommands(), cwd, terminal);
    return { exitCode, shown, left };
  }

  it('judges each answer as it is given, and asks again', async () => {
    const { exitCode, shown, left } = await converse(
      [/E-mail/, 'nobody'],
      [/address is not valid\.[^]*E-mail/, 'grace@example.com'],
      [/address is already taken\.[^]*E-mail/, 'Ada@Example.com'],
      [/Name/, 'A'.repeat(201)],
      [/1 to 200 characters[^]*Name/, 'Ada Lovelace'],
      [/Role/, ''],
      [/Password \(at least 12 characters\)/, 'short'],
      [/must have at least 12 characters[^]*Password \(/, 'ada lovelace 1815'],
      [/must not contain the name[^]*Password \(/, 'a long enough one'],
      [/Password again/, 'a long enough one'],
    );
    expect([exitCode, left]).toEqual([0, []]);
    expect(shown).toContain('Created the admin ada@example.com');
    expect(shown).toContain('Admins sign in at the console: http://127.0.0.1:3000/admin');
    expect(shown).toContain('… or at the API: POST http://127.0.0.1:3000/api/v1/admin/auth/login');
    expect(shown).toContain('The portal is at http://127.0.0.1:3000/portal');
    expect(await test.portal.services.accounts.admins.findByEmail('ada@example.com')).not.toBeNull();
  });
});
