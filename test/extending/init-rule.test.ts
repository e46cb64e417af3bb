import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createDeveloper, startTestPortal, TEST_PASSWORD, type TestPortal } from '../../src/testing/index.js';
import { folderWith } from '../config/support.js';
import { TestClient } from '../support/http-client.js';
import { PageClient } from '../support/page-client.js';
import { portal } from '../support/portal-command.js';

const NAMES = { first_name: 'Ada', last_name: 'Lovelace' };
const PASSWORDS = { password: TEST_PASSWORD, password_confirmation: TEST_PASSWORD };

/** A host with its portal, and a browser. */
interface Host {
  readonly test: TestPortal;
  readonly client: TestClient;
}

async function start(cwd: string): Promise<Host> {
  const test = await startTestPortal({ cwd });
  return { test, client: await TestClient.start(test.portal.handler) };
}

/** What the four ways in answer to somebody of a domain: statuses of login and sign-up, API and theme. */
async function waysIn({ test, client }: Host, domain: string) {
  const { email } = await createDeveloper(test, { email: `known@${domain}` });
  const login = await test.api('post', '/auth/login', { body: { email, password: TEST_PASSWORD } });
  const page = await new PageClient(client).submit('/portal/login', { email, password: TEST_PASSWORD });
  const fresh = (name: string) => ({ ...NAMES, ...PASSWORDS, email: `${name}@${domain}` });
  const signUp = await test.api('post', '/auth/register', { body: fresh('new') });
  const visitor = new PageClient(client);
  await visitor.submit('/portal/register', fresh('newer'));
  const isIn = (await visitor.get('/portal/dashboard', { follow: false })).status === 200;
  const { users } = test.portal.services.accounts;
  const made = await Promise.all(['new', 'newer'].map((name) => users.findByEmail(`${name}@${domain}`)));
  const answers = { login: login.status, page: page.path, signUp: signUp.status, isIn };
  return { ...answers, errors: signUp.body.errors ?? {}, made: made.filter(Boolean).length };
}

/** One line of portal.config.ts decides for every door. */
describe('the login rule that portal init writes', () => {
  const allIn = { login: 200, page: '/portal/dashboard', signUp: 201, isIn: true, errors: {}, made: 2 };
  let open: Host;
  let closed: Host;
  beforeAll(async () => {
    const parent = await folderWith({});
    const [first, second] = [join(parent, 'open'), join(parent, 'closed')];
    const env = { HOME: process.env['HOME'] ?? '/' };
    await portal(['init', 'open', '--no-install', '--link', '--yes'], { cwd: parent, env });
    await cp(first, second, { recursive: true });
    const config = await readFile(join(second, 'portal.config.ts'), 'utf8');
    const ruled = config.replace('emailDomains: []', "emailDomains: ['acme.example']");
    expect(ruled).not.toBe(config);
    await writeFile(join(second, 'portal.config.ts'), ruled);
    [open, closed] = [await start(first), await start(second)];
  });
  afterAll(async () => {
    for (const { test, client } of [open, closed]) {
      await client.close();
      await test.stop();
    }
  });

  it('is off until it names a domain', async () => {
    expect(await waysIn(open, 'elsewhere.example')).toEqual(allIn);
  });

  it('then lets its domains in', async () => {
    expect(await waysIn(closed, 'acme.example')).toEqual(allIn);
  });

  it('and nobody else, by the API, by the pages, with a password or by signing up, which makes no account', async () => {
    const errors = { email: ['Please use an e-mail address of "acme.example".'] };
    const allOut = { login: 401, page: '/portal/login', signUp: 422, isIn: false, errors, made: 0 };
    expect(await waysIn(closed, 'elsewhere.example')).toEqual(allOut);
  });
});
