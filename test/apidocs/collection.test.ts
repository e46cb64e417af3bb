import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { buildDocument } from '../../src/apidocs/index.js';
import { buildPostmanCollection, type PostmanCollection } from '../../src/apidocs/postman/collection.js';
import { AccountLinks, type LinkPurpose } from '../../src/domain/auth/index.js';
import { createAdmin, PASSWORD } from '../support/factories.js';
import type { Answer } from '../support/http-client.js';
import { PostmanRunner } from '../support/postman-runner.js';
import { UNLIMITED } from '../support/project.js';
import { examplesOf } from '../support/real-examples.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

// A request of every operation.
jest.setTimeout(180_000);

let test: TestPortal;
let collection: PostmanCollection;
beforeAll(async () => {
  const config = { limits: UNLIMITED, accounts: { customAttributes: ['company'] }, apps: { selfApproval: true } };
  // The ids of the examples are SQLite's.
  test = await startTestPortal({ config, dialect: 'sqlite' });
  const { portal } = test;
  collection = buildPostmanCollection(buildDocument(portal.routes, portal.config), `${test.client.url}/api/v1`);
  await test.portal.services.rbac.seed();
  await createAdmin(test, { email: 'admin@example.com', roles: ['super_admin'] });
});
afterAll(() => test.stop());

/** Comes before everything else: who works, and what there is to work on. */
const FIRST = [
  ...['adminLogin', 'register', 'forgotPassword', 'resetPassword', 'resendVerification', 'verifyEmail', 'login'],
  ...[
    'createCategory',
    'createProduct',
    'createUser',
    'createAudience',
    'createMenu',
    'createMenuItem',
    'createSetting',
  ],
  ...['createAdmin', 'createRole', 'createPermission', 'createApp', 'createUserApp'],
];
/** Sign-ins end, so the next one begins with another. */
const LAST = [
  ...['endSession', 'login', 'endAllSessions', 'login', 'logout', 'login', 'deleteAccount'],
  ...['endAdminSession', 'adminLogin', 'endAdminAllSessions', 'adminLogin', 'adminLogout'],
];

const rotatingFirst = (a: string, b: string) => Number(a.startsWith('rotate')) - Number(b.startsWith('rotate'));

/** What is read and changed, then what is closed, then what is removed: children before what holds them. */
function planOf(runner: PostmanRunner): string[] {
  const rest = runner.ids.filter((id) => !FIRST.includes(id) && !LAST.includes(id));
  const closing = (id: string) => /^(?:rotate|revoke|deactivate)/.test(id);
  const of = (...methods: string[]) => rest.filter((id) => methods.includes(runner.methodOf(id)) && !closing(id));
  const removing = of('DELETE').reverse();
  const isApp = (id: string) => /App|Credential/.test(id);
  return [
    ...[...FIRST, ...of('PUT'), ...of('GET'), ...of('POST'), ...rest.filter(closing).sort(rotatingFirst).reverse()],
    ...[...removing.filter(isApp), ...removing.filter((id) => !isApp(id)), ...LAST],
  ];
}

/** Tokens of mails, and the picture that was uploaded: what a person would copy. */
async function prepare(id: string, runner: PostmanRunner): Promise<void> {
  const purposes: Readonly<Record<string, LinkPurpose>> = {
    resetPassword: 'password-reset',
    verifyEmail: 'verify-email',
  };
  const purpose = purposes[id];
  if (/^end(?:Admin)?Session$/.test(id)) {
    const list = id === 'endSession' ? ['session_id', 'listSessions'] : ['admin_session_id', 'listAdminSessions'];
    runner.variables.delete(list[0] ?? '');
    await runner.run(list[1] ?? '');
  }
  if (purpose) runner.variables.set('mail_token', await mailedToken(purpose));
  if (id !== 'getFile') return;
  const { json } = await runner.run('getProduct');
  runner.variables.set('file_name', String(json.data?.thumbnail_url).split('/').at(-1) ?? '');
}

async function mailedToken(purpose: LinkPurpose): Promise<string> {
  const { database } = test.portal;
  const email = 'lin@example.com';
  const [user] = await database.select<{ id: number }>('SELECT id FROM portal_users WHERE email = ?', [email]);
  if (!user) return '';
  const links = new AccountLinks(database, test.clock);
  return database.transaction((transaction) => links.issue({ userId: user.id, purpose, email }, 3_600, transaction));
}

const EXAMPLES = join(process.cwd(), 'templates', 'apidocs', 'examples.json');

describe('the Postman collection', () => {
  const answers = new Map<string, Answer>();

  it('has a request for every operation, each of which a live portal answers with success', async () => {
    const runner = new PostmanRunner(collection, test.client);
    const plan = planOf(runner);
    runner.variables.set('admin_password', PASSWORD);
    expect([...new Set(plan)].sort()).toEqual(test.portal.routes.map(({ operation }) => operation).sort());
    const failed: string[] = [];
    for (const id of plan) {
      await prepare(id, runner);
      const answer = await runner.run(id);
      if (answer.status >= 300) failed.push(`${id}: ${answer.status} ${answer.text}`);
      if (!answers.has(id)) answers.set(id, answer);
    }
    expect(failed).toEqual([]);
  });

  it('gets the answers that the document shows as examples; PORTAL_UPDATE_EXAMPLES=1 writes them anew', () => {
    const examples = examplesOf(answers, test.portal.config.portalApi);
    if (process.env.PORTAL_UPDATE_EXAMPLES) writeFileSync(EXAMPLES, `${JSON.stringify(examples, null, 2)}\n`);
    expect(examples).toEqual(JSON.parse(readFileSync(EXAMPLES, 'utf8')));
  });

  it('is the same whenever it is built', () => {
    const { routes, config } = test.portal;
    const again = buildPostmanCollection(buildDocument(routes, config), `${test.client.url}/api/v1`);
    expect(JSON.stringify(again)).toBe(JSON.stringify(collection));
  });
});
