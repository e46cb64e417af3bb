import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describeConfigured, postmanAsJson } from '../../src/openapi/index.js';
import type { PostmanCollection } from '../../src/openapi/postman/collection.js';
import { type EmailTokenPurpose } from '../../src/domain/auth/index.js';
import { EmailTokens } from '../../src/domain/auth/email-tokens.js';
import { mfa } from '../../src/modules/mfa/index.js';
import { oidc } from '../../src/modules/oidc/index.js';
import { createAdmin, PASSWORD } from '../support/factories.js';
import { PostmanRunner, type PostmanResult, type PostmanRunnerOptions } from '../support/postman-runner.js';
import { examplesOf } from '../support/real-examples.js';
import { startTestPortal, type TestPortal, type TestPortalOptions } from '../support/test-portal.js';

// A request of every operation, three times.

const DEMO = join(process.cwd(), 'templates', 'demo');
const EXAMPLES = join(process.cwd(), 'templates', 'apidocs', 'examples.json');
/** What the time of the test stands for in the names of a run. */
const RUN = 'mrun';

let test: TestPortal;

/** As `portal rbac:seed`, `admin:create` and `demo:seed` leave it. */
async function startSeeded(options: TestPortalOptions = {}): Promise<void> {
  test = await startTestPortal(options);
  const { rbac, catalog } = test.portal.services;
  await rbac.seed();
  await createAdmin(test, { email: 'admin@example.com', name: 'Grace Hopper', roles: ['super_admin'] });
  await catalog.demo.run(DEMO);
}

/** What `/docs/postman.json` offers. */
function download(): PostmanCollection {
  const { routes, config } = test.portal;
  const settings = { ...config, app: { ...config.app, url: test.client.url } };
  return JSON.parse(postmanAsJson(describeConfigured(routes, config), settings)) as PostmanCollection;
}

async function run(before?: PostmanRunnerOptions['before']): Promise<PostmanResult[]> {
  const runner = new PostmanRunner(download(), test.client, {
    now: () => parseInt(RUN, 36),
    ...(before && { before }),
  });
  runner.variables.set('admin_password', PASSWORD);
  return runner.run();
}

function problemsOf(results: readonly PostmanResult[]): string[] {
  return results.flatMap(({ id, answer, failed }) => failed.map((one) => `${id}: ${one} ${answer.text.slice(0, 300)}`));
}

const operations = () => test.portal.routes.map(({ operation }) => operation).sort();
/** The run has no plan that the product offers, no receiver of webhooks, no colleague, no notice, and may have no product with versions. */
const OF_A_PLAN =
  /^compareApiProductVersions 404$|^(?:read|acknowledge)OwnNotice 404$|^(?:leaveTeam|listTeamMember(?:Keys|Webhooks)|(?:update|get|remove)(?:Any)?TeamMember|(?:open|accept|decline)TeamInvitation|(?:add|get|update|remove)TeamDomain|askForTeam|redeemTeamCode|(?:get|getOwn|withdraw|accept|decline)(?:Any)?TeamRequest) 4|^(?:(?:offer|get|withdraw)(?:Team)?|accept|decline)AppTransfer 4|^move(?:User|AnyTeam)App 4|Webhook(?:Delivery|Deliveries)? (404|422)$|^(set|approve|withdraw|move)(User|Team|AnyTeam)?CredentialPlan (404|422)$|^(create|get|end)(User|AnyTeam)App(Override|QuotaReset) (404|422)$/;
const idOf = ({ id }: PostmanResult) => id.replace(/-\d+$/, '');
const refused = (results: readonly PostmanResult[]) =>
  results.filter(({ answer }) => answer.status >= 300).map(({ id, answer }) => `${id} ${answer.status}`);

async function countRecords(): Promise<unknown[]> {
  const tables = ['users', 'admins', 'products', 'categories', 'audiences', 'menus', 'settings', 'roles', 'apps'];
  const counts = tables.map((table) => test.portal.database.select(`SELECT COUNT(*) AS n FROM portal_${table}`));
  return (await Promise.all(counts)).flat();
}

describe('the Postman collection of a seeded portal', () => {
  beforeAll(() => startSeeded());
  afterAll(() => test.stop());

  it('runs from its first request to its last, each with assertions that hold', async () => {
    const before = await countRecords();
    const results = await run();
    expect(problemsOf(results)).toEqual([]);
    expect([...new Set(results.map(idOf))].sort()).toEqual(operations());
    expect(results.filter(({ passed }) => passed.length < 2)).toEqual([]);
    // The run has no mail box.
    const others = refused(results).filter((one) => !OF_A_PLAN.test(one));
    expect(others).toEqual(['resetPassword 422', 'verifyEmail 422']);
    expect(results.slice(-8).map(({ id }) => id)).toEqual([
      ...['logout', 'login-4', 'deleteAccount'],
      ...['endAdminSession', 'adminLogin-2', 'endAdminAllSessions', 'adminLogin-3', 'adminLogout'],
    ]);
    expect(await countRecords()).toEqual(before);
  });

  it('runs a second time', async () => {
    expect(problemsOf(await run())).toEqual([]);
  });

  it('fails where an answer is not what the document promises', async () => {
    // Limits count the sign-ins of the runs before.
    test.clock.advance(3_600);
    const results = await run(async (id, runner) => {
      if (id === 'getMenu') runner.variables.set('menu_slug', 'nowhere');
      return Promise.resolve();
    });
    expect(problemsOf(results).map((problem) => problem.split(' ', 1)[0])).toEqual(['getMenu:']);
  });

  it('is the same whenever it is built', () => {
    expect(JSON.stringify(download())).toBe(JSON.stringify(download()));
  });
});

describe('the Postman collection', () => {
  afterEach(() => test.stop());

  it('runs with the modules, whose requests are refused as documented where a person would be needed', async () => {
    await startSeeded({ extensions: { modules: [mfa, oidc] } });
    const results = await run();
    expect(problemsOf(results)).toEqual([]);
    expect([...new Set(results.map(idOf))].sort()).toEqual(operations());
  });

  it('runs on the developers part alone, with what the catalog has', async () => {
    await startSeeded({ config: { docs: { contexts: ['consumer'] } } });
    const results = await run();
    expect(problemsOf(results)).toEqual([]);
    const others = refused(results).filter((one) => !OF_A_PLAN.test(one));
    expect(others).toEqual(['resetPassword 422', 'verifyEmail 422', 'getApiProductWorkflows 404', 'getFile 404']);
  });

  it('gets the answers that the document shows as examples; PORTAL_UPDATE_EXAMPLES=1 writes them anew', async () => {
    // The ids of the examples are SQLite's.
    test = await startTestPortal({ dialect: 'sqlite', replicas: 1 });
    await test.portal.services.rbac.seed();
    await createAdmin(test, { email: 'admin@example.com', name: 'Grace Hopper', roles: ['super_admin'] });
    const results = await run(fillInFromMail);
    expect(problemsOf(results)).toEqual([]);
    expect(refused(results).filter((one) => !OF_A_PLAN.test(one))).toEqual([]);
    const answers = new Map(results.map((result) => [idOf(result), result.answer]));
    const examples = examplesOf(answers, { ...test.portal.config.portalApi, run: RUN });
    if (process.env.PORTAL_UPDATE_EXAMPLES) writeFileSync(EXAMPLES, `${JSON.stringify(examples, null, 2)}\n`);
    expect(examples).toEqual(JSON.parse(readFileSync(EXAMPLES, 'utf8')));
  });
});

const MAILED: Readonly<Record<string, EmailTokenPurpose>> = {
  resetPassword: 'password-reset',
  verifyEmail: 'verify-email',
};

/** The tokens of mails: what a person would copy. */
async function fillInFromMail(id: string, runner: PostmanRunner): Promise<void> {
  const purpose = MAILED[id];
  if (purpose) runner.variables.set('mail_token', await mailedToken(purpose));
}

async function mailedToken(purpose: EmailTokenPurpose): Promise<string> {
  const { database } = test.portal;
  const email = `developer-${RUN}@example.com`;
  const [user] = await database.select<{ id: number }>('SELECT id FROM portal_users WHERE email = ?', [email]);
  if (!user) return '';
  await untilIssued(user.id, purpose);
  const links = new EmailTokens(database, test.clock);
  return database.transaction((transaction) => links.issue({ userId: user.id, purpose, email }, 3_600, transaction));
}

/** Only the newest link is good, and the one that the collection asked for is made after its answer, if at all. */
async function untilIssued(userId: number, purpose: EmailTokenPurpose): Promise<void> {
  const sql = 'SELECT id FROM portal_account_links WHERE user_id = ? AND purpose = ?';
  for (let tries = 0; tries < 400; tries += 1) {
    if ((await test.portal.database.select(sql, [userId, purpose])).length > 0) return;
    await pause(5);
  }
}
