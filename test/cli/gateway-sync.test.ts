import { FakeApigee } from '../support/fake-apigee.js';
import { folderWith, SECRETS } from '../config/support.js';
import { portal } from '../support/portal-command.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

let test: TestPortal;
let fake: FakeApigee;
let root: string;
beforeAll(async () => {
  fake = await FakeApigee.start({ flavour: 'x', products: [{ name: 'Payments API' }] });
  // Somebody had a portal before this one.
  const earlier = await startTestPortal({
    config: { gateway: { driver: 'apigee', apigee: fake.settings() } },
  });
  const { services, gateway } = earlier.portal;
  await services.catalog.products.create({
    ...{ slug: 'payments', name: 'Payments', visibility: 'public', approval: 'auto', gatewayProductId: 'Payments API' },
  });
  for (const name of ['ada', 'bob']) {
    const { id } = await services.accounts.users.create({
      ...{
        email: `${name}@example.com`,
        firstName: name,
        lastName: 'L',
        password: 'correct horse battery',
        status: 'active',
      },
    });
    const owner = await services.accounts.users.find(id);
    await services.apps.apps.create(owner, { name: 'shop', products: ['payments'] }, { type: 'developer', id });
  }
  await gateway.open();
  await earlier.stop();

  test = await startTestPortal({ config: { app: { key: SECRETS.APP_KEY } } });
  const config = { app: { env: 'development' }, gateway: { driver: 'apigee', apigee: fake.settings() } };
  root = await folderWith({ 'portal.config.ts': `export default ${JSON.stringify(config)};` });
});
afterAll(async () => {
  await test.stop();
  await fake.stop();
});

/** On the database of the test. */
const run = (...args: string[]) => portal(args, { cwd: root, env: { ...SECRETS, DATABASE_URL: test.databaseUrl } });

describe('portal gateway:import and gateway:sync', () => {
  it('take over an organization, and keep both sides together', async () => {
    const refused = await run('gateway:import', '--dry-run');
    expect([refused.exitCode, refused.stdout]).toEqual([
      0,
      expect.stringContaining('Left out: 2 developers and teams.'),
    ]);
    expect(refused.stderr).toContain('another portal');

    const planned = JSON.parse((await run('gateway:import', '--foreign', '--dry-run', '--json')).stdout) as object;
    expect(planned).toMatchObject({ dry_run: true, developers: 2, apps: 2, keys: 2, products: 1, failed: 0 });
    const done = await run('gateway:import', '--foreign', '--parallel', '1');
    expect([done.exitCode, done.stdout]).toEqual([0, expect.stringContaining('✓ Done.')]);
    const again = JSON.parse((await run('gateway:import', '--foreign', '--json')).stdout) as object;
    expect(again).toMatchObject({ developers: 0, already: 2 });

    const agreed = await run('gateway:sync', '--plan');
    expect([agreed.exitCode, agreed.stdout]).toEqual([0, expect.stringContaining('portal and gateway agree')]);
    await test.portal.database.execute("UPDATE portal_apps SET status = 'revoked'");
    const plan = JSON.parse((await run('gateway:sync', '--plan', '--json')).stdout) as { differences: object[] };
    expect(plan.differences).toMatchObject([
      {
        kind: 'app_status',
        email: 'ada@example.com',
        app: 'shop',
        portal: 'revoked',
        gateway: 'approved',
        fix: 'gateway',
      },
      { kind: 'app_status', email: 'bob@example.com' },
    ]);
    const one = await run('gateway:sync', '--app', 'ada@example.com/shop');
    expect([one.exitCode, one.stdout]).toEqual([0, expect.stringContaining('1 of 1 differences are gone')]);
    expect((await run('gateway:sync')).stdout).toContain('1 of 1 differences are gone');
    expect((await run('gateway:sync')).stdout).toContain('portal and gateway agree');
    expect((await run('gateway:sync', '--app', 'ada@example.com/none')).exitCode).not.toBe(0);
  });
});
