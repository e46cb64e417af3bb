import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folderWith, SECRETS } from '../config/support.js';
import { portal } from '../support/portal-command.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const PLANTED = 'planted-c0ffee-secret';
const RUN = 'https://ci.example.com/runs/7';

let test: TestPortal;
let root: string;
let everything = '';
beforeAll(async () => {
  test = await startTestPortal({ replicas: 1 });
  root = await folderWith({ 'portal.config.ts': "export default { app: { env: 'development' } };" });
  mkdirSync(join(root, 'portal', 'products'), { recursive: true });
});
afterAll(() => test.stop());

/** As in a project. What it writes is kept, for secrets must not be in it. */
async function run(args: readonly string[], env: Record<string, string> = {}) {
  const result = await portal(args, { cwd: root, env: { ...SECRETS, DATABASE_URL: test.databaseUrl, ...env } });
  everything += result.stdout + result.stderr;
  return result;
}
const write = (name: string, text: string) => writeFileSync(join(root, 'portal', name), text);
const origins = async () => {
  const rows = await test.portal.database.select<Record<string, string>>(
    `SELECT a.action, a.actor_type AS actor, p.user_agent AS origin
     FROM portal_activities a LEFT JOIN portal_activity_people p ON p.activity_id = a.id`,
  );
  return rows.map(({ action, actor, origin }) => [action, actor, origin]);
};

describe('the commands of a portal as code', () => {
  it('say in the activity log of which commit and which run a change is', async () => {
    write('categories.yaml', 'money:\n  name: Money\n');
    write('roles.yaml', 'writers:\n  label: Writers\n  permissions: [portal.products.view]\n');
    await test.portal.services.rbac.seed();
    expect((await run(['apply', '--commit', '9fceb02', '--run-url', RUN])).exitCode).toBe(0);
    const told = `portal apply (commit 9fceb02; run ${RUN})`;
    expect(await origins()).toEqual(
      expect.arrayContaining([
        ['category.created', 'operator', told],
        ['role.created', 'operator', told],
      ]),
    );
    write('categories.yaml', 'money:\n  name: More\n');
    await run(['apply'], { CI_COMMIT_SHA: 'a1b2c3d4', CI_JOB_URL: RUN });
    expect(await origins()).toContainEqual([
      'category.updated',
      'operator',
      `portal apply (commit a1b2c3d4; run ${RUN})`,
    ]);
    expect((await run(['apply', '--commit', 'no hash'])).exitCode).toBe(2);
    expect((await run(['apply', '--run-url', 'ftp://x'])).exitCode).toBe(2);
  });

  it('write a plan as the comment of a pull request, and explain an overlay', async () => {
    write('products/pay.yaml', 'slug: pay\nname: Pay `code` | pipe\nvisibility: public\n');
    write('portal.staging.yaml', 'products:\n  pay:\n    visibility: draft\n');
    const { exitCode, stdout } = await run(['plan', '--markdown']);
    expect([exitCode, stdout]).toEqual([2, expect.stringContaining('### Portal: 1 to create')]);
    expect(stdout).toContain('| + create | `products/pay` | `name`, `visibility` |');
    const explained = await run(['plan', '--env', 'staging', '--explain']);
    expect(explained.stdout).toContain('products/pay: visibility from portal.staging.yaml');
    expect(explained.stderr).toContain('null takes a field away');
    expect((await run(['apply', '--env', 'staging'])).exitCode).toBe(0);
    expect((await test.portal.services.catalog.products.findForAdmin('pay')).visibility).toBe('draft');
    expect((await run(['plan', '--env', 'production'])).stderr).toContain(
      'portal.production.yaml: there is no such file.',
    );
  });

  it('do all or nothing over the database, and say so', async () => {
    write('categories.yaml', 'money:\n  name: Again\nshipping:\n  name: Shipping\n');
    write('menus.yaml', 'extra:\n  name: Extra\n  items:\n    - label: Nowhere\n      route: no.such.route\n');
    const { exitCode, stderr } = await run(['apply', '--env', 'staging']);
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringMatching(/menus\/extra: .*\n?.*Nothing was changed|Nothing was changed[^]*menus\/extra/),
    ]);
    const { stdout } = await run(['plan', '--env', 'staging', '--json']);
    expect(JSON.parse(stdout).changes.map(({ key }: { key: string }) => key)).toEqual(['money', 'shipping', 'extra']);
    write('menus.yaml', '{}\n');
    expect((await run(['apply', '--env', 'staging', '--one-by-one'])).exitCode).toBe(0);
  });

  it('delete no more than they were told to, and nothing before that is clear', async () => {
    write('portal.yaml', 'managed_by: catalog\n');
    const audiences = [1, 2, 3].map((number) => `dropped-${number}: {}\n`).join('');
    write('audiences.yaml', `kept: {}\n${audiences}`);
    expect((await run(['apply', '--env', 'staging'])).exitCode).toBe(0);
    write('audiences.yaml', 'kept: {}\n');
    const prune = ['apply', '--env', 'staging', '--prune'];
    const { exitCode, stderr } = await run([...prune, '--max-deletes', '2']);
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/3 records would be deleted[^]*--max-deletes 3/)]);
    const count = async () => (await test.portal.database.select('SELECT id FROM portal_audiences')).length;
    expect(await count()).toBe(4);
    expect((await run([...prune, '--max-deletes', '3'])).exitCode).toBe(0);
    expect(await count()).toBe(1);
  });

  it('tell no secret, in plan, export, report or log', async () => {
    writeFileSync(join(root, 'portal', 'token.txt'), `${PLANTED}\n`);
    write(
      'settings.yaml',
      'acme.one:\n  type: secret\n  value: !env ACME\nacme.two:\n  type: secret\n  value: !file token.txt\n',
    );
    write('webhooks.yaml', 'Pager:\n  url: !env PAGER\n  events: [app.approved]\n');
    const env = { ACME: PLANTED, PAGER: `https://pager.example.com/${PLANTED}` };
    for (const more of [[], ['--json'], ['--markdown'], ['--out', 'plan.json']]) await run(['plan', ...more], env);
    expect(readFileSync(join(root, 'plan.json'), 'utf8')).toContain('(from ACME)');
    expect((await run(['apply', 'plan.json'], env)).exitCode).toBe(0);
    expect((await run(['plan'], env)).exitCode).toBe(0);
    await run(['export', '--dir', 'fresh']);
    const fresh = ['settings.yaml', 'webhooks.yaml'].map((name) => readFileSync(join(root, 'fresh', name), 'utf8'));
    const rows = await test.portal.database.select('SELECT * FROM portal_activities');
    const all = [everything, readFileSync(join(root, 'plan.json'), 'utf8'), ...fresh, JSON.stringify(rows)].join('\n');
    expect(all).toContain('acme.two');
    expect(all).not.toContain(PLANTED);
  });
});
