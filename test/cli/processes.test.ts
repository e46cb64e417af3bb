import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shippedCommands } from '../../src/cli/commands.js';
import { FakeApigee } from '../support/fake-apigee.js';
import { spawnPortal } from '../support/portal-process.js';
import { createProject, type Project } from '../support/project.js';
import { dialectUnderTest } from '../support/test-database.js';

interface Call {
  readonly args: readonly string[];
  readonly input?: string;
  readonly code?: number;
  readonly says: RegExp;
}

const ADMIN = ['--email', 'ada@example.com', '--name', 'Ada', '--role', 'super_admin', '--password-stdin'];
const HERO = 'partials/landing/hero.hbs';
const INFO = { title: 'Payments', version: '1' };
const PATHS = { '/': { get: { operationId: 'look' } } };
const DOCUMENT = JSON.stringify({ openapi: '3.1.0', info: INFO, paths: PATHS });
const WORKFLOWS = JSON.stringify({
  ...{ arazzo: '1.0.1', info: INFO, sourceDescriptions: [{ name: 'payments', url: 'openapi.json' }] },
  workflows: [{ workflowId: 'look', steps: [{ stepId: 'look', operationId: 'look' }] }],
});

/** Each command once, in an order that leads from an empty database to one with a bit of everything. */
const CALLS: Readonly<Record<string, Call>> = {
  migrate: { args: [], says: /^✓ Ran \d+ migrations\.$/m },
  'migrate:status': { args: [], says: /^20260101000100-create-users +ran +1 /m },
  'migrate:rollback': { args: ['--step', '1', '--pretend'], says: /^✓ Would undo 1 migration/m },
  'rbac:seed': { args: [], says: /^✓ Added \d+ permissions/m },
  'admin:create': { args: ADMIN, input: 'a long enough one', says: /Created the admin ada@example\.com/ },
  'admin:unlock': { args: ['ada@example.com'], says: /^✓ .*ada@example\.com/m },
  export: { args: [], says: /^✓ Wrote \d+ files? to portal\.$/m },
  plan: { args: [], says: /^✓ Files and portal say the same\.$/m },
  apply: { args: [], says: /^✓ Everything was up to date/m },
  adopt: { args: [], code: 1, says: /does not say who manages/ },
  'token:create': { args: ['ci', '--permission', 'portal.products.view'], says: /^portal_svc_/m },
  'token:list': { args: [], says: /^ci +active /m },
  'token:revoke': { args: ['ci'], says: /^✓ Revoked the token ci\.$/m },
  import: { args: ['openapi.json', '--dry-run'], says: /payments/ },
  'product:import': { args: ['openapi.json'], says: /payments/ },
  push: { args: ['payments', 'openapi.json'], says: /Nothing changed for callers/ },
  'spec:diff': { args: ['openapi.json', 'openapi.json'], says: /Nothing changed for callers/ },
  'workflow:run': { args: ['flow.json', '--server', 'http://127.0.0.1:1'], code: 1, says: /cannot be reached/ },
  'demo:seed': { args: [], says: /^card-issuing +public +manual +yes +created$/m },
  'gateway:test': { args: [], says: /^What apigee can do$/m },
  'gateway:sync': { args: ['--plan'], says: /portal and gateway agree/ },
  'gateway:import': { args: ['--dry-run'], says: /^developers +0$/m },
  'usage:import': { args: ['-', '--dry-run'], input: '{"key_id":"-","time":1}\n', says: /^- +portal +1 +0 +1 +0$/m },
  'keys:pattern': { args: [], code: 1, says: /Keys are made by the gateway apigee/ },
  // It runs until it is told to end, as a test beside that of `gateway:test` has it do.
  'gateway:fake': { args: ['--port', 'http'], code: 2, says: /must be a whole number/ },
  'webhooks:listen': { args: ['--port', 'http'], code: 2, says: /must be a whole number/ },
  // The same, in a file of its own.
  serve: { args: ['--port', 'http'], code: 2, says: /must be a whole number/ },
  'search:rebuild': { args: [], says: /Indexed \d+ records?/ },
  'tokens:prune': { args: [], says: /No sign-in ended that long ago/ },
  'sessions:end': { args: ['--all'], says: /has to sign in again/ },
  'keys:rotate': { args: ['--print'], says: /1\. Every replica accepts/ },
  'audit:verify': { args: [], says: /^✓ \d+ activities are as written\.$/m },
  'audit:prune': { args: ['--keep-days', '1'], says: /Nothing/ },
  routes: { args: [], says: /^GET +\/api\/v1\/me +consumer /m },
  doctor: { args: [], says: /apigee answers/ },
  // Nothing is published; what it finds is tested beside the files of the targets.
  'deploy:check': { args: [], code: 2, says: /Nothing is published for a target yet/ },
  'config:show': { args: ['app.env'], says: /^app\.env +test +environment$/m },
  'docs:build': { args: [], says: /docs\/api\/openapi\.json +created/ },
  publish: { args: ['config'], says: /portal\.config\.reference\.ts/ },
  'theme:publish': { args: ['--only', HERO], says: /theme\/partials\/landing\/hero\.hbs/ },
  'theme:diff': { args: ['--brief'], says: /hero\.hbs/ },
  'make:guide': { args: ['acme-start'], says: /content\/guides\/acme-start\.md/ },
  'content:check': { args: ['--files'], says: /Nothing is broken/ },
  'make:locale': { args: ['fr'], says: /theme: \{ locales: \['en', 'ar', 'fr'\] \}/ },
  'lang:check': { args: ['en'], says: /^en +\d+ +0/m },
  'make:admin-page': { args: ['acme-reports'], says: /src\/admin\/acme-reports\.ts/ },
  'make:auth-flow': { args: ['acme-flow'], says: /src\/acme-flow-auth-flow\.ts/ },
  'make:controller': { args: ['acme-hours'], says: /acme-hours/ },
  'make:gateway': { args: ['acme-gateway'], says: /acme-gateway/ },
  'make:module': { args: ['acme-module'], says: /acme-module/ },
  'make:migration': { args: ['create-acme-tenants'], says: /create-acme-tenants\.ts/ },
  'backup:create': {
    args: ['copy.sqlite'],
    ...(dialectUnderTest() === 'sqlite' ? { says: /copy\.sqlite/ } : { code: 1, says: /mariadb-dump/ }),
  },
  init: { args: ['acme', '--no-install', '--link', '--yes'], says: /cd acme/ },
};

/** What runs in the process of a test elsewhere: the binary starts here, and ends by itself once the command is through. */
describe('portal as a process of its own', () => {
  let fake: FakeApigee;
  let project: Project;
  beforeAll(async () => {
    fake = await FakeApigee.start({ flavour: 'x', products: [{ name: 'payments' }, { name: 'accounts' }] });
    const gateway = { driver: 'apigee', apigee: { ...fake.settings(), callsPerMinute: 600_000 } } as const;
    project = await createProject(dialectUnderTest(), { gateway }, { migrate: false });
    writeFileSync(join(project.cwd, 'openapi.json'), DOCUMENT);
    writeFileSync(join(project.cwd, 'flow.json'), WORKFLOWS);
  });
  afterAll(async () => {
    await project.remove();
    await fake.stop();
  });

  it.each(Object.entries(CALLS))('%s', async (command, { args, input, code = 0, says }) => {
    const call = { cwd: project.cwd, env: { ...project.env }, ...(input === undefined ? {} : { input }) };
    const { exitCode, stdout, stderr } = await spawnPortal([command, ...args], call);
    expect([exitCode, `${stdout}\n${stderr}`]).toEqual([code, expect.stringMatching(says)]);
  });

  it('is tried with every command that there is', async () => {
    const names = (await shippedCommands()).flatMap(({ commands }) => commands.map(({ name }) => name));
    expect(Object.keys(CALLS).sort()).toEqual(names.sort());
  });
});
